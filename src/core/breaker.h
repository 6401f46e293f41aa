#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/assert.h"
#include "base/time.h"
#include "base/uuid.h"

namespace turnout::core {

/// Whether a provider takes traffic: all of it, none, or single probes.
enum class Circuit : std::uint8_t { closed, open, half_open };

/// The breaker's rules in one channel.
struct BreakerSettings {
  std::uint32_t failure_threshold = 5;    ///< counted failures in a row that open it, >= 1
  DurationMs open_for_ms = 30 * kSecond;  ///< the first open period
  DurationMs max_open_for_ms = 5 * kMinute;
  std::uint32_t half_open_probes = 1;         ///< probes out at once, over all instances, 1 … kMaxProbes
  DurationMs probe_after_ms = 10 * kSecond;   ///< a half-open provider untried for so long gets the next decision
  DurationMs probe_lease_ms = 120 * kSecond;  ///< how long a probe may stay without an outcome; the webhook time-out

  friend bool operator==(const BreakerSettings&, const BreakerSettings&) = default;
};

/// The right of one decision to try a half-open provider. Belongs to the breaker's current generation: every transition
/// drops the leases of the one before.
struct ProbeLease {
  std::uint64_t attempt = 0;  ///< fingerprint of (transaction_id, provider), by which its outcome is recognised
  Uuid decision_id;           ///< who took it
  TimeMs expires_at_ms = 0;

  friend bool operator==(const ProbeLease&, const ProbeLease&) = default;
};

/// The state of one provider's breaker. A plain value, shared by all instances. `circuit` is what was stored last; ask
/// circuit_at for what holds at a moment, since an open period ends by time alone.
struct Breaker {
  /// Probes that can be out at once; few, since a provider that may be down is tried with real payments.
  static constexpr std::size_t kMaxProbes = 4;

  Circuit circuit = Circuit::closed;
  bool manual = false;                     ///< opened by an operator; outcomes do not close it
  std::uint8_t lease_count = 0;            ///< used entries of `leases`
  std::uint32_t consecutive_failures = 0;  ///< counted failures since the last counted success
  std::uint64_t generation = 0;            ///< + 1 with every transition
  TimeMs opened_at_ms = 0;                 ///< 0: never
  TimeMs half_open_at_ms = 0;              ///< end of the open period; of a manual one its expiry, 0 = stays open
  TimeMs last_probe_at_ms = 0;             ///< when a half-open provider was last tried, or became half-open
  std::array<ProbeLease, kMaxProbes> leases{};

  /// The leases that were taken and not given back; some may have expired since.
  [[nodiscard]] std::span<const ProbeLease> taken_leases() const { return {leases.data(), lease_count}; }

  friend bool operator==(const Breaker&, const Breaker&) = default;
};

/// How long the breaker stays open after `consecutive_failures` f with threshold T: open_for × min(2^(g − 1), 10), at
/// most max_open_for, where g = max(1, floor(f / T)).
/// Example with the defaults: f 5 → 30 s, 10 → 60 s, 15 → 120 s, 20 → 240 s, 25 and more → 300 s.
DurationMs open_duration_ms(const BreakerSettings& settings, std::uint32_t consecutive_failures);

/// The circuit as it is at `now`: an open period that is over is half_open, an expired manual opening is closed. Pure.
/// Inline, as a decision asks it of every provider more than once.
inline Circuit circuit_at(const Breaker& breaker, TimeMs now) {
  if (breaker.circuit != Circuit::open) return breaker.circuit;
  if (breaker.manual) {
    const bool expired = breaker.half_open_at_ms != 0 && now >= breaker.half_open_at_ms;
    return expired ? Circuit::closed : Circuit::open;
  }
  return now >= breaker.half_open_at_ms ? Circuit::half_open : Circuit::open;
}

/// Whether an operator's opening holds at `now`.
bool manual_at(const Breaker& breaker, TimeMs now);

/// Factor of the weight: closed 1, half_open 0.02, open 0: docs/concepts.md, "Weight".
/// Example: half_open, success rate 0.9, no penalty, business 1: weight 0.9 × 0.02 = 0.018.
constexpr double circuit_multiplier(Circuit circuit) {
  switch (circuit) {
    case Circuit::closed:
      return 1;
    case Circuit::half_open:
      return 0.02;
    case Circuit::open:
      return 0;
  }
  TURNOUT_ASSERT(false);
}

/// Whether a decision at `now` may take a probe: half-open, and fewer leases out than allowed. An expired lease is not
/// out.
bool probe_available(const Breaker& breaker, const BreakerSettings& settings, TimeMs now);

/// When a half-open provider was last tried, or became half-open; meaningful only while half-open.
TimeMs last_tried_at(const Breaker& breaker);

/// Whether the next decision must probe: available, and untried for probe_after.
/// Example: open until 30 s, probe_after 10 s, never tried: due from 40 s on.
bool probe_due(const Breaker& breaker, const BreakerSettings& settings, TimeMs now);

/// When the provider may be chosen again: the end of its open period, or of the lease that blocks a half-open one.
/// 0 when it is not blocked, or blocked without an end.
/// Example: one probe allowed and out until 150 s: 150 000.
TimeMs reopens_at(const Breaker& breaker, const BreakerSettings& settings, TimeMs now);

}  // namespace turnout::core
