#pragma once

#include <cstdint>
#include <optional>

#include "core/breaker.h"
#include "core/channel_settings.h"
#include "core/sums.h"

namespace turnout::core {

/// All that is remembered of one provider in one channel: one arm of the channel's bandit. A plain value; the store
/// keeps it.
struct Arm {
  Sums sums;
  Breaker breaker;
  std::uint64_t revision = 0;  ///< + 1 with every stored change: of two copies the higher one is the newer

  friend bool operator==(const Arm&, const Arm&) = default;
};

/// One provider as a decision sees it: its arm at the moment the view was made, reduced to what a decision needs.
struct ProviderView {
  WeightFactors factors;
  double weight_without_circuit = 0;  ///< factors.without_circuit(), kept because every decision needs it
  std::optional<double> p95_ms;       ///< nothing when no latency is remembered
  EffectiveCounts counts;
  bool enabled = true;
  Breaker breaker;             ///< as stored; what time alone changes is asked for with the moment of the decision
  std::uint64_t revision = 0;  ///< of the arm

  /// The weight at `now`: 0 while open, × 0.02 while half-open. What is published and shown; a decision also asks
  /// whether a probe is left.
  /// Example: success rate 0.6, no latency known, business 1, half-open: 0.012.
  [[nodiscard]] double weight_at(TimeMs now) const {
    return weight_without_circuit * circuit_multiplier(circuit_at(breaker, now));
  }
};

/// The view of `arm` at `now`. Pure.
/// Example: prior 3/2, 97 of 100, p95 2250 ms against a target of 1500, k 1, business 1.2: weight_without_circuit
/// 0.693178.
ProviderView view_of(const Arm& arm, const ProviderSettings& provider, const ChannelSettings& channel, TimeMs now);

}  // namespace turnout::core
