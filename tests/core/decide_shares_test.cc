#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "core/builders.h"

namespace turnout::core {
namespace {

/// Decisions counted by what came of them.
struct Shares {
  std::vector<int> chosen;
  std::vector<std::vector<int>> first_fallback;  ///< by the choice
  int explored = 0;
};

/// Counts decisions over every pair of explore and select draws of a grid.
Shares shares_over_grid(const std::vector<ProviderView>& providers, const ChannelSettings& channel, int explore_steps,
                        int select_steps, const DecisionRequest& request = {}) {
  Shares shares{std::vector<int>(providers.size()),
                std::vector<std::vector<int>>(providers.size(), std::vector<int>(providers.size())), 0};
  DecisionBuffer buffer;
  for (int e = 0; e < explore_steps; ++e) {
    for (int s = 0; s < select_steps; ++s) {
      const Draws draws{static_cast<double>(e) / explore_steps, static_cast<double>(s) / select_steps};
      const Decision decision = decide(request, channel, providers, kStart, draws, buffer);
      ++shares.chosen[*decision.provider];
      if (!buffer.fallbacks.empty()) ++shares.first_fallback[*decision.provider][buffer.fallbacks.front()];
      if (decision.reason == Reason::explored) ++shares.explored;
    }
  }
  return shares;
}

ChannelSettings with_epsilon(double epsilon) {
  ChannelSettings channel;
  channel.epsilon = epsilon;
  return channel;
}

TEST(Shares, OfAMillionDecisionsOverAGridAreExact) {
  const auto providers = providers_of(std::array{.5, .3, .2});
  const Shares shares = shares_over_grid(providers, with_epsilon(.05), 1000, 1000);
  EXPECT_EQ(shares.explored, 50'000);
  // 950 rows of 500 : 300 : 200 and 50 rows of 334 : 333 : 333.
  EXPECT_EQ(shares.chosen, (std::vector<int>{950 * 500 + 50 * 334, 950 * 300 + 50 * 333, 950 * 200 + 50 * 333}));
}

TEST(Shares, FollowTheCases) {
  const auto providers = providers_of(std::array{.5, .3, .2});
  EXPECT_EQ(shares_over_grid(providers, with_epsilon(0), 1, 1000).chosen, (std::vector<int>{500, 300, 200}));
  EXPECT_EQ(shares_over_grid(providers, with_epsilon(1), 1, 1000).chosen, (std::vector<int>{334, 333, 333}));

  const std::array<ProviderIndex, 1> excluded{1};
  const auto without_b = shares_over_grid(providers, with_epsilon(0), 1, 1000, {excluded, std::nullopt, std::nullopt});
  EXPECT_NEAR(without_b.chosen[0], 1000 * 5.0 / 7, 1);
  EXPECT_EQ(without_b.chosen[1], 0);
  EXPECT_NEAR(without_b.chosen[2], 1000 * 2.0 / 7, 1);

  const auto fallbacks = shares_over_grid(providers, with_epsilon(0), 1, 1000).first_fallback;
  EXPECT_NEAR(fallbacks[0][1], 300, 1) << "B first in 60 % of the choices of A";
  EXPECT_NEAR(fallbacks[0][2], 200, 1);
}

TEST(Shares, OfNewProvidersAreEqual) {
  const auto providers = providers_of(std::array{.6, .6, .6, .6});
  EXPECT_EQ(shares_over_grid(providers, with_epsilon(.05), 20, 1000).chosen,
            (std::vector<int>{5000, 5000, 5000, 5000}));
}

TEST(Shares, OfAMillionRandomDecisionsAreWithinFourSigma) {
  constexpr int kDecisions = 1'000'000;
  struct Case {
    std::vector<double> weights;
    double epsilon;
    std::uint64_t seed;
  };
  const Case cases[] = {{{.5, .3, .2}, .05, 1}, {{.05, .9, .4, .6, .01}, .15, 2}};
  for (const auto& c : cases) {
    const auto providers = providers_of(c.weights);
    const double total = std::accumulate(c.weights.begin(), c.weights.end(), 0.0);
    std::vector<int> chosen(c.weights.size());
    int explored = 0;
    Random random(c.seed);
    DecisionBuffer buffer;
    const ChannelSettings channel = with_epsilon(c.epsilon);
    for (int i = 0; i < kDecisions; ++i) {
      const Draws draws{.explore = random.next_draw(), .select = random.next_draw()};
      const Decision decision = decide({}, channel, providers, kStart, draws, buffer);
      ++chosen[*decision.provider];
      if (decision.reason == Reason::explored) ++explored;
    }
    const auto expect_share = [](int count, double share) {
      EXPECT_NEAR(count, kDecisions * share, 4 * std::sqrt(kDecisions * share * (1 - share))) << share;
    };
    expect_share(explored, c.epsilon);
    for (std::size_t i = 0; i < c.weights.size(); ++i) {
      expect_share(chosen[i],
                   c.epsilon / static_cast<double>(c.weights.size()) + (1 - c.epsilon) * c.weights[i] / total);
    }
  }
}

std::vector<double> some_weights(std::size_t at_most) {
  const auto n = *rc::gen::inRange<std::size_t>(2, at_most + 1);
  return *rc::gen::container<std::vector<double>>(
      n, rc::gen::map(rc::gen::inRange(1, 10'001), [](int weight) { return weight / 1e4; }));
}

RC_GTEST_PROP(SharesProperty, MixEpsilonWithTheWeights, ()) {
  constexpr int kExplore = 20;
  constexpr int kSelect = 500;
  const auto weights = *rc::gen::exec([] { return some_weights(12); });
  const int exploring_rows = *rc::gen::inRange(0, kExplore + 1);
  const double epsilon = static_cast<double>(exploring_rows) / kExplore;
  const auto shares = shares_over_grid(providers_of(weights), with_epsilon(epsilon), kExplore, kSelect);
  RC_ASSERT(shares.explored == exploring_rows * kSelect);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double uniform = kSelect / static_cast<double>(weights.size());
    const double weighted = kSelect * weights[i] / total;
    const double expected = exploring_rows * uniform + (kExplore - exploring_rows) * weighted;
    RC_ASSERT(std::abs(shares.chosen[i] - expected) <= kExplore * (1 + 1e-6));
  }
}

RC_GTEST_PROP(SharesProperty, FirstFallbacksFollowTheWeightsLeft, ()) {
  constexpr int kSelect = 4000;
  const auto weights = *rc::gen::exec([] { return some_weights(8); });
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (const double epsilon : {0.0, 1.0}) {
    const auto shares = shares_over_grid(providers_of(weights), with_epsilon(epsilon), 1, kSelect);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t j = 0; j < weights.size(); ++j) {
        const double chosen = epsilon == 0 ? weights[i] / total : 1 / static_cast<double>(weights.size());
        const double expected = i == j ? 0 : kSelect * chosen * weights[j] / (total - weights[i]);
        RC_ASSERT(std::abs(shares.first_fallback[i][j] - expected) <= 1 + 1e-6);
      }
    }
  }
}

RC_GTEST_PROP(SharesProperty, PropensityIsTheShare, ()) {
  constexpr int kExplore = 10;
  constexpr int kSelect = 1000;
  const auto weights = *rc::gen::exec([] { return some_weights(6); });
  const auto providers = providers_of(weights);
  const ChannelSettings channel = with_epsilon(*rc::gen::inRange(0, kExplore + 1) / static_cast<double>(kExplore));
  const auto shares = shares_over_grid(providers, channel, kExplore, kSelect);
  DecisionBuffer buffer;
  for (int step = 0; step < 50; ++step) {
    const Draws draws{.explore = step % 10 / 10.0, .select = step / 50.0};
    const Decision decision = decide({}, channel, providers, kStart, draws, buffer);
    const double share = shares.chosen[*decision.provider] / static_cast<double>(kExplore * kSelect);
    RC_ASSERT(std::abs(share - decision.propensity) <= 1.0 / kSelect + 1e-9);
  }
}

}  // namespace
}  // namespace turnout::core
