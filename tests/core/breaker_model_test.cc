#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "core/breaker_transitions.h"
#include "core/builders.h"

namespace turnout::core {
namespace {

/// The table of docs/concepts.md, "Breaker and probe", as plainly as it can be told; the breaker must never differ from
/// it.
class PlainBreaker {
 public:
  explicit PlainBreaker(const BreakerSettings& settings) : settings_(settings) {}

  void pass_time(TimeMs now) {
    if (state_ == "open" && now >= ends_at_) {
      go("half_open");
      last_tried_ = ends_at_;
    } else if (state_ == "manual" && expires_at_ && now >= *expires_at_) {
      close();
    }
    std::erase_if(probes_, [now](const auto& probe) { return probe.second <= now; });
  }

  void report(const Outcome& outcome, std::uint64_t attempt, TimeMs now) {
    const bool provider_failed = !outcome.success && outcome.failure_kind == FailureKind::provider;
    const bool counts = outcome.success || provider_failed;
    if (state_ == "half_open") {
      if (!probes_.contains(attempt)) return;
      if (outcome.success) return close();
      if (!provider_failed) {
        probes_.erase(attempt);
        return;
      }
      ++failures;
      return open(now);
    }
    if (!counts) return;
    if (outcome.success) {
      failures = 0;
      return;
    }
    ++failures;
    if (state_ == "closed" && failures >= settings_.failure_threshold) open(now);
  }

  void take_probe(std::uint64_t attempt, TimeMs now) {
    if (state_ != "half_open" || probes_.contains(attempt) || probes_.size() >= settings_.half_open_probes) return;
    probes_[attempt] = now + settings_.probe_lease_ms;
    last_tried_ = now;
  }

  void extend_probe(std::uint64_t attempt, TimeMs until) {
    const auto probe = probes_.find(attempt);
    if (probe != probes_.end()) probe->second = std::max(probe->second, until);
  }

  void open_manually(std::optional<TimeMs> expires_at) {
    go("manual");
    expires_at_ = expires_at;
  }

  void close_manually() {
    failures = 0;
    if (state_ != "closed") close();
  }

  void return_to_automatic(TimeMs now) {
    if (state_ != "manual") return;
    if (failures < settings_.failure_threshold) return close();
    go("half_open");
    last_tried_ = now;
  }

  /// The words a breaker is compared by.
  [[nodiscard]] const std::string& state() const { return state_; }
  [[nodiscard]] const std::map<std::uint64_t, TimeMs>& probes() const { return probes_; }
  [[nodiscard]] bool may_probe() const { return state_ == "half_open" && probes_.size() < settings_.half_open_probes; }
  [[nodiscard]] bool must_probe(TimeMs now) const {
    return may_probe() && now >= last_tried_ + settings_.probe_after_ms;
  }
  [[nodiscard]] std::optional<TimeMs> ends_at() const {
    if (state_ == "open") return ends_at_;
    return state_ == "manual" ? expires_at_ : std::nullopt;
  }

  std::uint64_t failures = 0;
  std::uint64_t generation = 0;

 private:
  void go(const std::string& state) {
    state_ = state;
    ++generation;
    probes_.clear();
    expires_at_.reset();
  }

  void close() {
    go("closed");
    failures = 0;
  }

  void open(TimeMs now) {
    go("open");
    DurationMs duration = settings_.open_for_ms;
    const std::uint64_t groups = std::max<std::uint64_t>(1, failures / settings_.failure_threshold);
    for (std::uint64_t group = 1; group < groups && duration < 10 * settings_.open_for_ms; ++group) duration *= 2;
    duration = std::min({duration, 10 * settings_.open_for_ms, settings_.max_open_for_ms});
    ends_at_ = now + duration;
  }

  BreakerSettings settings_;
  std::string state_ = "closed";
  TimeMs ends_at_ = 0;
  std::optional<TimeMs> expires_at_;
  TimeMs last_tried_ = 0;
  std::map<std::uint64_t, TimeMs> probes_;
};

/// From the whole range in every case; rapidcheck's own range grows with the case.
template <class T>
T anywhere_in(T lowest, T beyond) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(lowest, beyond));
}

BreakerSettings some_settings() {
  BreakerSettings settings;
  settings.failure_threshold = anywhere_in(1U, 7U);
  settings.open_for_ms = anywhere_in<DurationMs>(1, 60) * kSecond;
  settings.max_open_for_ms = anywhere_in<DurationMs>(1, 600) * kSecond;
  settings.half_open_probes = anywhere_in(1U, 5U);
  settings.probe_after_ms = anywhere_in<DurationMs>(1, 30) * kSecond;
  settings.probe_lease_ms = anywhere_in<DurationMs>(1, 180) * kSecond;
  return settings;
}

