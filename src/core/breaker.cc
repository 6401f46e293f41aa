#include "core/breaker.h"

#include <algorithm>

#include "base/assert.h"

namespace turnout::core {
namespace {

std::uint32_t live_leases(const Breaker& breaker, TimeMs now) {
  const auto leases = breaker.taken_leases();
  return static_cast<std::uint32_t>(std::count_if(
      leases.begin(), leases.end(), [now](const ProbeLease& lease) { return lease.expires_at_ms > now; }));
}

}  // namespace

DurationMs open_duration_ms(const BreakerSettings& settings, std::uint32_t consecutive_failures) {
  constexpr DurationMs kLargestFactor = 10;
  TURNOUT_ASSERT(settings.failure_threshold >= 1);
  const std::uint32_t groups = std::max(1U, consecutive_failures / settings.failure_threshold);
  const DurationMs factor = groups > 4 ? kLargestFactor : DurationMs{1} << (groups - 1);
  return std::min(settings.open_for_ms * factor, settings.max_open_for_ms);
}

bool manual_at(const Breaker& breaker, TimeMs now) {
  return breaker.manual && circuit_at(breaker, now) == Circuit::open;
}

bool probe_available(const Breaker& breaker, const BreakerSettings& settings, TimeMs now) {
  TURNOUT_ASSERT(settings.half_open_probes >= 1 && settings.half_open_probes <= Breaker::kMaxProbes);
  return circuit_at(breaker, now) == Circuit::half_open && live_leases(breaker, now) < settings.half_open_probes;
}

TimeMs last_tried_at(const Breaker& breaker) {
  return breaker.circuit == Circuit::open ? breaker.half_open_at_ms : breaker.last_probe_at_ms;
}

bool probe_due(const Breaker& breaker, const BreakerSettings& settings, TimeMs now) {
  return probe_available(breaker, settings, now) && now >= last_tried_at(breaker) + settings.probe_after_ms;
}

TimeMs reopens_at(const Breaker& breaker, const BreakerSettings& settings, TimeMs now) {
  const Circuit circuit = circuit_at(breaker, now);
  if (circuit == Circuit::open) return breaker.half_open_at_ms;
  if (circuit == Circuit::closed || probe_available(breaker, settings, now)) return 0;
  TimeMs first = 0;
  for (const auto& lease : breaker.taken_leases()) {
    // After the number of probes was lowered, the end of one lease may not be enough.
    if (!probe_available(breaker, settings, lease.expires_at_ms)) continue;
    if (first == 0 || lease.expires_at_ms < first) first = lease.expires_at_ms;
  }
  return first;
}

}  // namespace turnout::core
