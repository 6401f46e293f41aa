#include "core/arm.h"

namespace turnout::core {

ProviderView view_of(const Arm& arm, const ProviderSettings& provider, const ChannelSettings& channel, TimeMs now) {
  ProviderView view;
  view.counts = effective_counts(arm.sums, now);
  view.p95_ms = p95_ms(arm.sums, now);
  view.factors = {success_rate(channel.prior, view.counts), latency_penalty(channel.latency, view.p95_ms),
                  provider.business_multiplier};
  view.weight_without_circuit = view.factors.without_circuit();
  view.enabled = provider.enabled;
  view.breaker = arm.breaker;
  view.revision = arm.revision;
  return view;
}

}  // namespace turnout::core
