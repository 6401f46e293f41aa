#include "core/sums.h"

#include <algorithm>

namespace turnout::core {

bool rebase_if_due(Sums& sums, const Forgetting& forgetting, TimeMs now) {
  const bool rule_changed = sums.forgetting != forgetting;
  if (!rule_changed && !needs_rebase(sums.forgetting, sums.landmark_ms, now)) return false;
  const double scale = scale_at(sums.forgetting, sums.landmark_ms, now);
  sums.successes *= scale;
  sums.total *= scale;
  sums.latency.scale(scale);
  sums.landmark_ms = std::max(sums.landmark_ms, now);
  sums.forgetting = forgetting;
  return true;
}

void add(Sums& sums, const Forgetting& forgetting, const Sample& sample, TimeMs now) {
  rebase_if_due(sums, forgetting, now);
  const double increment = increment_at(forgetting, sums.landmark_ms, now);
  if (sample.counts) {
    sums.total += increment;
    if (sample.success) sums.successes += increment;
  }
  if (sample.latency_ms) sums.latency.add(*sample.latency_ms, increment);
}

EffectiveCounts effective_counts(const Sums& sums, TimeMs now) {
  const double scale = scale_at(sums.forgetting, sums.landmark_ms, now);
  return {sums.successes * scale, sums.total * scale};
}

std::optional<double> p95_ms(const Sums& sums, TimeMs now) {
  if (scale_at(sums.forgetting, sums.landmark_ms, now) == 0) return std::nullopt;
  return sums.latency.quantile(0.95);
}

}  // namespace turnout::core
