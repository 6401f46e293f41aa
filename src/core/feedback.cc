#include "core/feedback.h"

#include "core/breaker_transitions.h"

namespace turnout::core {

void apply_outcome(Arm& arm, const ChannelSettings& channel, const Outcome& outcome, std::uint64_t attempt, TimeMs now) {
  const bool counts = counts_in_success_rate(outcome);
  add(arm.sums, channel.forgetting, {counts, outcome.success, counts ? outcome.latency_ms : std::nullopt}, now);
  arm.breaker = after_outcome(arm.breaker, channel.breaker, outcome, attempt, now);
  arm.revision += 1;
}

}  // namespace turnout::core
