#pragma once

#include <optional>

#include "base/time.h"
#include "core/sums.h"

namespace turnout::core {

/// The Beta prior of a success rate.
struct Prior {
  double alpha = 3;  ///< > 0
  double beta = 2;   ///< > 0

  friend bool operator==(const Prior&, const Prior&) = default;
};

/// Where latency starts to cost weight.
struct LatencyTarget {
  DurationMs p95_target_ms = 1500;  ///< > 0
  double k = 1;                     ///< steepness, >= 0

  friend bool operator==(const LatencyTarget&, const LatencyTarget&) = default;
};

/// The posterior mean of the success rate: (alpha + successes) / (alpha + beta + total).
/// Example: prior 3/2, 97 of 100: 100 / 105 = 0.952381; nothing counted: 0.6.
double success_rate(const Prior& prior, const EffectiveCounts& counts);

/// 1 up to the target, then exp(−k × (p95 / p95_target − 1)), but at least 1e-12; 1 when no latency is known. The least
/// keeps a provider that was very slow in the choice: with a weight of 0 it would get no traffic, so nothing could ever
/// show that it is well again. Example: p95 2250 ms, target 1500 ms, k 1: exp(−0.5) = 0.606531.
double latency_penalty(const LatencyTarget& target, std::optional<double> p95_ms);

/// The factors of a provider's weight that change with outcomes and settings, but not with each decision:
/// weight = success_rate × latency_penalty × business_multiplier × circuit_multiplier (core/breaker.h).
struct WeightFactors {
  double success_rate = 0;
  double latency_penalty = 1;
  double business_multiplier = 1;

  /// Example: 0.952381 × 0.606531 × 1.2 = 0.693178.
  [[nodiscard]] double without_circuit() const { return success_rate * latency_penalty * business_multiplier; }

  friend bool operator==(const WeightFactors&, const WeightFactors&) = default;
};

}  // namespace turnout::core
