#include "core/forgetting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/builders.h"

namespace turnout::core {
namespace {

constexpr Forgetting kWindow{Forgetting::Kind::window, kHour};
constexpr Forgetting kHalfLife{Forgetting::Kind::half_life, 6 * kHour};

TEST(Forgetting, GivesIncrementAndScale) {
  struct Case {
    std::string name;
    Forgetting forgetting;
    DurationMs since_landmark;
    double increment;
    double scale;
    bool due;
  };
  const Case cases[] = {
      {"window begins", kWindow, 0, 1, 1, false},
      {"window, 59 min", kWindow, 59 * kMinute, 1, 1, false},
      {"window, last moment", kWindow, kHour - 1, 1, 1, false},
      {"window ended", kWindow, kHour, 1, 0, true},
      {"example: window 1 h, 61 min", kWindow, 61 * kMinute, 1, 0, true},
      {"window of a second", {Forgetting::Kind::window, kSecond}, 1000, 1, 0, true},
      {"window, clock stepped back", kWindow, -kHour, 1, 1, false},
      {"half-life begins", kHalfLife, 0, 1, 1, false},
      {"example: half-life 6 h, 6 h", kHalfLife, 6 * kHour, 2, 0.5, false},
      {"example: half-life 6 h, 12 h", kHalfLife, 12 * kHour, 4, 0.25, false},
      {"half-life 6 h, 3 h", kHalfLife, 3 * kHour, std::sqrt(2.0), std::sqrt(0.5), false},
      {"half-life 10 s, 25 s",
       {Forgetting::Kind::half_life, 10 * kSecond},
       25 * kSecond,
       std::exp2(2.5),
       std::exp2(-2.5),
       false},
      {"exponent just below 40", kHalfLife, 240 * kHour - 1, std::exp2(40 - 1.0 / (6 * kHour)),
       std::exp2(-40 + 1.0 / (6 * kHour)), false},
      {"exponent 40", kHalfLife, 240 * kHour, std::exp2(40), std::exp2(-40), true},
      {"half-life, clock stepped back", kHalfLife, -100 * kHour, 1, 1, false},
  };
  for (const auto& c : cases) {
    const TimeMs now = kStart + c.since_landmark;
    EXPECT_DOUBLE_EQ(increment_at(c.forgetting, kStart, now), c.increment) << c.name;
    EXPECT_DOUBLE_EQ(scale_at(c.forgetting, kStart, now), c.scale) << c.name;
    EXPECT_EQ(needs_rebase(c.forgetting, kStart, now), c.due) << c.name;
  }
}

}  // namespace
}  // namespace turnout::core
