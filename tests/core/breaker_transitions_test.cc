#include "core/breaker_transitions.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/builders.h"

namespace turnout::core {
namespace {

constexpr std::uint64_t kProbe = 77;
constexpr std::uint64_t kOther = 88;

Breaker closed_with(std::uint32_t consecutive_failures) {
  Breaker breaker;
  breaker.consecutive_failures = consecutive_failures;
  return breaker;
}

/// Half-open after f failures, with the probe kProbe out until a minute from kStart.
Breaker probing(std::uint32_t consecutive_failures = 5) {
  Breaker breaker = half_open_since(kStart, consecutive_failures);
  lease(breaker, kProbe, kStart + kMinute);
  return breaker;
}

Breaker with_probes_out(std::initializer_list<std::uint64_t> attempts) {
  Breaker breaker = half_open_since(kStart);
  for (const std::uint64_t attempt : attempts) lease(breaker, attempt, kStart + kMinute);
  return breaker;
}

BreakerSettings with_threshold(std::uint32_t threshold) {
  BreakerSettings settings;
  settings.failure_threshold = threshold;
  return settings;
}

BreakerSettings with_probes(std::uint32_t probes) {
  BreakerSettings settings;
  settings.half_open_probes = probes;
  return settings;
}

Breaker take_probe(const Breaker& breaker, std::uint64_t attempt, TimeMs now, const BreakerSettings& settings = {}) {
  return after_event(breaker, settings, TakeProbe{attempt, Uuid{1, attempt}}, now);
}

Breaker pass_time(const Breaker& breaker, TimeMs now) { return after_event(breaker, {}, TimePassed{}, now); }

TEST(BreakerOutcome, FollowsTheTable) {
  struct Case {
    std::string name;
    Breaker before;
    std::uint32_t threshold;
    Outcome outcome;
    std::uint64_t attempt;
    Circuit circuit;
    std::uint32_t consecutive_failures;
    std::uint64_t transitions;
    DurationMs open_for;  ///< 0: does not open
  };
  const auto issuer = failure(FailureKind::issuer);
  const auto customer = failure(FailureKind::customer);
  const Case cases[] = {
      {"4 failures, success", closed_with(4), 5, success(), kOther, Circuit::closed, 0, 0, 0},
      {"4 failures, issuer", closed_with(4), 5, issuer, kOther, Circuit::closed, 4, 0, 0},
      {"4 failures, customer", closed_with(4), 5, customer, kOther, Circuit::closed, 4, 0, 0},
      {"3 failures, failure", closed_with(3), 5, failure(), kOther, Circuit::closed, 4, 0, 0},
      {"4 failures, failure", closed_with(4), 5, failure(), kOther, Circuit::open, 5, 1, 30'000},
      {"threshold 1", closed_with(0), 1, failure(), kOther, Circuit::open, 1, 1, 30'000},
      {"threshold 3, second failure", closed_with(1), 3, failure(), kOther, Circuit::closed, 2, 0, 0},
      {"threshold 3, third failure", closed_with(2), 3, failure(), kOther, Circuit::open, 3, 1, 30'000},
      {"threshold lowered below the count", closed_with(7), 3, failure(), kOther, Circuit::open, 8, 1, 60'000},
      {"threshold 20", closed_with(18), 20, failure(), kOther, Circuit::closed, 19, 0, 0},
      {"open, failure in flight", open_until(kStart + 10'000, 5), 5, failure(), kOther, Circuit::open, 6, 0, 10'000},
      {"open, success in flight", open_until(kStart + 10'000, 7), 5, success(), kOther, Circuit::open, 0, 0, 10'000},
      {"open, issuer in flight", open_until(kStart + 10'000, 7), 5, issuer, kOther, Circuit::open, 7, 0, 10'000},
      {"probe succeeds", probing(9), 5, success(), kProbe, Circuit::closed, 0, 1, 0},
      {"probe fails at 5", probing(5), 5, failure(), kProbe, Circuit::open, 6, 1, 30'000},
      {"probe fails at 9", probing(9), 5, failure(), kProbe, Circuit::open, 10, 1, 60'000},
      {"probe fails at 14", probing(14), 5, failure(), kProbe, Circuit::open, 15, 1, 120'000},
      {"probe fails at 24", probing(24), 5, failure(), kProbe, Circuit::open, 25, 1, 300'000},
      {"probe fails at 5, threshold 2", probing(5), 2, failure(), kProbe, Circuit::open, 6, 1, 120'000},
      {"probe ends issuer", probing(), 5, issuer, kProbe, Circuit::half_open, 5, 0, 0},
      {"probe ends customer", probing(), 5, customer, kProbe, Circuit::half_open, 5, 0, 0},
      {"half-open, success admitted before", probing(), 5, success(), kOther, Circuit::half_open, 5, 0, 0},
      {"half-open, failure admitted before", probing(), 5, failure(), kOther, Circuit::half_open, 5, 0, 0},
      {"half-open, no probe out, success", half_open_since(kStart), 5, success(), kOther, Circuit::half_open, 5, 0, 0},
      {"by hand, success", manually_open(), 5, success(), kOther, Circuit::open, 0, 0, 0},
      {"by hand, failure", manually_open(), 5, failure(), kOther, Circuit::open, 1, 0, 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Breaker after = after_outcome(c.before, with_threshold(c.threshold), c.outcome, c.attempt, kStart + 1);
    EXPECT_EQ(after.circuit, c.circuit);
    EXPECT_EQ(after.consecutive_failures, c.consecutive_failures);
    EXPECT_EQ(after.generation, c.before.generation + c.transitions);
    EXPECT_EQ(after.manual, c.before.manual);
    if (c.open_for == 0) continue;
    const bool opened = c.transitions > 0;
    EXPECT_EQ(after.opened_at_ms, opened ? kStart + 1 : c.before.opened_at_ms);
    EXPECT_EQ(after.half_open_at_ms, opened ? kStart + 1 + c.open_for : c.before.half_open_at_ms);
  }
}

TEST(BreakerOutcome, FailuresInARowOpenItOnceAndNotBefore) {
  for (const std::uint32_t threshold : {1U, 2U, 3U, 5U, 10U, 20U}) {
    Breaker breaker;
    for (std::uint32_t failures = 1; failures <= threshold + 1; ++failures) {
      breaker = after_outcome(breaker, with_threshold(threshold), failure(), failures, kStart);
      EXPECT_EQ(breaker.circuit, failures < threshold ? Circuit::closed : Circuit::open);
      EXPECT_EQ(breaker.generation, failures < threshold ? 0U : 1U) << "a failure more makes no second transition";
      EXPECT_EQ(breaker.consecutive_failures, failures);
    }
    EXPECT_EQ(breaker.half_open_at_ms, kStart + 30'000);
  }
}

TEST(BreakerOutcome, FailuresWhileOpenLengthenOnlyTheNextPeriod) {
  Breaker breaker = open_until(kStart + 30'000, 5);
  for (std::uint64_t attempt = 0; attempt < 5; ++attempt) {
    breaker = after_outcome(breaker, {}, failure(), attempt, kStart + 1);
  }
  EXPECT_EQ(breaker.half_open_at_ms, kStart + 30'000);
  EXPECT_EQ(breaker.generation, 1U);
  breaker = take_probe(breaker, kProbe, kStart + 30'000);
  breaker = after_outcome(breaker, {}, failure(), kProbe, kStart + 31'000);
  EXPECT_EQ(breaker.consecutive_failures, 11U);
  EXPECT_EQ(breaker.half_open_at_ms, kStart + 31'000 + 60'000);
  EXPECT_EQ(breaker.generation, 3U);
}

TEST(BreakerOutcome, AnOutcomeAfterTheOpenPeriodIsNotAProbe) {
  const Breaker after = after_outcome(open_until(kStart), {}, success(), kOther, kStart);
  EXPECT_EQ(after.circuit, Circuit::half_open);
  EXPECT_EQ(after.generation, 2U);
  EXPECT_EQ(after.consecutive_failures, 5U);
}

TEST(BreakerOutcome, ALostProbeHasNoSayAnyMore) {
  EXPECT_EQ(after_outcome(probing(), {}, success(), kProbe, kStart + kMinute - 1).circuit, Circuit::closed);
  const Breaker after = after_outcome(probing(), {}, success(), kProbe, kStart + kMinute);
  EXPECT_EQ(after.circuit, Circuit::half_open);
  EXPECT_EQ(after.lease_count, 0);
}

TEST(BreakerOutcome, AProbeOfAnEarlierGenerationHasNoSay) {
  Breaker breaker = take_probe(half_open_since(kStart), kProbe, kStart);
  breaker = take_probe(breaker, kOther, kStart, with_probes(2));
  breaker = after_outcome(breaker, {}, failure(), kProbe, kStart + 1);
  EXPECT_EQ(breaker.circuit, Circuit::open);
  EXPECT_EQ(breaker.lease_count, 0);
  breaker = pass_time(breaker, breaker.half_open_at_ms);
  ASSERT_EQ(breaker.circuit, Circuit::half_open);
  EXPECT_EQ(after_outcome(breaker, {}, success(), kOther, breaker.half_open_at_ms), breaker);
}

TEST(BreakerOutcome, ManyFailuresDoNotOverflow) {
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(after_outcome(open_until(kStart + 1, kMost), {}, failure(), kOther, kStart).consecutive_failures, kMost);
}

TEST(Probe, OfTheDefaultIsTakenByOneDecisionOnly) {
  Breaker breaker = take_probe(open_until(kStart), kProbe, kStart);
  EXPECT_EQ(breaker.circuit, Circuit::half_open);
  EXPECT_EQ(breaker.generation, 2U);
  EXPECT_TRUE(holds_probe(breaker, kProbe, kStart));
  EXPECT_EQ(breaker.leases[0], (ProbeLease{kProbe, Uuid{1, kProbe}, kStart + 120 * kSecond}));
  EXPECT_EQ(breaker.last_probe_at_ms, kStart);
  for (std::uint64_t attempt = 1000; attempt < 1100; ++attempt) {
    const Breaker after = take_probe(breaker, attempt, kStart + kSecond);
    EXPECT_EQ(after, breaker);
    EXPECT_FALSE(holds_probe(after, attempt, kStart + kSecond));
  }
}

TEST(Probe, UpToTheAllowedNumberAreOutAtOnce) {
  for (std::uint32_t allowed = 1; allowed <= Breaker::kMaxProbes; ++allowed) {
    Breaker breaker = half_open_since(kStart);
    for (std::uint64_t attempt = 1; attempt <= 10; ++attempt) {
      breaker = take_probe(breaker, attempt, kStart, with_probes(allowed));
    }
    EXPECT_EQ(breaker.lease_count, allowed);
    for (std::uint64_t attempt = 1; attempt <= 10; ++attempt) {
      EXPECT_EQ(holds_probe(breaker, attempt, kStart), attempt <= allowed);
    }
  }
}

TEST(Probe, IsHeldOnceByAnAttempt) {
  const Breaker breaker = take_probe(half_open_since(kStart), kProbe, kStart, with_probes(3));
  EXPECT_EQ(take_probe(breaker, kProbe, kStart + kSecond, with_probes(3)), breaker);
}

TEST(Probe, LostExpiresAndTheNextDecisionMayProbe) {
  BreakerSettings settings;
  settings.probe_lease_ms = 45 * kSecond;
  Breaker breaker = take_probe(half_open_since(kStart), kProbe, kStart, settings);
  EXPECT_FALSE(holds_probe(take_probe(breaker, kOther, kStart + 44'999, settings), kOther, kStart + 44'999));
  breaker = take_probe(breaker, kOther, kStart + 45'000, settings);
  EXPECT_TRUE(holds_probe(breaker, kOther, kStart + 45'000));
  EXPECT_FALSE(holds_probe(breaker, kProbe, kStart + 45'000));
  EXPECT_EQ(breaker.generation, 2U) << "a lost probe is no transition";
  EXPECT_EQ(breaker.lease_count, 1);
}

TEST(Probe, WithoutAVerdictFreesItsLeaseOnly) {
  for (const FailureKind kind : {FailureKind::issuer, FailureKind::customer}) {
    Breaker breaker = with_probes_out({1, kProbe, 3});
    breaker = after_outcome(breaker, {}, failure(kind), kProbe, kStart + 1);
    EXPECT_EQ(breaker.circuit, Circuit::half_open);
    EXPECT_EQ(breaker.lease_count, 2);
    EXPECT_TRUE(holds_probe(breaker, 1, kStart + 1));
    EXPECT_FALSE(holds_probe(breaker, kProbe, kStart + 1));
    EXPECT_TRUE(holds_probe(breaker, 3, kStart + 1));
    EXPECT_TRUE(holds_probe(take_probe(breaker, 4, kStart + 1, with_probes(3)), 4, kStart + 1));
  }
}

TEST(Probe, EndsAllProbesWithItsVerdict) {
  const Breaker closed = after_outcome(with_probes_out({1, 2}), with_probes(2), success(), 2, kStart);
  EXPECT_EQ(closed.circuit, Circuit::closed);
  EXPECT_EQ(closed.lease_count, 0);
  const Breaker opened = after_outcome(with_probes_out({1, 2}), with_probes(2), failure(), 1, kStart);
  EXPECT_EQ(opened.circuit, Circuit::open);
  EXPECT_EQ(opened.lease_count, 0);
}

TEST(Probe, OfAPendingPaymentLastsUntilItIsResolved) {
  const ExtendProbe extend{kProbe, kStart + kHour};
  const Breaker extended = after_event(probing(), {}, extend, kStart + 1);
  EXPECT_TRUE(holds_probe(extended, kProbe, kStart + kHour - 1));
  EXPECT_EQ(after_event(extended, {}, ExtendProbe{kProbe, kStart + kMinute}, kStart + 2), extended) << "never shorter";
  EXPECT_EQ(after_event(probing(), {}, ExtendProbe{kOther, kStart + kHour}, kStart + 1), probing()) << "not a probe";
  EXPECT_EQ(after_event(probing(), {}, extend, kStart + kMinute).lease_count, 0) << "too late";
}

TEST(Probe, IsRefusedUnlessHalfOpen) {
  for (const Breaker& breaker : {Breaker{}, open_until(kStart + 1), manually_open()}) {
    EXPECT_EQ(take_probe(breaker, kProbe, kStart), breaker);
    EXPECT_FALSE(holds_probe(breaker, kProbe, kStart));
  }
}

TEST(ManualOpening, HoldsWhateverHappens) {
  const Breaker starts[] = {Breaker{}, closed_with(4), open_until(kStart + 1), probing(), manually_open(kStart + 1)};
  for (const Breaker& start : starts) {
    Breaker breaker = after_event(start, {}, OpenManually{}, kStart);
    EXPECT_EQ(breaker.circuit, Circuit::open);
    EXPECT_TRUE(breaker.manual);
    EXPECT_EQ(breaker.generation, start.generation + 1);
    EXPECT_EQ(breaker.opened_at_ms, kStart);
    EXPECT_EQ(breaker.lease_count, 0);
    for (std::uint64_t attempt = 0; attempt < 100; ++attempt) {
      breaker = after_outcome(breaker, {}, success(), attempt, kStart + kHour);
    }
    breaker = after_outcome(breaker, {}, success(), kProbe, kStart + kHour);
    breaker = pass_time(take_probe(breaker, kOther, kStart + kHour), kStart + kDay);
    EXPECT_TRUE(manual_at(breaker, kStart + kDay));
    EXPECT_EQ(breaker.generation, start.generation + 1);
  }
}

TEST(ManualOpening, EndsAtItsExpiry) {
  Breaker breaker = after_event(closed_with(4), {}, OpenManually{kStart + 60'000}, kStart);
  breaker = pass_time(breaker, kStart + 59'999);
  EXPECT_TRUE(manual_at(breaker, kStart + 59'999));
  breaker = pass_time(breaker, kStart + 60'000);
  EXPECT_EQ(breaker.circuit, Circuit::closed);
  EXPECT_FALSE(breaker.manual);
  EXPECT_EQ(breaker.consecutive_failures, 0U);
  EXPECT_EQ(breaker.generation, 2U);
}

TEST(ManualClosing, ResetsFromEverywhere) {
  struct Case {
    std::string name;
    Breaker before;
    std::uint64_t transitions;
  };
  const Case cases[] = {
      {"by hand", manually_open(), 1},        {"by hand for a time", manually_open(kStart + kHour), 1},
      {"open", open_until(kStart + 1), 1},    {"open period over", open_until(kStart), 2},
      {"half-open, probe out", probing(), 1}, {"closed", closed_with(4), 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Breaker after = after_event(c.before, {}, CloseManually{}, kStart);
    EXPECT_EQ(after.circuit, Circuit::closed);
    EXPECT_FALSE(after.manual);
    EXPECT_EQ(after.consecutive_failures, 0U);
    EXPECT_EQ(after.lease_count, 0);
    EXPECT_EQ(after.generation, c.before.generation + c.transitions);
  }
}

TEST(ReturnToAutomatic, ClosesOrLetsAProbeDecide) {
  Breaker failing = manually_open();
  failing.consecutive_failures = 5;
  Breaker healthy = manually_open();
  healthy.consecutive_failures = 4;

  const Breaker closed = after_event(healthy, {}, ReturnToAutomatic{}, kStart);
  EXPECT_EQ(closed.circuit, Circuit::closed);
  EXPECT_FALSE(closed.manual);
  EXPECT_EQ(closed.consecutive_failures, 0U);

  const Breaker probed = after_event(failing, {}, ReturnToAutomatic{}, kStart);
  EXPECT_EQ(probed.circuit, Circuit::half_open);
  EXPECT_FALSE(probed.manual);
  EXPECT_EQ(probed.generation, 2U);
  EXPECT_FALSE(probe_due(probed, {}, kStart + 9'999));
  EXPECT_TRUE(probe_due(probed, {}, kStart + 10'000));
  EXPECT_EQ(after_event(healthy, with_threshold(4), ReturnToAutomatic{}, kStart).circuit, Circuit::half_open);

  for (const Breaker& automatic : {closed_with(4), open_until(kStart + 1), probing()}) {
    EXPECT_EQ(after_event(automatic, {}, ReturnToAutomatic{}, kStart), automatic);
  }
}

TEST(TimePassed, StoresWhatTimeDid) {
  const Breaker half_open = pass_time(open_until(kStart), kStart + kSecond);
  EXPECT_EQ(half_open.circuit, Circuit::half_open);
  EXPECT_EQ(half_open.generation, 2U);
  EXPECT_EQ(half_open.last_probe_at_ms, kStart) << "untried since the period ended, not since it was noticed";
  EXPECT_EQ(pass_time(half_open, kStart + kDay), half_open) << "stored once";
  EXPECT_EQ(pass_time(open_until(kStart), kStart - 1), open_until(kStart));
  EXPECT_EQ(pass_time(probing(), kStart + kMinute).lease_count, 0);
}

TEST(TimePassed, BackwardsChangesNothing) {
  for (const Breaker& breaker : {closed_with(4), open_until(kStart + 1), probing(), manually_open(kStart + 1)}) {
    EXPECT_EQ(pass_time(breaker, kStart - kHour), breaker);
  }
}

}  // namespace
}  // namespace turnout::core
