#include <gtest/gtest.h>

#include "engine/engine.h"

// The counters that operators see.

namespace turnout::engine {
namespace {

constexpr DurationMs kTimeout = 120 * kSecond;

TEST(MinuteCounter, CountsTheLastSixtySeconds) {
  MinuteCounter counter;
  for (int second = 0; second < 200; ++second) {
    counter.add(kStart + second * kSecond);
    counter.add(kStart + second * kSecond + 999);
  }
  const TimeMs last = kStart + 199 * kSecond;
  EXPECT_EQ(counter.last_minute(last + 999), 120U);
  EXPECT_EQ(counter.last_minute(last + 30 * kSecond), 60U);
  EXPECT_EQ(counter.last_minute(last + 59 * kSecond), 2U);
  EXPECT_EQ(counter.last_minute(last + 60 * kSecond), 0U);
  EXPECT_EQ(counter.last_minute(last + kDay), 0U);
}

TEST(MinuteCounter, AClockSetBackCountsAnew) {
  MinuteCounter counter;
  counter.add(kStart);
  counter.add(kStart - kHour);
  EXPECT_EQ(counter.last_minute(kStart - kHour), 1U);
}

TEST(InFlightCounter, IsExactWithDecisionIds) {
  InFlightCounter counter;
  for (int i = 0; i < 100; ++i) counter.decided(kStart + i * kSecond, kTimeout);
  const TimeMs now = kStart + 100 * kSecond;
  EXPECT_EQ(counter.count(now, kTimeout), 100U);
  for (int i = 0; i < 100; i += 2) counter.resolved(kStart + i * kSecond, Moment::exact, kTimeout);
  EXPECT_EQ(counter.count(now, kTimeout), 50U);
  for (int i = 1; i < 100; i += 2) counter.resolved(kStart + i * kSecond, Moment::exact, kTimeout);
  EXPECT_EQ(counter.count(now, kTimeout), 0U);
}

TEST(InFlightCounter, ADecisionWithoutAnOutcomeLeavesAfterTheTimeOut) {
  InFlightCounter counter;
  counter.decided(kStart, kTimeout);
  EXPECT_EQ(counter.count(kStart + kTimeout - 1, kTimeout), 1U);
  EXPECT_EQ(counter.count(kStart + kTimeout * 103 / 100, kTimeout), 0U);
  counter.resolved(kStart, Moment::exact, kTimeout);
  EXPECT_EQ(counter.count(kStart + kTimeout * 103 / 100, kTimeout), 0U);
}

TEST(InFlightCounter, AnOutcomeOfADecisionThatHasLeftTakesNothingFromOthers) {
  InFlightCounter counter;
  const TimeMs later = kStart + 2 * kTimeout;
  counter.decided(kStart, kTimeout);
  for (int i = 0; i < 64; ++i) counter.decided(later + i * 2 * kSecond, kTimeout);
  const auto before = counter.count(later + 120 * kSecond, kTimeout);
  for (const auto moment : {Moment::exact, Moment::guessed}) counter.resolved(kStart, moment, kTimeout);
  counter.resolved(kStart + kDay, Moment::exact, kTimeout);  // an id that somebody made up
  EXPECT_EQ(counter.count(later + 120 * kSecond, kTimeout), before);
}

TEST(InFlightCounter, IsCloseWithoutDecisionIds) {
  // One decision every ten seconds, whose outcome comes three seconds later and says that it took two.
  InFlightCounter counter;
  for (int i = 0; i < 100; ++i) {
    const TimeMs at = kStart + i * 10 * kSecond;
    counter.decided(at, kTimeout);
    counter.resolved(at + kSecond, Moment::guessed, kTimeout);
    EXPECT_LE(counter.count(at + 3 * kSecond, kTimeout), 1U) << i;
  }
  // A hundred a second, whose outcomes come a second later and say 900 ms.
  for (int i = 0; i < 100; ++i) counter.decided(kStart + kHour + i * 10, kTimeout);
  for (int i = 100; i < 50'000; ++i) {
    counter.decided(kStart + kHour + i * 10, kTimeout);
    counter.resolved(kStart + kHour + i * 10 - 900, Moment::guessed, kTimeout);
  }
  EXPECT_NEAR(static_cast<double>(counter.count(kStart + kHour + 500 * kSecond, kTimeout)), 90, 5);
}

TEST(InFlightCounter, NeverGoesBelowNothing) {
  InFlightCounter counter;
  for (int i = 0; i < 10; ++i) counter.resolved(kStart, Moment::guessed, kTimeout);
  EXPECT_EQ(counter.count(kStart, kTimeout), 0U);
}

class ActivityOfAnEngine : public ::testing::Test {
 protected:
  ActivityOfAnEngine() { engine.configure(channel_of({"stripe"})); }
  [[nodiscard]] std::uint64_t in_flight() const { return engine.activity("stripe").in_flight(engine.now, kTimeout); }

