#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace turnout::core {

/// How an attempt ended, or that it has not ended yet.
enum class Status : std::uint8_t { success, failure, pending };

/// Whose fault a failure was.
enum class FailureKind : std::uint8_t {
  provider,  ///< time-out, 5xx, technical decline
  issuer,    ///< the bank said no
  customer,  ///< abandoned, 3DS failed, wrong CVC
};

/// The final result of one attempt at one provider.
struct Outcome {
  bool success = false;
  FailureKind failure_kind = FailureKind::provider;  ///< only read for a failure
  std::optional<DurationMs> latency_ms;              ///< 0 … 600 000
};

/// Whether the outcome enters the success rate: all but failures that the customer caused.
constexpr bool counts_in_success_rate(const Outcome& outcome) {
  return outcome.success || outcome.failure_kind != FailureKind::customer;
}

/// Whether the breaker looks at the outcome: successes and failures of the provider.
constexpr bool counts_in_breaker(const Outcome& outcome) {
  return outcome.success || outcome.failure_kind == FailureKind::provider;
}

}  // namespace turnout::core
