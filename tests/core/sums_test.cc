#include "core/sums.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/builders.h"

namespace turnout::core {
namespace {

constexpr Forgetting kWindow{Forgetting::Kind::window, kHour};
constexpr Forgetting kHalfLife{Forgetting::Kind::half_life, 6 * kHour};
constexpr Sample kSuccess{.counts = true, .success = true, .latency_ms = std::nullopt};
constexpr Sample kFailure{.counts = true, .success = false, .latency_ms = std::nullopt};

void add_times(int times, Sums& sums, const Forgetting& forgetting, const Sample& sample, TimeMs now) {
  for (int i = 0; i < times; ++i) add(sums, forgetting, sample, now);
}

void expect_counts(const Sums& sums, TimeMs now, double successes, double total) {
  const EffectiveCounts counts = effective_counts(sums, now);
  EXPECT_NEAR(counts.successes, successes, 1e-9 * std::max(1.0, successes));
  EXPECT_NEAR(counts.total, total, 1e-9 * std::max(1.0, total));
}

TEST(SumsOfAWindow, CountUntilItEndsThenStartAgain) {
  Sums sums;
  add_times(97, sums, kWindow, kSuccess, kStart);
  add_times(3, sums, kWindow, kFailure, kStart + kMinute);
  expect_counts(sums, kStart + 59 * kMinute, 97, 100);
  expect_counts(sums, kStart + kHour - 1, 97, 100);
  expect_counts(sums, kStart + kHour, 0, 0);
  expect_counts(sums, kStart + 61 * kMinute, 0, 0);

  add(sums, kWindow, kFailure, kStart + 90 * kMinute);
  expect_counts(sums, kStart + 90 * kMinute, 0, 1);
  EXPECT_EQ(sums.landmark_ms, kStart + 90 * kMinute)
      << "the next window begins with the outcome that found the last one over";
  expect_counts(sums, kStart + 149 * kMinute, 0, 1);
  expect_counts(sums, kStart + 150 * kMinute, 0, 0);
}

TEST(SumsOfAWindow, BeginWithTheFirstOutcomeEvenInTheFirstHourOfTheEpoch) {
  Sums sums;
  add(sums, kWindow, kSuccess, 10 * kMinute);
  expect_counts(sums, 69 * kMinute, 1, 1);
  add(sums, kWindow, kSuccess, 69 * kMinute);
  expect_counts(sums, 69 * kMinute, 2, 2);
  expect_counts(sums, 70 * kMinute, 0, 0);
}

TEST(SumsOfAWindow, RestartWhenSwept) {
  Sums sums;
  add_times(100, sums, kWindow, kSuccess, kStart);
  EXPECT_FALSE(rebase_if_due(sums, kWindow, kStart + 59 * kMinute));
  EXPECT_TRUE(rebase_if_due(sums, kWindow, kStart + 61 * kMinute));
  expect_counts(sums, kStart + 61 * kMinute, 0, 0);
  EXPECT_EQ(sums.landmark_ms, kStart + 61 * kMinute);
  EXPECT_FALSE(rebase_if_due(sums, kWindow, kStart + 61 * kMinute));
}

TEST(SumsOfAHalfLife, HalveTheCountsAndKeepTheRatio) {
  Sums sums;
  add_times(100, sums, kHalfLife, kSuccess, kStart);
  expect_counts(sums, kStart + 6 * kHour, 50, 50);
  add_times(100, sums, kHalfLife, kFailure, kStart);
  expect_counts(sums, kStart, 100, 200);
  expect_counts(sums, kStart + 12 * kHour, 25, 50);
  expect_counts(sums, kStart + 60 * kHour, 100 * std::exp2(-10), 200 * std::exp2(-10));
}

TEST(SumsOfAHalfLife, AddNewerOutcomesWithMoreWeight) {
  Sums sums;
  add(sums, kHalfLife, kSuccess, kStart);
  add(sums, kHalfLife, kSuccess, kStart + 6 * kHour);
  EXPECT_DOUBLE_EQ(sums.total, 3);
  expect_counts(sums, kStart + 6 * kHour, 1.5, 1.5);
}

TEST(SumsOfAHalfLife, AreRescaledBeforeTheExponentPasses40) {
  Sums sums;
  for (int hours = 0; hours <= 6 * 500; ++hours) {
    add(sums, kHalfLife, kSuccess, kStart + hours * kHour);
    EXPECT_LT(kStart + hours * kHour - sums.landmark_ms, 240 * kHour);
    EXPECT_LT(sums.total, 1e14);
  }
  const double steady = 1 / (1 - std::exp2(-1.0 / 6));
  expect_counts(sums, kStart + 3000 * kHour, steady, steady);
}

TEST(SumsOfAHalfLife, AreEmptyAfterAVeryLongSilence) {
  Sums sums;
  add(sums, kHalfLife, {.counts = true, .success = true, .latency_ms = 500}, kStart);
  expect_counts(sums, kStart + 365 * kDay, 0, 0);
  EXPECT_FALSE(p95_ms(sums, kStart + 365 * kDay));
  add(sums, kHalfLife, kFailure, kStart + 365 * kDay);
  expect_counts(sums, kStart + 365 * kDay, 0, 1);
}

TEST(Sums, FeedTheHistogramWithWhatCountsOnly) {
  Sums sums;
  EXPECT_FALSE(p95_ms(sums, kStart));
  add(sums, kWindow, {.counts = false, .success = false, .latency_ms = 9000}, kStart);
  EXPECT_FALSE(p95_ms(sums, kStart));
  add(sums, kWindow, kSuccess, kStart);
  EXPECT_FALSE(p95_ms(sums, kStart)) << "an outcome without a latency";
  add(sums, kWindow, {.counts = true, .success = false, .latency_ms = 2250}, kStart);
  EXPECT_NEAR(p95_ms(sums, kStart).value(), 2250, 2250 * 0.03);
  EXPECT_FALSE(p95_ms(sums, kStart + kHour)) << "the window has ended";
  for (int i = 0; i < 10; ++i) add(sums, kWindow, {.counts = true, .success = true, .latency_ms = 100}, kStart + kHour);
  EXPECT_NEAR(p95_ms(sums, kStart + kHour).value(), 100, 3) << "nothing is left of the window before";
}

TEST(Sums, LetOldLatenciesFadeWithTheCounts) {
  Sums sums;
  for (int i = 0; i < 100; ++i) add(sums, kHalfLife, {.counts = true, .success = true, .latency_ms = 4000}, kStart);
  // 100 slow ones of 10 half-lives ago weigh 0.1 against 10 fresh ones.
  for (int i = 0; i < 10; ++i) {
    add(sums, kHalfLife, {.counts = true, .success = true, .latency_ms = 100}, kStart + 60 * kHour);
  }
  EXPECT_NEAR(p95_ms(sums, kStart + 60 * kHour).value(), 100, 3);
}

TEST(Sums, NeitherClearNorCreditAnythingWhenTheClockStepsBack) {
  for (const Forgetting& forgetting : {kWindow, kHalfLife}) {
    Sums sums;
    add_times(10, sums, forgetting, kSuccess, kStart);
    expect_counts(sums, kStart - kHour, 10, 10);
    EXPECT_FALSE(rebase_if_due(sums, forgetting, kStart - kDay));
    add(sums, forgetting, kFailure, kStart - kHour);
    expect_counts(sums, kStart - kHour, 10, 11);
    expect_counts(sums, kStart, 10, 11);
    EXPECT_EQ(sums.landmark_ms, kStart);
  }
}

TEST(Sums, GoOnUnderAChangedRule) {
  struct Case {
    std::string name;
    Forgetting before;
    Forgetting after;
    DurationMs changed_after;
    double counted;  ///< at the change, of 64
    TimeMs landmark;
  };
  const Forgetting short_window{Forgetting::Kind::window, 30 * kMinute};
  const Forgetting long_window{Forgetting::Kind::window, kDay};
  const Forgetting other_half_life{Forgetting::Kind::half_life, kHour};
  const Case cases[] = {
      {"longer window keeps its start", kWindow, long_window, 50 * kMinute, 64, kStart},
      {"shorter window that is not over", kWindow, short_window, 20 * kMinute, 64, kStart},
      {"shorter window that is over by the new rule", kWindow, short_window, 50 * kMinute, 0, kStart + 50 * kMinute},
      {"window to half-life", kWindow, kHalfLife, 50 * kMinute, 64, kStart + 50 * kMinute},
      {"ended window to half-life", kWindow, kHalfLife, 61 * kMinute, 0, kStart + 61 * kMinute},
      {"half-life to window", kHalfLife, kWindow, 12 * kHour, 16, kStart + 12 * kHour},
      {"half-life to half-life", kHalfLife, other_half_life, 6 * kHour, 32, kStart + 6 * kHour},
      {"half-life to window, clock stepped back", kHalfLife, kWindow, -kHour, 64, kStart},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Sums sums;
    add_times(64, sums, c.before, kSuccess, kStart);
    const TimeMs now = kStart + c.changed_after;
    EXPECT_TRUE(rebase_if_due(sums, c.after, now));
    EXPECT_EQ(sums.forgetting, c.after);
    EXPECT_EQ(sums.landmark_ms, c.landmark);
    expect_counts(sums, now, c.counted, c.counted);
    EXPECT_FALSE(rebase_if_due(sums, c.after, now));
  }
}

TEST(Sums, AskingChangesNothing) {
  Sums sums;
  add(sums, kHalfLife, {.counts = true, .success = true, .latency_ms = 5}, kStart);
  const Sums before = sums;
  effective_counts(sums, kStart + kDay);
  p95_ms(sums, kStart + 400 * kDay);
  EXPECT_EQ(sums, before);
}

struct Event {
  TimeMs at_ms = 0;
  bool success = false;
};

/// Outcomes seconds, hours or hundreds of hours apart, now and then before the last one.
std::vector<Event> some_events() {
  const auto steps = *rc::gen::container<std::vector<std::pair<int, bool>>>(
      rc::gen::pair(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 100)), rc::gen::arbitrary<bool>()));
  std::vector<Event> events;
  TimeMs now = kStart;
  for (const auto& [step, is_success] : steps) {
    if (step < 50) {
      now += step * kSecond;
    } else if (step < 80) {
      now += step * kMinute;
    } else if (step < 95) {
      now += (step - 80) * 30 * kHour;
    } else {
      now -= (step - 90) * kHour;
    }
    events.push_back({now, is_success});
  }
  return events;
}