  store::MemoryStore memory;
  Engine engine{memory.stores(), 2};
};

TEST_F(ActivityOfAnEngine, DecisionsAreCountedByReasonOverAllWorkers) {
  engine.route("t1", {}, 0);
  engine.route("t2", {}, 1);
  auto settings = channel_of({"stripe"});
  settings.epsilon = 1;
  engine.configure(settings);
  engine.route("t3", {}, 1);
  engine.route("t4", {.exclude = {"stripe"}});
  const auto& activity = engine.activity("stripe");
  EXPECT_EQ(activity.decisions(core::Reason::exploited), 2U);
  EXPECT_EQ(activity.decisions(core::Reason::explored), 1U);
  EXPECT_EQ(activity.decisions_last_minute(engine.now), 3U);
  EXPECT_EQ(in_flight(), 3U);
  EXPECT_EQ(engine.channel()->no_provider(), 1U);
}

TEST_F(ActivityOfAnEngine, OutcomesAreCountedByKindOverAllWorkers) {
  engine.report("t1", "stripe", success(), {}, 0);
  engine.report("t2", "stripe", failure(core::FailureKind::provider), {}, 1);
  engine.report("t3", "stripe", failure(core::FailureKind::issuer), {}, 0);
  engine.report("t4", "stripe", failure(core::FailureKind::customer), {}, 1);
  engine.report("t4", "stripe", failure(core::FailureKind::customer), {}, 1);
  for (std::size_t kind = 0; kind < kOutcomeKinds; ++kind) EXPECT_EQ(engine.activity("stripe").outcomes(kind), 1U);
}

TEST_F(ActivityOfAnEngine, AnOutcomeEndsItsDecisionWithOrWithoutItsId) {
  const Decided one = engine.route("t1");
  engine.route("t2");
  engine.now += 50 * kSecond;
  EXPECT_EQ(in_flight(), 2U);
  engine.report("t1", one.provider, success(), one.answer.decision_id);
  EXPECT_EQ(in_flight(), 1U);
  engine.report("t2", one.provider, success());
  EXPECT_EQ(in_flight(), 0U);
}

TEST_F(ActivityOfAnEngine, APendingTransactionIsInFlightUntilItsEnd) {
  const Decided decided = engine.route("t1");
  engine.pending("t1", "stripe", {}, decided.answer.decision_id);
  EXPECT_EQ(in_flight(), 1U);
  engine.now += kSecond;
  engine.webhook("t1", "stripe", true);
  EXPECT_EQ(in_flight(), 0U) << "the id came with the pending report";
}

TEST(DurationHistogram, PutsADurationInItsBucket) {
  DurationHistogram histogram;
  histogram.add(1);
  histogram.add(900);
  histogram.add(1100);  // beyond 1 µs
  histogram.add(999'999'999);
  histogram.add(2'000'000'000);  // beyond the last bound
  EXPECT_EQ(histogram.count(0), 2U);
  EXPECT_EQ(histogram.count(1), 1U);
  EXPECT_EQ(histogram.count(DurationHistogram::kBounds.size() - 1), 1U);
  EXPECT_EQ(histogram.count(DurationHistogram::kBounds.size()), 1U);
  EXPECT_NEAR(histogram.sum_seconds(), 3.000002, 1e-8);
}

}  // namespace
}  // namespace turnout::engine
