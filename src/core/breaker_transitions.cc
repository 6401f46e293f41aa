#include "core/breaker_transitions.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"

namespace turnout::core {
namespace {

/// The one place where a breaker changes its circuit.
void enter(Breaker& breaker, Circuit circuit) {
  breaker.circuit = circuit;
  breaker.generation += 1;
  breaker.lease_count = 0;
  breaker.leases = {};
}

void open(Breaker& breaker, const BreakerSettings& settings, TimeMs now) {
  enter(breaker, Circuit::open);
  breaker.opened_at_ms = now;
  breaker.half_open_at_ms = now + open_duration_ms(settings, breaker.consecutive_failures);
}

void close(Breaker& breaker) {
  enter(breaker, Circuit::closed);
  breaker.manual = false;
  breaker.consecutive_failures = 0;
  breaker.half_open_at_ms = 0;
}

void half_open(Breaker& breaker, TimeMs since) {
  enter(breaker, Circuit::half_open);
  breaker.manual = false;
  breaker.last_probe_at_ms = since;
}

void count_failure(Breaker& breaker) {
  if (breaker.consecutive_failures < std::numeric_limits<std::uint32_t>::max()) breaker.consecutive_failures += 1;
}

void drop_lease(Breaker& breaker, std::size_t index) {
  breaker.lease_count -= 1;
  breaker.leases[index] = breaker.leases[breaker.lease_count];
  breaker.leases[breaker.lease_count] = {};
}

/// Makes what time alone changed the stored state, and drops the leases that are over.
void pass_time(Breaker& breaker, TimeMs now) {
  const Circuit circuit = circuit_at(breaker, now);
  if (circuit != breaker.circuit) {
    if (circuit == Circuit::closed) {
      close(breaker);
    } else {
      half_open(breaker, breaker.half_open_at_ms);
    }
  }
  for (std::size_t i = breaker.lease_count; i-- > 0;) {
    if (breaker.leases[i].expires_at_ms <= now) drop_lease(breaker, i);
  }
}

std::optional<std::size_t> lease_of(const Breaker& breaker, std::uint64_t attempt, TimeMs now) {
  for (std::size_t i = 0; i < breaker.lease_count; ++i) {
    if (breaker.leases[i].attempt == attempt && breaker.leases[i].expires_at_ms > now) return i;
  }
  return std::nullopt;
}

void apply(Breaker& breaker, const BreakerSettings& settings, const TakeProbe& event, TimeMs now) {
  if (lease_of(breaker, event.attempt, now) || !probe_available(breaker, settings, now)) return;
  breaker.leases[breaker.lease_count++] = {event.attempt, event.decision_id, now + settings.probe_lease_ms};
  breaker.last_probe_at_ms = now;
}

void apply(Breaker& breaker, const BreakerSettings&, const ExtendProbe& event, TimeMs now) {
  if (const auto index = lease_of(breaker, event.attempt, now)) {
    auto& expires_at_ms = breaker.leases[*index].expires_at_ms;
    expires_at_ms = std::max(expires_at_ms, event.expires_at_ms);
  }
}

void apply(Breaker& breaker, const BreakerSettings&, const OpenManually& event, TimeMs now) {
  enter(breaker, Circuit::open);
  breaker.manual = true;
  breaker.opened_at_ms = now;
  breaker.half_open_at_ms = event.expires_at_ms;
}

void apply(Breaker& breaker, const BreakerSettings&, const CloseManually&, TimeMs) {
  if (breaker.circuit == Circuit::closed) {
    breaker.consecutive_failures = 0;
  } else {
    close(breaker);
  }
}

void apply(Breaker& breaker, const BreakerSettings& settings, const ReturnToAutomatic&, TimeMs now) {
  if (!breaker.manual) return;
  if (breaker.consecutive_failures < settings.failure_threshold) {
    close(breaker);
  } else {
    half_open(breaker, now);
  }
}

void apply(Breaker&, const BreakerSettings&, const TimePassed&, TimeMs) {}

void apply_probe_outcome(Breaker& breaker, const BreakerSettings& settings, const Outcome& outcome, std::size_t lease,
                         TimeMs now) {
  if (!counts_in_breaker(outcome)) {
    drop_lease(breaker, lease);
  } else if (outcome.success) {
    close(breaker);
  } else {
    count_failure(breaker);
    open(breaker, settings, now);
  }
}

}  // namespace

Breaker after_event(Breaker breaker, const BreakerSettings& settings, const BreakerEvent& event, TimeMs now) {
  pass_time(breaker, now);
  std::visit([&](const auto& e) { apply(breaker, settings, e, now); }, event);
  return breaker;
}

Breaker after_outcome(Breaker breaker, const BreakerSettings& settings, const Outcome& outcome, std::uint64_t attempt,
                      TimeMs now) {
  pass_time(breaker, now);
  if (breaker.circuit == Circuit::half_open) {
    const auto lease = lease_of(breaker, attempt, now);
    if (lease) apply_probe_outcome(breaker, settings, outcome, *lease, now);
    return breaker;
  }
  if (!counts_in_breaker(outcome)) return breaker;
  if (outcome.success) {
    breaker.consecutive_failures = 0;
    return breaker;
  }
  count_failure(breaker);
  if (breaker.circuit == Circuit::closed && breaker.consecutive_failures >= settings.failure_threshold) {
    open(breaker, settings, now);
  }
  return breaker;
}

bool holds_probe(const Breaker& breaker, std::uint64_t attempt, TimeMs now) {
  return breaker.circuit == Circuit::half_open && lease_of(breaker, attempt, now).has_value();
}

}  // namespace turnout::core
