#include "core/weights.h"

#include <algorithm>
#include <cmath>

namespace turnout::core {

double success_rate(const Prior& prior, const EffectiveCounts& counts) {
  return (prior.alpha + counts.successes) / (prior.alpha + prior.beta + counts.total);
}

double latency_penalty(const LatencyTarget& target, std::optional<double> p95_ms) {
  const auto target_ms = static_cast<double>(target.p95_target_ms);
  if (!p95_ms || *p95_ms <= target_ms) return 1;
  constexpr double kLeastPenalty = 1e-12;
  return std::max(std::exp(-target.k * (*p95_ms / target_ms - 1)), kLeastPenalty);
}

}  // namespace turnout::core
