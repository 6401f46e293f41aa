#include "core/sums.h"

#include <algorithm>

namespace turnout::core {
namespace {

/// Whether the sums can go on under `forgetting` as they are: the increments of every window are 1.
bool same_increments(const Forgetting& before, const Forgetting& forgetting) {
  return before == forgetting ||
         (before.kind == Forgetting::Kind::window && forgetting.kind == Forgetting::Kind::window);
}

}  // namespace

bool rebase_if_due(Sums& sums, const Forgetting& forgetting, TimeMs now) {
  const bool rule_changed = sums.forgetting != forgetting;
  const bool converts = !same_increments(sums.forgetting, forgetting);
  // Ended or faded by the old rule where that gave the increments their meaning, by the new one otherwise.
  const Forgetting rule = converts ? sums.forgetting : forgetting;
  const bool begins = sums.landmark_ms == 0 && sums.total == 0 && now > 0;
  sums.forgetting = forgetting;
  if (!converts && !begins && !needs_rebase(rule, sums.landmark_ms, now)) return rule_changed;
  const double scale = scale_at(rule, sums.landmark_ms, now);
  sums.successes *= scale;
  sums.total *= scale;
  sums.latency.scale(scale);
  sums.landmark_ms = std::max(sums.landmark_ms, now);
  return true;
}

void add(Sums& sums, const Forgetting& forgetting, const Sample& sample, TimeMs now) {
  rebase_if_due(sums, forgetting, now);
  if (!sample.counts) return;
  const double increment = increment_at(forgetting, sums.landmark_ms, now);
  sums.total += increment;
  if (sample.success) sums.successes += increment;
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
