#include "core/weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace turnout::core {
namespace {

TEST(SuccessRate, IsThePosteriorMean) {
  struct Case {
    std::string name;
    Prior prior;
    EffectiveCounts counts;
    double expected;
  };
  const Case cases[] = {
      {"new provider, default prior", {}, {0, 0}, 0.6},
      {"example: 97 of 100", {3, 2}, {97, 100}, 0.952381},
      {"optimistic, new", {5, 1}, {0, 0}, 5.0 / 6},
      {"balanced, new", {3, 2}, {0, 0}, 3.0 / 5},
      {"conservative, new", {1, 1}, {0, 0}, 0.5},
      {"pessimistic, new", {1, 3}, {0, 0}, 0.25},
      {"all failed", {3, 2}, {0, 95}, 0.03},
      {"all succeeded", {3, 2}, {95, 95}, 0.98},
      {"another prior", {0.5, 7.5}, {11, 20}, 11.5 / 28},
      {"counts that decayed to fractions", {3, 2}, {0.25, 0.5}, 3.25 / 5.5},
      {"many", {3, 2}, {9e11, 1e12}, 0.9},
  };
  for (const auto& c : cases) EXPECT_NEAR(success_rate(c.prior, c.counts), c.expected, 1e-6) << c.name;
}

TEST(LatencyPenalty, IsOneUpToTheTargetAndDecaysBeyond) {
  struct Case {
    std::string name;
    LatencyTarget target;
    std::optional<double> p95_ms;
    double expected;
  };
  const Case cases[] = {
      {"nothing known", {}, std::nullopt, 1},
      {"far below", {}, 1, 1},
      {"exactly at the target", {}, 1500, 1},
      {"just above", {}, 1515, std::exp(-0.01)},
      {"example: half as much again", {1500, 1}, 2250, 0.606531},
      {"twice", {}, 3000, std::exp(-1)},
      {"another target", {200, 1}, 500, std::exp(-1.5)},
      {"another target, met", {200, 1}, 200, 1},
      {"steeper", {1500, 3}, 2250, std::exp(-1.5)},
      {"flat", {1500, 0}, 120'000, 1},
      {"hopeless", {1500, 1}, 120'000, std::exp(-79)},
  };
  for (const auto& c : cases) EXPECT_NEAR(latency_penalty(c.target, c.p95_ms), c.expected, 5e-7) << c.name;
}

TEST(LatencyPenalty, NeverTakesAProviderOutForGood) {
  EXPECT_EQ(latency_penalty({1500, 10}, 119'000.0), 1e-12);
  EXPECT_EQ(latency_penalty({1, 100}, 120'000.0), 1e-12) << "exp() itself would be 0";
  EXPECT_GT(latency_penalty({1500, 1}, 40'000.0), 1e-12);
}

TEST(WeightFactors, MultiplyToTheWeight) {
  struct Case {
    std::string name;
    WeightFactors factors;
    double expected;
  };
  const Case cases[] = {
      {"new provider", {success_rate({}, {}), latency_penalty({}, std::nullopt), 1}, 0.6},
      {"97 of 100, p95 2250", {success_rate({}, {97, 100}), latency_penalty({}, 2250), 1}, 0.577648},
      {"example: with business 1.2", {success_rate({}, {97, 100}), latency_penalty({}, 2250), 1.2}, 0.693178},
      {"switched off by the business multiplier", {0.9, 1, 0}, 0},
      {"largest business multiplier", {0.6, 1, 1e6}, 6e5},
  };
  for (const auto& c : cases) EXPECT_NEAR(c.factors.without_circuit(), c.expected, 1e-6) << c.name;
}

}  // namespace
}  // namespace turnout::core
