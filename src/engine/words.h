#pragma once

#include <array>
#include <string_view>

#include "core/breaker.h"
#include "core/channel_settings.h"
#include "core/decide.h"
#include "core/outcome.h"

namespace turnout::engine {

// The words of core's enumerations as they are written: the same in JSON, metrics and logs.

constexpr std::string_view word(core::Reason reason) {
  constexpr std::array<std::string_view, 5> kWords{"exploited", "explored", "probe", "all_open", "forced"};
  return kWords[static_cast<std::size_t>(reason)];
}

constexpr std::string_view word(core::WhyNot why_not) {
  constexpr std::array<std::string_view, 7> kWords{"eligible",    "disabled",    "excluded",    "not_listed",
                                                   "manual_open", "zero_weight", "circuit_open"};
  return kWords[static_cast<std::size_t>(why_not)];
}

constexpr std::string_view word(core::Circuit circuit) {
  constexpr std::array<std::string_view, 3> kWords{"closed", "open", "half_open"};
  return kWords[static_cast<std::size_t>(circuit)];
}

constexpr std::string_view word(core::Status status) {
  constexpr std::array<std::string_view, 3> kWords{"success", "failure", "pending"};
  return kWords[static_cast<std::size_t>(status)];
}

constexpr std::string_view word(core::FailureKind kind) {
  constexpr std::array<std::string_view, 3> kWords{"provider", "issuer", "customer"};
  return kWords[static_cast<std::size_t>(kind)];
}

constexpr std::string_view word(core::Policy policy) {
  constexpr std::array<std::string_view, 1> kWords{"weighted"};
  return kWords[static_cast<std::size_t>(policy)];
}

}  // namespace turnout::engine
