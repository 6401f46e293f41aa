#include "core/breaker.h"

#include <gtest/gtest.h>

#include <string>

#include "core/builders.h"

namespace turnout::core {
namespace {

BreakerSettings settings_of(std::uint32_t threshold, DurationMs open_for_ms, DurationMs max_open_for_ms) {
  BreakerSettings settings;
  settings.failure_threshold = threshold;
  settings.open_for_ms = open_for_ms;
  settings.max_open_for_ms = max_open_for_ms;
  return settings;
}

BreakerSettings with_probes(std::uint32_t probes) {
  BreakerSettings settings;
  settings.half_open_probes = probes;
  return settings;
}

TEST(OpenDuration, DoublesWithEveryFurtherThresholdOfFailures) {
  struct Case {
    BreakerSettings settings;
    std::uint32_t consecutive_failures;
    DurationMs expected_s;
  };
  const BreakerSettings defaults;
  const BreakerSettings of_three = settings_of(3, 10 * kSecond, kHour);
  const BreakerSettings of_one = settings_of(1, kSecond, kDay);
  const Case cases[] = {
      {defaults, 5, 30},
      {defaults, 6, 30},
      {defaults, 9, 30},
      {defaults, 10, 60},
      {defaults, 14, 60},
      {defaults, 15, 120},
      {defaults, 19, 120},
      {defaults, 20, 240},
      {defaults, 24, 240},
      {defaults, 25, 300},
      {defaults, 100, 300},
      {defaults, 0, 30},
      {defaults, 4, 30},
      {defaults, ~0U, 300},
      {of_three, 1, 10},
      {of_three, 3, 10},
      {of_three, 5, 10},
      {of_three, 6, 20},
      {of_three, 8, 20},
      {of_three, 9, 40},
      {of_three, 12, 80},
      {of_three, 14, 80},
      {of_three, 15, 100},
      {of_three, 300, 100},
      {of_one, 1, 1},
      {of_one, 2, 2},
      {of_one, 3, 4},
      {of_one, 4, 8},
      {of_one, 5, 10},
      {of_one, 6, 10},
      {settings_of(5, 30 * kSecond, 45 * kSecond), 5, 30},
      {settings_of(5, 30 * kSecond, 45 * kSecond), 10, 45},
      {settings_of(5, kMinute, 30 * kSecond), 5, 30},
      {settings_of(20, 5 * kSecond, kHour), 39, 5},
      {settings_of(20, 5 * kSecond, kHour), 40, 10},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(open_duration_ms(c.settings, c.consecutive_failures), c.expected_s * kSecond)
        << c.consecutive_failures << " failures at threshold " << c.settings.failure_threshold;
  }
}

TEST(Circuit, ChangesByTimeAlone) {
  struct Case {
    std::string name;
    Breaker breaker;
    DurationMs after;
    Circuit circuit;
    bool manual;
    double multiplier;
  };
  const Case cases[] = {
      {"fresh", {}, 0, Circuit::closed, false, 1},
      {"open for 30 s, 29 999 ms later", open_until(kStart + 30'000), 29'999, Circuit::open, false, 0},
      {"open for 30 s, 30 000 ms later", open_until(kStart + 30'000), 30'000, Circuit::half_open, false, 0.02},
      {"open, clock stepped back", open_until(kStart + 30'000), -kHour, Circuit::open, false, 0},
      {"half-open stays", half_open_since(kStart), 10 * kDay, Circuit::half_open, false, 0.02},
      {"half-open, clock stepped back", half_open_since(kStart), -kHour, Circuit::half_open, false, 0.02},
      {"by hand stays", manually_open(), 100 * kDay, Circuit::open, true, 0},
      {"by hand for 60 s, 59 999 ms later", manually_open(kStart + 60'000), 59'999, Circuit::open, true, 0},
      {"by hand for 60 s, 60 s later", manually_open(kStart + 60'000), 60'000, Circuit::closed, false, 1},
  };
  for (const auto& c : cases) {
    const TimeMs now = kStart + c.after;
    EXPECT_EQ(circuit_at(c.breaker, now), c.circuit) << c.name;
    EXPECT_EQ(manual_at(c.breaker, now), c.manual) << c.name;
    EXPECT_DOUBLE_EQ(circuit_multiplier(circuit_at(c.breaker, now)), c.multiplier) << c.name;
  }
}

TEST(ProbeAvailable, UpToTheAllowedNumberOfLiveLeases) {
  for (std::uint32_t allowed = 1; allowed <= Breaker::kMaxProbes; ++allowed) {
    Breaker breaker = half_open_since(kStart);
    for (std::uint32_t out = 0; out <= allowed; ++out) {
      EXPECT_EQ(probe_available(breaker, with_probes(allowed), kStart), out < allowed) << out << " of " << allowed;
      if (out < allowed) lease(breaker, out + 1, kStart + kMinute);
    }
    EXPECT_FALSE(probe_available(breaker, with_probes(allowed), kStart + kMinute - 1));
    EXPECT_TRUE(probe_available(breaker, with_probes(allowed), kStart + kMinute)) << "the leases expired";
  }
}

TEST(ProbeAvailable, OnlyWhileHalfOpen) {
  EXPECT_FALSE(probe_available({}, {}, kStart));
  EXPECT_FALSE(probe_available(open_until(kStart), {}, kStart - 1));
  EXPECT_TRUE(probe_available(open_until(kStart), {}, kStart));
  EXPECT_FALSE(probe_available(manually_open(), {}, kStart));
  EXPECT_FALSE(probe_available(manually_open(kStart), {}, kStart)) << "closed by its expiry";
}

TEST(ProbeDue, AfterProbeAfterWithoutATry) {
  struct Case {
    std::string name;
    Breaker breaker;
    DurationMs probe_after;
    DurationMs after;
    bool expected;
  };
  Breaker tried = half_open_since(kStart - kMinute);
  tried.last_probe_at_ms = kStart;
  Breaker out = tried;
  lease(out, 1, kStart + kMinute);
  const Case cases[] = {
      {"open for 30 s, never tried, 39 999 ms", open_until(kStart + 30'000), 10'000, 39'999, false},
      {"example: open for 30 s, never tried, 40 s", open_until(kStart + 30'000), 10'000, 40'000, true},
      {"stored half-open, never tried", half_open_since(kStart), 10'000, 10'000, true},
      {"tried since", tried, 10'000, 9'999, false},
      {"tried 10 s ago", tried, 10'000, 10'000, true},
      {"another probe_after, not yet", tried, 2'500, 2'499, false},
      {"another probe_after", tried, 2'500, 2'500, true},
      {"probe still out", out, 10'000, 59'999, false},
      {"probe lost", out, 10'000, 60'000, true},
      {"closed", {}, 10'000, kDay, false},
      {"by hand", manually_open(), 10'000, kDay, false},
      {"clock stepped back", tried, 10'000, -kHour, false},
  };
  for (const auto& c : cases) {
    BreakerSettings settings;
    settings.probe_after_ms = c.probe_after;
    EXPECT_EQ(probe_due(c.breaker, settings, kStart + c.after), c.expected) << c.name;
  }
}

TEST(ReopensAt, TellsWhenTheProviderMayBeChosenAgain) {
  Breaker one_out = half_open_since(kStart);
  lease(one_out, 1, kStart + 150'000);
  Breaker three_out = one_out;
  lease(three_out, 2, kStart + 50'000);
  lease(three_out, 3, kStart + 100'000);
  struct Case {
    std::string name;
    Breaker breaker;
    std::uint32_t probes;
    TimeMs expected;
  };
  const Case cases[] = {
      {"closed", {}, 1, 0},
      {"open", open_until(kStart + 30'000), 1, kStart + 30'000},
      {"by hand", manually_open(), 1, 0},
      {"by hand for a time", manually_open(kStart + 60'000), 1, kStart + 60'000},
      {"half-open, probe left", half_open_since(kStart), 1, 0},
      {"example: half-open, probe out", one_out, 1, kStart + 150'000},
      {"one of two out", one_out, 2, 0},
      {"three of three out", three_out, 3, kStart + 50'000},
      {"three out, of which two are too many by now", three_out, 2, kStart + 100'000},
      {"three out, of which one is allowed by now", three_out, 1, kStart + 150'000},
  };
  for (const auto& c : cases) EXPECT_EQ(reopens_at(c.breaker, with_probes(c.probes), kStart), c.expected) << c.name;
}

TEST(BreakerDeathTest, RefusesSettingsOutOfRange) {
  EXPECT_DEATH(open_duration_ms(settings_of(0, kSecond, kSecond), 5), "assertion failed");
  EXPECT_DEATH(probe_available(half_open_since(kStart), with_probes(0), kStart), "assertion failed");
  EXPECT_DEATH(probe_available(half_open_since(kStart), with_probes(5), kStart), "assertion failed");
}

}  // namespace
}  // namespace turnout::core