/// The rule written down naively: every outcome with its own age, and the landmark the rule speaks of.
struct NaiveHalfLife {
  double half_life_ms;
  TimeMs landmark_ms = 0;
  std::vector<Event> events;

  void add(Event event) {
    const auto exponent = static_cast<double>(event.at_ms - landmark_ms) / half_life_ms;
    if (events.empty() || exponent >= 40) landmark_ms = event.at_ms;
    event.at_ms = std::max(event.at_ms, landmark_ms);
    events.push_back(event);
  }

  [[nodiscard]] EffectiveCounts counts_at(TimeMs now) const {
    long double successes = 0;
    long double total = 0;
    for (const auto& event : events) {
      const auto age = static_cast<long double>(std::max(now, landmark_ms) - event.at_ms);
      const long double share = std::exp2(-age / static_cast<long double>(half_life_ms));
      total += share;
      if (event.success) successes += share;
    }
    return {static_cast<double>(successes), static_cast<double>(total)};
  }
};

RC_GTEST_PROP(SumsProperty, AHalfLifeEqualsTheNaiveSumOverAllOutcomes, ()) {
  const Forgetting forgetting{Forgetting::Kind::half_life, *rc::gen::inRange<DurationMs>(kMinute, 12 * kHour)};
  NaiveHalfLife naive{static_cast<double>(forgetting.span_ms), 0, {}};
  Sums sums;
  for (const Event& event : some_events()) {
    add(sums, forgetting, event.success ? kSuccess : kFailure, event.at_ms);
    naive.add(event);
    const TimeMs asked_at = event.at_ms + *rc::gen::inRange<DurationMs>(0, kHour);
    const EffectiveCounts counts = effective_counts(sums, asked_at);
    const EffectiveCounts expected = naive.counts_at(asked_at);
    RC_ASSERT(std::abs(counts.total - expected.total) <= 1e-9 * expected.total);
    RC_ASSERT(std::abs(counts.successes - expected.successes) <= 1e-9 * expected.total);
    RC_ASSERT(counts.successes <= counts.total);
  }
}

RC_GTEST_PROP(SumsProperty, AWindowCountsWhatCameSinceItsStart, ()) {
  const Forgetting forgetting{Forgetting::Kind::window, *rc::gen::inRange<DurationMs>(kMinute, 12 * kHour)};
  Sums sums;
  TimeMs start = 0;
  double successes = 0;
  double total = 0;
  for (const Event& event : some_events()) {
    if (start == 0 || event.at_ms >= start + forgetting.span_ms) {
      start = event.at_ms;
      successes = total = 0;
    }
    total += 1;
    if (event.success) successes += 1;
    add(sums, forgetting, event.success ? kSuccess : kFailure, event.at_ms);
    RC_ASSERT(effective_counts(sums, event.at_ms).successes == successes);
    RC_ASSERT(effective_counts(sums, event.at_ms).total == total);
    RC_ASSERT(effective_counts(sums, start + forgetting.span_ms - 1).total == total);
    RC_ASSERT(effective_counts(sums, start + forgetting.span_ms).total == 0);
  }
}

}  // namespace
}  // namespace turnout::core
