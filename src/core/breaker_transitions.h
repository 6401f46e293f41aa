#pragma once

#include <optional>
#include <variant>

#include "core/breaker.h"
#include "core/outcome.h"

namespace turnout::core {

/// A decision chose a half-open provider and asks for its probe. Refused when no probe is available; holds_probe of the
/// state after it says whether the attempt has one. An attempt has at most one.
struct TakeProbe {
  std::uint64_t attempt = 0;
  Uuid decision_id;
};

/// The payment of a probe was reported pending: its lease lasts until that is resolved.
struct ExtendProbe {
  std::uint64_t attempt = 0;
  TimeMs expires_at_ms = 0;
};

/// An operator takes the provider out, for a time or (expires_at_ms = 0) until told otherwise.
struct OpenManually {
  TimeMs expires_at_ms = 0;
};

/// An operator closes the circuit, whoever opened it.
struct CloseManually {};

/// An operator hands a manually opened circuit back: closed when consecutive_failures is below the threshold, otherwise
/// half_open, so that a probe decides. Changes nothing when the circuit is automatic already.
struct ReturnToAutomatic {};

/// Time passed: nothing but what circuit_at says is made the stored state.
struct TimePassed {};

/// What may happen to a breaker besides outcomes.
using BreakerEvent = std::variant<TakeProbe, ExtendProbe, OpenManually, CloseManually, ReturnToAutomatic, TimePassed>;

/// The state after `event` at `now`; the same state when the event is refused (a probe that somebody else has) or has
/// no effect: docs/concepts.md, "Breaker and probe".
Breaker after_event(Breaker breaker, const BreakerSettings& settings, const BreakerEvent& event, TimeMs now);

/// The state after an outcome at `now`. `attempt` is the fingerprint of its (transaction_id, provider). While closed
/// and open an outcome counts in consecutive_failures; in half_open only that of a leased probe moves the breaker, and
/// anything else leaves it as it is. An outcome that the breaker does not count (issuer, customer) frees the probe's
/// lease without a verdict.
Breaker after_outcome(Breaker breaker, const BreakerSettings& settings, const Outcome& outcome, std::uint64_t attempt,
                      TimeMs now);

/// True when `attempt` holds a lease of the breaker that is not expired at `now`.
bool holds_probe(const Breaker& breaker, std::uint64_t attempt, TimeMs now);

}  // namespace turnout::core
