#include "core/feedback.h"

#include "core/breaker_transitions.h"

namespace turnout::core {

void apply_outcome(Arm& arm, const ChannelSettings& channel, const Outcome& outcome, std::uint64_t attempt,
                   TimeMs now) {
  add(arm.sums, channel.forgetting, {counts_in_success_rate(outcome), outcome.success, outcome.latency_ms}, now);
  arm.breaker = after_outcome(arm.breaker, channel.breaker, outcome, attempt, now);
  arm.revision += 1;
}

}  // namespace turnout::core
