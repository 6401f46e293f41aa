#include "core/arm.h"

#include "core/latency_bins.h"

namespace turnout::core {
namespace {

/// The penalty of a remembered p95: none in the target's own bin, where the p95 may be the target itself.
double remembered_penalty(const LatencyTarget& target, std::optional<double> p95_ms) {
  if (p95_ms && *p95_ms <= as_remembered(target.p95_target_ms)) return 1;
  return latency_penalty(target, p95_ms);
}

}  // namespace

ProviderView view_of(const Arm& arm, const ProviderSettings& provider, const ChannelSettings& channel, TimeMs now) {
  ProviderView view;
  view.counts = effective_counts(arm.sums, now);
  view.p95_ms = p95_ms(arm.sums, now);
  view.factors = {success_rate(channel.prior, view.counts), remembered_penalty(channel.latency, view.p95_ms),
                  provider.business_multiplier};
  view.weight_without_circuit = view.factors.without_circuit();
  view.enabled = provider.enabled;
  view.breaker = arm.breaker;
  view.revision = arm.revision;
  return view;
}

}  // namespace turnout::core
