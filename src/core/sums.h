#pragma once

#include <optional>

#include "base/time.h"
#include "core/forgetting.h"
#include "core/latency_histogram.h"

namespace turnout::core {

/// What a provider's outcomes add up to: increments of core/forgetting.h relative to a landmark. Remembers the rule it
/// was written under, so that a change of rule converts it instead of misreading it. A plain value.
struct Sums {
  Forgetting forgetting;   ///< the rule of the increments below
  TimeMs landmark_ms = 0;  ///< 0 and nothing counted: the first outcome sets it
  double successes = 0;
  double total = 0;
  LatencyHistogram latency;

  friend bool operator==(const Sums&, const Sums&) = default;
};

/// Counts as they stand at one moment, after forgetting.
struct EffectiveCounts {
  double successes = 0;
  double total = 0;
};

/// What one outcome adds.
struct Sample {
  bool counts = false;                   ///< whether it enters successes and total
  bool success = false;                  ///< only read when it counts
  std::optional<DurationMs> latency_ms;  ///< only read when it counts
};

/// Adds one outcome at `now` under `forgetting`; starts again or rescales first where that is due. A `now` before the
/// landmark is treated as the landmark: time that goes backwards neither clears nor ages anything.
/// Example: half-life 6 h, a success at the landmark and one 6 h later: sums of 1 + 2 = 3, which are {1.5, 1.5} then.
void add(Sums& sums, const Forgetting& forgetting, const Sample& sample, TimeMs now);

/// The counts at `now`. Pure: asking changes nothing. The ratio of successes to total and every quantile need no
/// scaling.
/// Example: half-life 6 h, 100 successes at the landmark: {50, 50} six hours later.
EffectiveCounts effective_counts(const Sums& sums, TimeMs now);

/// p95 of the latency in ms at `now`; nothing when no latency is remembered.
std::optional<double> p95_ms(const Sums& sums, TimeMs now);

/// Restarts, rescales or converts the sums when that is due at `now`; true when it changed them. When the rule changed,
/// what counts at `now` goes on under the new one; a window of another length keeps its start.
/// Example: window 1 h, 100 of 100 counted, 61 min after the landmark: 0 of 0, and the landmark is now.
bool rebase_if_due(Sums& sums, const Forgetting& forgetting, TimeMs now);

}  // namespace turnout::core