/// The state in the words of PlainBreaker.
std::string state_of(const Breaker& breaker) {
  if (breaker.manual) return "manual";
  if (breaker.circuit == Circuit::closed) return "closed";
  return breaker.circuit == Circuit::open ? "open" : "half_open";
}

void check_same(const Breaker& breaker, const BreakerSettings& settings, const PlainBreaker& plain, TimeMs now) {
  RC_ASSERT(state_of(breaker) == plain.state());
  RC_ASSERT(breaker.consecutive_failures == plain.failures);
  RC_ASSERT(breaker.generation == plain.generation);
  RC_ASSERT(probe_available(breaker, settings, now) == plain.may_probe());
  RC_ASSERT(probe_due(breaker, settings, now) == plain.must_probe(now));
  std::map<std::uint64_t, TimeMs> leases;
  for (const auto& lease : breaker.taken_leases()) leases[lease.attempt] = lease.expires_at_ms;
  RC_ASSERT(leases == plain.probes());
  RC_ASSERT(leases.size() == breaker.taken_leases().size());
  if (breaker.circuit == Circuit::open) RC_ASSERT(reopens_at(breaker, settings, now) == plain.ends_at().value_or(0));
}

constexpr std::array kFailureKinds = {FailureKind::provider, FailureKind::provider, FailureKind::provider,
                                      FailureKind::provider, FailureKind::provider, FailureKind::provider,
                                      FailureKind::issuer,   FailureKind::issuer,   FailureKind::customer};

/// One step of both, chosen at random. Probes come from few attempts, so that outcomes often meet them.
void step(Breaker& breaker, const BreakerSettings& settings, PlainBreaker& plain, TimeMs now) {
  const auto attempt = anywhere_in<std::uint64_t>(1, 9);
  const int kind = anywhere_in(0, 20);
  plain.pass_time(now);
  if (kind < 12) {
    const Outcome outcome = kind < 3 ? success() : failure(kFailureKinds[static_cast<std::size_t>(kind - 3)]);
    breaker = after_outcome(breaker, settings, outcome, attempt, now);
    plain.report(outcome, attempt, now);
  } else if (kind < 16) {
    breaker = after_event(breaker, settings, TakeProbe{attempt, {}}, now);
    plain.take_probe(attempt, now);
  } else if (kind == 16) {
    const TimeMs until = now + anywhere_in<DurationMs>(0, kHour);
    breaker = after_event(breaker, settings, ExtendProbe{attempt, until}, now);
    plain.extend_probe(attempt, until);
  } else if (kind == 17) {
    const bool expires = *rc::gen::arbitrary<bool>();
    const TimeMs at = now + anywhere_in<DurationMs>(1, kHour);
    breaker = after_event(breaker, settings, OpenManually{expires ? at : 0}, now);
    plain.open_manually(expires ? std::optional(at) : std::nullopt);
  } else if (kind == 18) {
    breaker = after_event(breaker, settings, CloseManually{}, now);
    plain.close_manually();
  } else {
    breaker = after_event(breaker, settings, ReturnToAutomatic{}, now);
    plain.return_to_automatic(now);
  }
}

RC_GTEST_PROP(BreakerModel, AgreesWithTheTableOverAnyHistory, ()) {
  const BreakerSettings settings = some_settings();
  Breaker breaker;
  PlainBreaker plain(settings);
  TimeMs now = kStart;
  const int steps = anywhere_in(1, 200);
  for (int i = 0; i < steps; ++i) {
    const int pace = anywhere_in(0, 10);
    if (pace >= 5) now += anywhere_in<DurationMs>(0, pace < 9 ? 20 * kSecond : 10 * kMinute);
    if (pace == 4) now -= anywhere_in<DurationMs>(0, kMinute);
    step(breaker, settings, plain, now);
    check_same(breaker, settings, plain, now);
  }
}

RC_GTEST_PROP(BreakerModel, AskingAtAMomentSeesWhatTheMomentWillStore, ()) {
  const BreakerSettings settings = some_settings();
  Breaker breaker;
  PlainBreaker plain(settings);
  TimeMs now = kStart;
  for (int i = 0; i < 50; ++i) {
    now += anywhere_in<DurationMs>(0, 20 * kSecond);
    step(breaker, settings, plain, now);
    const TimeMs later = now + anywhere_in<DurationMs>(0, kHour);
    const Breaker stored = after_event(breaker, settings, TimePassed{}, later);
    RC_ASSERT(circuit_at(breaker, later) == stored.circuit);
    RC_ASSERT(manual_at(breaker, later) == (stored.manual && stored.circuit == Circuit::open));
    RC_ASSERT(probe_available(breaker, settings, later) == probe_available(stored, settings, later));
    RC_ASSERT(probe_due(breaker, settings, later) == probe_due(stored, settings, later));
    RC_ASSERT(reopens_at(breaker, settings, later) == reopens_at(stored, settings, later));
  }
}

}  // namespace
}  // namespace turnout::core
