#include "core/selection.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/random.h"

namespace turnout::core {
namespace {

constexpr double kLargestDraw = 1 - 0x1.0p-53;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double sum_of(const std::vector<double>& weights) { return std::accumulate(weights.begin(), weights.end(), 0.0); }

Choice choose(const std::vector<double>& weights, double draw) {
  return choose_weighted(weights, sum_of(weights), draw);
}

/// The order of the candidates 0, 1, 2 … with these weights.
std::vector<ProviderIndex> order_of(std::vector<double> weights, double draw) {
  std::vector<ProviderIndex> candidates(weights.size());
  std::iota(candidates.begin(), candidates.end(), ProviderIndex{0});
  std::vector<ProviderIndex> order;
  draw_order(candidates, weights, draw, order);
  return order;
}

bool is_permutation_of_all(std::vector<ProviderIndex> order, std::size_t n) {
  if (order.size() != n) return false;
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < n; ++i) {
    if (order[i] != i) return false;
  }
  return true;
}

/// The probability of an order: each place proportional to the weight among those left.
double probability_of(const std::vector<ProviderIndex>& order, const std::vector<double>& weights) {
  double left = sum_of(weights);
  double probability = 1;
  for (const ProviderIndex index : order) {
    probability *= weights[index] / left;
    left -= weights[index];
  }
  return probability;
}

/// Whether so many of n are a likely result of independent trials of this probability: within 5 standard deviations
/// and two units.
bool is_near(int count, int n, double probability) {
  return std::abs(count - n * probability) <= 5 * std::sqrt(n * probability * (1 - probability)) + 2;
}

rc::Gen<std::vector<double>> some_weights(std::size_t at_least, std::size_t at_most) {
  return rc::gen::mapcat(rc::gen::inRange(at_least, at_most + 1), [](std::size_t n) {
    return rc::gen::container<std::vector<double>>(
        n, rc::gen::map(rc::gen::inRange(1, 100'001), [](int weight) { return weight / 1e5; }));
  });
}

TEST(ChooseWeighted, WalksTheCumulativeWeights) {
  struct Case {
    std::vector<double> weights;
    double draw;
    std::size_t position;
    double remainder;
  };
  const Case cases[] = {
      {{.5, .3, .2}, 0, 0, 0},
      {{.5, .3, .2}, .49999, 0, .99998},
      {{.5, .3, .2}, .5, 1, 0},
      {{.5, .3, .2}, .65, 1, .5},
      {{.5, .3, .2}, .79999, 1, .299990 / .3},
      {{.5, .3, .2}, .8, 2, 0},
      {{.5, .3, .2}, .999999, 2, .199999 / .2},
      {{7}, 0, 0, 0},
      {{7}, .25, 0, .25},
      {{1e-6, 1e6}, 0, 0, 0},
      {{1e-6, 1e6}, .5, 1, .5},
      {{1e6, 1e-12}, kLargestDraw, 0, 1},
      {{2, 1, 1}, .75, 2, 0},
      {{1e300, 1e300}, .5, 1, 0},
      {{1e-300, 3e-300}, .625, 1, .5},
  };
  for (const auto& c : cases) {
    const Choice choice = choose(c.weights, c.draw);
    EXPECT_EQ(choice.position, c.position) << c.draw;
    EXPECT_NEAR(choice.remainder, c.remainder, 1e-4) << c.draw;
    EXPECT_LT(choice.remainder, 1) << c.draw;
  }
}

TEST(ChooseWeighted, NeverFallsOffTheEnd) {
  const std::vector<double> tenths(10, 0.1);
  EXPECT_EQ(choose_weighted(tenths, 1.0, kLargestDraw).position, 9U);
  EXPECT_EQ(choose_weighted(tenths, 1.001, kLargestDraw).position, 9U) << "a total that rounding made too large";
  EXPECT_LT(choose_weighted(tenths, 1.001, kLargestDraw).remainder, 1);
  const std::vector<double> many(65'535, 0.1);
  EXPECT_EQ(choose(many, kLargestDraw).position, 65'534U);
}

TEST(ChooseUniform, TakesTheFloor) {
  struct Case {
    std::size_t n;
    double draw;
    std::size_t position;
    double remainder;
  };
  const Case cases[] = {{3, .34, 1, .02}, {3, 0, 0, 0},  {3, kLargestDraw, 2, 1},      {1, .7, 0, .7},
                        {4, .25, 1, 0},   {4, .5, 2, 0}, {1000, kLargestDraw, 999, 1}, {7, .5, 3, .5}};
  for (const auto& c : cases) {
    const Choice choice = choose_uniform(c.n, c.draw);
    EXPECT_EQ(choice.position, c.position) << c.draw << " of " << c.n;
    EXPECT_NEAR(choice.remainder, c.remainder, 1e-9) << c.draw << " of " << c.n;
    EXPECT_LT(choice.remainder, 1);
  }
}

/// Checks that within each choice the remainders over a grid of draws are evenly spaced over [0, 1): uniform whatever
/// was chosen, so independent of it.
void expect_even_remainders(const std::vector<std::vector<double>>& remainders_by_choice) {
  for (auto remainders : remainders_by_choice) {
    std::sort(remainders.begin(), remainders.end());
    const double step = 1.0 / static_cast<double>(remainders.size());
    for (std::size_t i = 0; i < remainders.size(); ++i) {
      ASSERT_NEAR(remainders[i], static_cast<double>(i) * step, 1.5 * step);
    }
  }
}

TEST(Remainder, IsUniformAndIndependentOfTheChoice) {
  constexpr int kGrid = 100'000;
  const std::vector<double> weights{.47, .005, .3, .2, .025};
  std::vector<std::vector<double>> weighted(weights.size());
  std::vector<std::vector<double>> uniform(weights.size());
  for (int i = 0; i < kGrid; ++i) {
    const double draw = (i + 0.5) / kGrid;
    const Choice by_weight = choose(weights, draw);
    weighted[by_weight.position].push_back(by_weight.remainder);
    const Choice alike = choose_uniform(weights.size(), draw);
    uniform[alike.position].push_back(alike.remainder);
  }
  expect_even_remainders(weighted);
  expect_even_remainders(uniform);
}

RC_GTEST_PROP(SelectionProperty, SharesOverAGridAreTheWeights, ()) {
  constexpr int kGrid = 1000;
  const auto weights = *some_weights(1, 30);
  std::vector<int> chosen(weights.size());
  for (int i = 0; i < kGrid; ++i) ++chosen[choose(weights, static_cast<double>(i) / kGrid).position];
  for (std::size_t i = 0; i < weights.size(); ++i) {
    RC_ASSERT(std::abs(chosen[i] - kGrid * weights[i] / sum_of(weights)) <= 1 + 1e-6);
  }
}

RC_GTEST_PROP(SelectionProperty, FirstPlacesOverAGridAreTheWeights, ()) {
  constexpr int kGrid = 1000;
  const auto weights = *some_weights(1, 50);
  std::vector<int> first(weights.size());
  for (int i = 0; i < kGrid; ++i) ++first[order_of(weights, static_cast<double>(i) / kGrid).front()];
  for (std::size_t i = 0; i < weights.size(); ++i) {
    RC_ASSERT(std::abs(first[i] - kGrid * weights[i] / sum_of(weights)) <= 1 + 1e-6);
  }
}

RC_GTEST_PROP(SelectionProperty, EveryOrderHasItsProbability, ()) {
  constexpr int kGrid = 4000;
  const auto weights = *some_weights(1, 5);
  std::map<std::vector<ProviderIndex>, int> seen;
  for (int i = 0; i < kGrid; ++i) ++seen[order_of(weights, (i + 0.5) / kGrid)];
  std::vector<ProviderIndex> order(weights.size());
  std::iota(order.begin(), order.end(), ProviderIndex{0});
  do {
    RC_ASSERT(is_near(seen[order], kGrid, probability_of(order, weights)));
  } while (std::next_permutation(order.begin(), order.end()));
}

RC_GTEST_PROP(SelectionProperty, AnOrderHoldsEveryCandidateOnce, ()) {
  const auto exponents = *rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(-990, 1000), [](int exponent) { return std::exp2(exponent); }));
  const double draw =
      *rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t seed) { return Random(seed).next_draw(); });
  RC_ASSERT(is_permutation_of_all(order_of(exponents, draw), exponents.size()));
}

TEST(DrawOrder, FollowsTheExample) {
  std::vector<ProviderIndex> candidates{7, 8, 9};
  std::vector<double> weights{.5, .3, .2};
  std::vector<ProviderIndex> order{4};
  draw_order(candidates, weights, .65, order);
  ASSERT_EQ(order.size(), 4U);
  EXPECT_EQ(order[0], 4) << "appended to what was there";
  EXPECT_EQ(order[1], 8);
  EXPECT_EQ(std::minmax(order[2], order[3]), std::minmax<ProviderIndex>(7, 9));
}

TEST(DrawOrder, NeverFallsOffTheEnd) {
  // 1.5 + (2^52 + 2) rounds up so far that the largest draw reaches past the last weight, where nobody is.
  EXPECT_EQ(order_of({1, .5, 0x1.0p52 + 2}, kLargestDraw).front(), 2);
}

TEST(DrawOrder, OfNobodyOrOneIsPlain) {
  EXPECT_TRUE(order_of({}, .5).empty());
  EXPECT_EQ(order_of({3}, 0), std::vector<ProviderIndex>{0});
  EXPECT_EQ(order_of({3}, kLargestDraw), std::vector<ProviderIndex>{0});
}

TEST(DrawOrder, FirstPlacesOfAThousandFollowTheWeights) {
  constexpr std::size_t kCandidates = 1000;
  constexpr int kGrid = 3000;
  Random random(1000);
  std::vector<double> weights(kCandidates);
  for (auto& weight : weights) weight = 0.01 + random.next_draw();
  std::vector<int> first(kCandidates);
  for (int i = 0; i < kGrid; ++i) {
    const auto order = order_of(weights, (i + 0.5) / kGrid);
    ++first[order.front()];
    if (i % 100 == 0) {
      EXPECT_TRUE(is_permutation_of_all(order, kCandidates));
    }
  }
  for (std::size_t i = 0; i < kCandidates; ++i) {
    EXPECT_LE(std::abs(first[i] - kGrid * weights[i] / sum_of(weights)), 1 + 1e-6) << i;
  }
}

TEST(DrawOrder, SecondPlacesOfTwentyFollowTheWeightsLeft) {
  constexpr std::size_t kCandidates = 20;
  constexpr int kGrid = 200'000;
  Random random(20);
  std::vector<double> weights(kCandidates);
  for (auto& weight : weights) weight = 0.01 + random.next_draw();
  const double total = sum_of(weights);
  std::vector<std::vector<int>> pairs(kCandidates, std::vector<int>(kCandidates));
  for (int i = 0; i < kGrid; ++i) {
    const auto order = order_of(weights, (i + 0.5) / kGrid);
    ++pairs[order[0]][order[1]];
  }
  for (std::size_t i = 0; i < kCandidates; ++i) {
    for (std::size_t j = 0; j < kCandidates; ++j) {
      const double share = i == j ? 0 : weights[i] / total * weights[j] / (total - weights[i]);
      EXPECT_TRUE(is_near(pairs[i][j], kGrid, share)) << i << ", " << j << ": " << pairs[i][j];
    }
  }
}

TEST(DrawOrder, KeepsTheSharesOfSmallWeightsBehindADominantOne) {
  constexpr int kGrid = 6000;
  const std::vector<double> weights{1e17, 3, 2, 1};
  std::vector<int> second(weights.size());
  for (int i = 0; i < kGrid; ++i) {
    const auto order = order_of(weights, (i + 0.5) / kGrid);
    ASSERT_EQ(order[0], 0);
    ++second[order[1]];
  }
  EXPECT_TRUE(is_near(second[1], kGrid, 3. / 6)) << second[1];
  EXPECT_TRUE(is_near(second[2], kGrid, 2. / 6)) << second[2];
  EXPECT_TRUE(is_near(second[3], kGrid, 1. / 6)) << second[3];
}

TEST(DrawOrder, OrdersFewAndManyAlike) {
  // Either side of the size from which the keys are sorted in another way: the place of the heaviest is right in both.
  constexpr int kGrid = 5000;
  for (const std::size_t n : {39U, 40U, 41U, 42U}) {
    std::vector<double> weights(n, 1);
    weights[7] = 20;
    int second = 0;
    for (int i = 0; i < kGrid; ++i) second += order_of(weights, (i + 0.5) / kGrid)[1] == 7 ? 1 : 0;
    const auto others = static_cast<double>(n - 1);
    EXPECT_TRUE(is_near(second, kGrid, others / (others + 20) * 20 / (others + 19))) << n << ": " << second;
  }
}

TEST(DrawOrder, SurvivesTheEndsOfTheRange) {
  for (const double draw : {0.0, 0x1.0p-53, 0.5, kLargestDraw}) {
    for (const std::size_t n : {2U, 3U, 5U, 20U, 33U, 1000U}) {
      EXPECT_TRUE(is_permutation_of_all(order_of(std::vector<double>(n, 0.1), draw), n)) << n << " at " << draw;
      EXPECT_TRUE(is_permutation_of_all(order_of(std::vector<double>(n, 1e-300), draw), n)) << n << " at " << draw;
      EXPECT_TRUE(is_permutation_of_all(order_of(std::vector<double>(n, 1e300), draw), n)) << n << " at " << draw;
    }
  }
}

TEST(SelectionDeathTest, RefusesTheCallersBugs) {
  const std::vector<double> weights{.5, .3, .2};
  for (const double draw : {1.0, 1.5, -0.1, kNotANumber, kInfinity}) {
    EXPECT_DEATH(choose(weights, draw), "assertion failed") << draw;
    EXPECT_DEATH(choose_uniform(3, draw), "assertion failed") << draw;
    EXPECT_DEATH(order_of(weights, draw), "assertion failed") << draw;
  }
  for (const double weight : {-0.1, 0.0, kNotANumber, kInfinity}) {
    EXPECT_DEATH(choose_weighted(std::vector<double>{.5, .3, weight}, 1, .1), "assertion failed") << weight;
    EXPECT_DEATH(order_of({.5, weight}, .5), "assertion failed") << weight;
  }
  EXPECT_DEATH(choose({}, .5), "assertion failed");
  EXPECT_DEATH(choose_uniform(0, .5), "assertion failed");
  EXPECT_DEATH(choose({1e308, 1e308}, .5), "assertion failed") << "a sum beyond the largest number";
  EXPECT_DEATH(order_of({1e308, 1e308}, .5), "assertion failed");
}

}  // namespace
}  // namespace turnout::core
