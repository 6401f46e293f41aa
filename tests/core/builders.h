#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/arm.h"
#include "core/decide.h"
#include "core/outcome.h"

namespace turnout::core {

/// A moment such as a production clock shows.
inline constexpr TimeMs kStart = 1'700'000'000'000;

inline Outcome success(std::optional<DurationMs> latency_ms = std::nullopt) {
  return {.success = true, .failure_kind = FailureKind::provider, .latency_ms = latency_ms};
}

inline Outcome failure(FailureKind kind = FailureKind::provider, std::optional<DurationMs> latency_ms = std::nullopt) {
  return {.success = false, .failure_kind = kind, .latency_ms = latency_ms};
}

inline Breaker open_until(TimeMs half_open_at_ms, std::uint32_t consecutive_failures = 5) {
  Breaker breaker;
  breaker.circuit = Circuit::open;
  breaker.consecutive_failures = consecutive_failures;
  breaker.generation = 1;
  breaker.opened_at_ms = half_open_at_ms - 30 * kSecond;
  breaker.half_open_at_ms = half_open_at_ms;
  return breaker;
}

inline Breaker half_open_since(TimeMs since, std::uint32_t consecutive_failures = 5) {
  Breaker breaker;
  breaker.circuit = Circuit::half_open;
  breaker.consecutive_failures = consecutive_failures;
  breaker.generation = 2;
  breaker.opened_at_ms = since - 30 * kSecond;
  breaker.half_open_at_ms = since;
  breaker.last_probe_at_ms = since;
  return breaker;
}

inline Breaker manually_open(TimeMs expires_at_ms = 0) {
  Breaker breaker;
  breaker.circuit = Circuit::open;
  breaker.manual = true;
  breaker.generation = 1;
  breaker.half_open_at_ms = expires_at_ms;
  return breaker;
}

inline void lease(Breaker& breaker, std::uint64_t attempt, TimeMs expires_at_ms) {
  breaker.leases[breaker.lease_count++] = {attempt, {}, expires_at_ms};
}

/// An enabled provider of this weight.
inline ProviderView provider_of(double weight, const Breaker& breaker = {}) {
  ProviderView view;
  view.factors = {weight, 1, 1};
  view.weight_without_circuit = weight;
  view.breaker = breaker;
  return view;
}

inline std::vector<ProviderView> providers_of(std::span<const double> weights) {
  std::vector<ProviderView> views;
  for (const double weight : weights) views.push_back(provider_of(weight));
  return views;
}

}  // namespace turnout::core
