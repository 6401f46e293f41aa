#pragma once

#include <cstdint>

#include "core/arm.h"
#include "core/outcome.h"

namespace turnout::core {

/// Applies a final outcome to the arm at `now`: the success rate, the latency and the breaker, each as the
/// table in docs/concepts.md, "Attempt and outcome", says. `attempt` is the fingerprint of (transaction_id, provider).
/// Whether the outcome was seen before is the caller's business.
/// Example: closed with 4 failures in a row, threshold 5, a failure of kind provider: total + 1, open, generation + 1.
void apply_outcome(Arm& arm, const ChannelSettings& channel, const Outcome& outcome, std::uint64_t attempt, TimeMs now);

}  // namespace turnout::core
