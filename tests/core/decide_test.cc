#include "core/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/random.h"
#include "core/builders.h"

namespace turnout::core {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr double kLargestDraw = 1 - 0x1.0p-53;
constexpr Draws kExploit{.explore = 0.9, .select = 0.5};

/// A decision with what it left in the buffer.
struct Answer {
  Decision decision;
  std::vector<WhyNot> why_not;
  std::vector<ProviderIndex> fallbacks;
};

/// A request that owns its lists.
struct Wish {
  std::vector<ProviderIndex> excluded;
  std::optional<std::vector<ProviderIndex>> listed;
  std::optional<ProviderIndex> forced;
};

Answer answer(const std::vector<ProviderView>& providers, const Draws& draws = kExploit, const Wish& wish = {},
              const ChannelSettings& channel = {}, TimeMs now = kStart) {
  DecisionRequest request{wish.excluded, std::nullopt, wish.forced};
  if (wish.listed) request.listed = *wish.listed;
  DecisionBuffer buffer;
  const Decision decision = decide(request, channel, providers, now, draws, buffer);
  return {decision, buffer.why_not, buffer.fallbacks};
}

ChannelSettings with_epsilon(double epsilon) {
  ChannelSettings channel;
  channel.epsilon = epsilon;
  return channel;
}

ChannelSettings rejecting() {
  ChannelSettings channel;
  channel.all_open = AllOpen::reject;
  return channel;
}

std::vector<ProviderView> three() { return {provider_of(.5), provider_of(.3), provider_of(.2)}; }

Breaker probing_until(TimeMs expires_at_ms) {
  Breaker breaker = half_open_since(kStart - kMinute);
  breaker.last_probe_at_ms = kStart;
  lease(breaker, 1, expires_at_ms);
  return breaker;
}

ProviderView disabled(double weight) {
  ProviderView view = provider_of(weight);
  view.enabled = false;
  return view;
}

TEST(Decide, FollowsTheExample) {
  const Answer got = answer(three(), {.explore = .9, .select = .6});
  EXPECT_EQ(got.decision.provider, 1);
  EXPECT_EQ(got.decision.reason, Reason::exploited);
  EXPECT_NEAR(got.decision.propensity, .301667, 1e-6);
  EXPECT_FALSE(got.decision.takes_probe);
  EXPECT_FALSE(got.decision.retry_after_ms);
  EXPECT_THAT(got.fallbacks, UnorderedElementsAre(0, 2));
  EXPECT_THAT(got.why_not, ElementsAre(WhyNot::eligible, WhyNot::eligible, WhyNot::eligible));
}

TEST(Decide, ChoosesByTheDraws) {
  struct Case {
    double epsilon;
    Draws draws;
    ProviderIndex provider;
    Reason reason;
    double propensity;
  };
  const double mixed_a = .05 / 3 + .95 * .5;
  const double mixed_c = .05 / 3 + .95 * .2;
  const Case cases[] = {
      {0, {0, 0}, 0, Reason::exploited, .5},
      {0, {0, .49999}, 0, Reason::exploited, .5},
      {0, {0, .5}, 1, Reason::exploited, .3},
      {0, {0, .79999}, 1, Reason::exploited, .3},
      {0, {0, .8}, 2, Reason::exploited, .2},
      {0, {0, .999999}, 2, Reason::exploited, .2},
      {0, {0, kLargestDraw}, 2, Reason::exploited, .2},
      {.05, {.04999, 0}, 0, Reason::explored, mixed_a},
      {.05, {.04999, .34}, 1, Reason::explored, .05 / 3 + .95 * .3},
      {.05, {.04999, kLargestDraw}, 2, Reason::explored, mixed_c},
      {.05, {.05, .34}, 0, Reason::exploited, mixed_a},
      {1, {kLargestDraw, .67}, 2, Reason::explored, 1.0 / 3},
      {.2, {.1, .67}, 2, Reason::explored, .2 / 3 + .8 * .2},
  };
  for (const auto& c : cases) {
    const Answer got = answer(three(), c.draws, {}, with_epsilon(c.epsilon));
    EXPECT_EQ(got.decision.provider, c.provider) << c.draws.select;
    EXPECT_EQ(got.decision.reason, c.reason) << c.draws.select;
    EXPECT_NEAR(got.decision.propensity, c.propensity, 1e-12) << c.draws.select;
    EXPECT_EQ(got.fallbacks.size(), 2U);
  }
}

TEST(Decide, NamesWhatStandsInTheWay) {
  struct Case {
    std::string name;
    ProviderView provider;
    bool excluded;
    bool unlisted;
    WhyNot expected;
  };
  Breaker expired = manually_open(kStart);
  ProviderView nothing_left = disabled(0);
  nothing_left.breaker = manually_open();
  const Case cases[] = {
      {"plain", provider_of(.5), false, false, WhyNot::eligible},
      {"tiny weight", provider_of(1e-299), false, false, WhyNot::eligible},
      {"weight too small for its digits", provider_of(1e-301), false, false, WhyNot::zero_weight},
      {"weight 0", provider_of(0), false, false, WhyNot::zero_weight},
      {"disabled", disabled(.5), false, false, WhyNot::disabled},
      {"excluded", provider_of(.5), true, false, WhyNot::excluded},
      {"not listed", provider_of(.5), false, true, WhyNot::not_listed},
      {"excluded and not listed", provider_of(.5), true, true, WhyNot::excluded},
      {"by hand", provider_of(.5, manually_open()), false, false, WhyNot::manual_open},
      {"by hand, expired", provider_of(.5, expired), false, false, WhyNot::eligible},
      {"open", provider_of(.5, open_until(kStart + 1)), false, false, WhyNot::circuit_open},
      {"open period over", provider_of(.5, open_until(kStart)), false, false, WhyNot::eligible},
      {"half-open", provider_of(.5, half_open_since(kStart)), false, false, WhyNot::eligible},
      {"half-open, probe out", provider_of(.5, probing_until(kStart + 1)), false, false, WhyNot::circuit_open},
      {"half-open, probe lost", provider_of(.5, probing_until(kStart)), false, false, WhyNot::eligible},
      {"open and weight 0", provider_of(0, open_until(kStart + 1)), false, false, WhyNot::zero_weight},
      {"by hand and weight 0", provider_of(0, manually_open()), false, false, WhyNot::manual_open},
      {"open and excluded", provider_of(.5, open_until(kStart + 1)), true, false, WhyNot::excluded},
      {"everything at once", nothing_left, true, true, WhyNot::disabled},
  };
  for (const auto& c : cases) {
    Wish wish;
    if (c.excluded) wish.excluded = {0};
    if (c.unlisted) wish.listed = {{1}};
    const Answer got = answer({c.provider, provider_of(0)}, kExploit, wish, rejecting());
    EXPECT_EQ(got.why_not[0], c.expected) << c.name;
    EXPECT_EQ(got.decision.provider.has_value(), c.expected == WhyNot::eligible) << c.name;
  }
}

TEST(Decide, RestrictsTheChoiceToWhatTheRequestAllows) {
  struct Case {
    std::string name;
    Wish wish;
    std::vector<ProviderIndex> possible;
  };
  const Case cases[] = {
      {"no wish", {}, {0, 1, 2}},
      {"exclude B", {{1}, std::nullopt, std::nullopt}, {0, 2}},
      {"exclude twice", {{1, 1, 0}, std::nullopt, std::nullopt}, {2}},
      {"list", {{}, {{2, 0}}, std::nullopt}, {0, 2}},
      {"list and exclude", {{0}, {{2, 0}}, std::nullopt}, {2}},
      {"empty list", {{}, {{}}, std::nullopt}, {}},
      {"exclude all", {{0, 1, 2}, std::nullopt, std::nullopt}, {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    for (const double draw : {0.0, 0.3, 0.6, kLargestDraw}) {
      const Answer got = answer(three(), {.9, draw}, c.wish);
      EXPECT_EQ(got.decision.provider.has_value(), !c.possible.empty());
      auto all = got.fallbacks;
      if (got.decision.provider) all.push_back(*got.decision.provider);
      EXPECT_THAT(all, testing::UnorderedElementsAreArray(c.possible));
    }
  }
}

TEST(Decide, SpeaksTheTruthWhenNobodyCanBeChosen) {
  const Answer got = answer({provider_of(0), provider_of(0), disabled(1)});
  EXPECT_FALSE(got.decision.provider);
  EXPECT_EQ(got.decision.propensity, 0);
  EXPECT_FALSE(got.decision.takes_probe);
  EXPECT_FALSE(got.decision.retry_after_ms) << "no breaker is in the way";
  EXPECT_THAT(got.why_not, ElementsAre(WhyNot::zero_weight, WhyNot::zero_weight, WhyNot::disabled));
  EXPECT_THAT(got.fallbacks, IsEmpty());
  EXPECT_FALSE(answer({}).decision.provider) << "a channel without providers";
}

TEST(Decide, TakesTheForcedProviderWheneverItIsEligible) {
  for (ProviderIndex forced = 0; forced < 3; ++forced) {
    const Answer got = answer(three(), {.explore = 0, .select = 0}, {{}, std::nullopt, forced});
    EXPECT_EQ(got.decision.provider, forced);
    EXPECT_EQ(got.decision.reason, Reason::forced);
    EXPECT_EQ(got.decision.propensity, 1);
    EXPECT_EQ(got.fallbacks.size(), 2U);
  }
  const Answer excluded = answer(three(), kExploit, {{1}, std::nullopt, ProviderIndex{1}});
  EXPECT_EQ(excluded.decision.reason, Reason::exploited);
  EXPECT_NE(excluded.decision.provider, 1);
  auto providers = three();
  providers[1].breaker = half_open_since(kStart);
  const Answer half_open = answer(providers, kExploit, {{}, std::nullopt, ProviderIndex{1}});
  EXPECT_EQ(half_open.decision.provider, 1);
  EXPECT_TRUE(half_open.decision.takes_probe);
}

TEST(Decide, AnOpenProviderComesBackHalfOpen) {
  auto providers = three();
  providers[1].breaker = open_until(kStart + 30'000);
  for (const double draw : {0.0, 0.55, 0.65, kLargestDraw}) {
    EXPECT_NE(answer(providers, {.9, draw}, {}, {}, kStart + 29'999).decision.provider, 1);
  }
  const TimeMs half_open = kStart + 30'000;
  // Weights .5, .3 × .02 and .2.
  const Answer got = answer(providers, {.9, .503 / .706}, {}, with_epsilon(0), half_open);
  EXPECT_EQ(got.decision.provider, 1);
  EXPECT_EQ(got.decision.reason, Reason::exploited);
  EXPECT_TRUE(got.decision.takes_probe);
  EXPECT_NEAR(got.decision.propensity, .006 / .706, 1e-12);
  EXPECT_EQ(answer(providers, {.9, .499 / .706}, {}, {}, half_open).decision.provider, 0);
  EXPECT_EQ(answer(providers, {.9, .507 / .706}, {}, {}, half_open).decision.provider, 2);
  EXPECT_FALSE(answer(providers, {.9, 0}, {}, {}, half_open).decision.takes_probe);
}

TEST(Decide, ExploringAHalfOpenProviderTakesItsProbeToo) {
  const Answer got = answer({provider_of(1), provider_of(1, half_open_since(kStart))}, {.explore = 0, .select = .9});
  EXPECT_EQ(got.decision.provider, 1);
  EXPECT_EQ(got.decision.reason, Reason::explored);
  EXPECT_TRUE(got.decision.takes_probe);
}

TEST(Decide, NobodyElseIsSentWhileTheProbesAreOut) {
  for (const std::uint32_t allowed : {1U, 2U, 4U}) {
    ChannelSettings channel = with_epsilon(.5);
    channel.breaker.half_open_probes = allowed;
    Breaker breaker = half_open_since(kStart - kDay);
    for (std::uint32_t out = 0; out < allowed; ++out) lease(breaker, out + 1, kStart + kMinute);
    Breaker one_left = breaker;
    one_left.lease_count -= 1;
    for (int i = 0; i < 100; ++i) {
      const Draws draws{.explore = i % 10 / 10.0, .select = i / 100.0};
      EXPECT_EQ(answer({provider_of(1), provider_of(1e6, breaker)}, draws, {}, channel).decision.provider, 0);
      const Decision decision = answer({provider_of(1), provider_of(1e6, one_left)}, draws, {}, channel).decision;
      EXPECT_EQ(decision.provider, 1);
      EXPECT_EQ(decision.reason, Reason::probe);
      EXPECT_TRUE(decision.takes_probe);
      EXPECT_EQ(decision.propensity, 1);
    }
  }
}

TEST(Decide, AProbeThatIsDueGoesFirst) {
  const DurationMs probe_after = 7 * kSecond;
  ChannelSettings channel = with_epsilon(1);
  channel.breaker.probe_after_ms = probe_after;
  const std::vector<ProviderView> providers{provider_of(1), provider_of(1e-200, half_open_since(kStart)),
                                            provider_of(1)};
  const Draws draws{.explore = 0, .select = 0};
  EXPECT_EQ(answer(providers, draws, {}, channel, kStart + probe_after - 1).decision.reason, Reason::explored);
  const Answer got = answer(providers, draws, {}, channel, kStart + probe_after);
  EXPECT_EQ(got.decision.provider, 1);
  EXPECT_EQ(got.decision.reason, Reason::probe);
  EXPECT_TRUE(got.decision.takes_probe);
  EXPECT_EQ(got.decision.propensity, 1);
  EXPECT_THAT(got.fallbacks, UnorderedElementsAre(0, 2));
  const Answer excluded = answer(providers, draws, {{1}, std::nullopt, std::nullopt}, channel, kStart + probe_after);
  EXPECT_NE(excluded.decision.provider, 1) << "the next decision in which it is eligible";
  const Answer forced = answer(providers, draws, {{}, std::nullopt, ProviderIndex{2}}, channel, kStart + probe_after);
  EXPECT_EQ(forced.decision.provider, 2);
}

TEST(Decide, OfSeveralDueProbesTheLongestWaitingGoesFirst) {
  const std::vector<ProviderView> providers{provider_of(1), provider_of(1, half_open_since(kStart - 60'000)),
                                            provider_of(1, open_until(kStart - 90'000)),
                                            provider_of(1, half_open_since(kStart - 30'000))};
  EXPECT_EQ(answer(providers).decision.provider, 2);
  EXPECT_EQ(answer(providers, kExploit, {{2}, std::nullopt, std::nullopt}).decision.provider, 1);
  EXPECT_EQ(answer(providers, kExploit, {{2, 1}, std::nullopt, std::nullopt}).decision.provider, 3);
}

TEST(AllOpen, BestEffortChoosesTheOneThatReopensFirst) {
  const std::vector<ProviderView> providers{provider_of(9, open_until(kStart + 30'000)),
                                            provider_of(.1, open_until(kStart + 20'000)),
                                            provider_of(5, open_until(kStart + 25'000))};
  const Answer got = answer(providers);
  EXPECT_EQ(got.decision.provider, 1);
  EXPECT_EQ(got.decision.reason, Reason::all_open);
  EXPECT_EQ(got.decision.propensity, 1);
  EXPECT_FALSE(got.decision.takes_probe);
  EXPECT_THAT(got.fallbacks, IsEmpty());
  EXPECT_EQ(answer(providers, kExploit, {{1}, std::nullopt, std::nullopt}).decision.provider, 2);
  EXPECT_EQ(answer(providers, kExploit, {{}, {{0}}, std::nullopt}).decision.provider, 0);

  const Answer rejected = answer(providers, kExploit, {}, rejecting());
  EXPECT_FALSE(rejected.decision.provider);
  EXPECT_EQ(rejected.decision.retry_after_ms, 20'000);
  EXPECT_THAT(rejected.why_not, ElementsAre(WhyNot::circuit_open, WhyNot::circuit_open, WhyNot::circuit_open));
}

TEST(AllOpen, NeverChoosesWhatMoreThanABreakerHoldsBack) {
  ProviderView off = disabled(1);
  off.breaker = open_until(kStart + 1);
  const std::vector<ProviderView> providers{
      provider_of(1, manually_open()), provider_of(1, manually_open(kStart + 5'000)), off,
      provider_of(0, open_until(kStart + 1)), provider_of(1, open_until(kStart + 30'000))};
  EXPECT_EQ(answer(providers).decision.provider, 4);
  const Answer none = answer(providers, kExploit, {{4}, std::nullopt, std::nullopt});
  EXPECT_FALSE(none.decision.provider);
  EXPECT_EQ(none.decision.retry_after_ms, 5'000) << "the end of the manual opening";
  EXPECT_FALSE(answer({provider_of(1, manually_open())}).decision.retry_after_ms) << "no end is known";
}

TEST(AllOpen, CountsAHalfOpenProviderWithItsProbeOut) {
  const std::vector<ProviderView> providers{provider_of(1, open_until(kStart + 30'000)),
                                            provider_of(1, probing_until(kStart + 10'000))};
  const Answer got = answer(providers);
  EXPECT_EQ(got.decision.provider, 1);
  EXPECT_EQ(got.decision.reason, Reason::all_open);
  EXPECT_FALSE(got.decision.takes_probe) << "the probe is somebody else's";
  EXPECT_EQ(answer(providers, kExploit, {}, rejecting()).decision.retry_after_ms, 10'000);
}

TEST(AllOpen, IsOverOnceOneIsHalfOpen) {
  const std::vector<ProviderView> providers{provider_of(1, open_until(kStart + 30'000)),
                                            provider_of(1, open_until(kStart + 20'000))};
  const Answer got = answer(providers, kExploit, {}, with_epsilon(0), kStart + 20'000);
  EXPECT_EQ(got.decision.provider, 1);
  EXPECT_EQ(got.decision.reason, Reason::exploited);
  EXPECT_TRUE(got.decision.takes_probe);
}

TEST(Decide, WorksWithAClockThatStepsBack) {
  const std::vector<ProviderView> providers{provider_of(1), provider_of(1, open_until(kStart + 30'000)),
                                            provider_of(1, half_open_since(kStart))};
  const Answer got = answer(providers, {.9, 0}, {}, {}, kStart - kHour);
  EXPECT_EQ(got.decision.provider, 0);
  EXPECT_THAT(got.why_not, ElementsAre(WhyNot::eligible, WhyNot::circuit_open, WhyNot::eligible));
  const Answer rejected = answer({providers[1]}, kExploit, {}, rejecting(), kStart - kHour);
  EXPECT_EQ(rejected.decision.retry_after_ms, kHour + 30'000);
}

TEST(Decide, WorksFromOneToAThousandProviders) {
  EXPECT_EQ(answer({provider_of(.6)}, {0, kLargestDraw}).decision.provider, 0);
  EXPECT_DOUBLE_EQ(answer({provider_of(.6)}).decision.propensity, 1);
  EXPECT_THAT(answer({provider_of(.6)}).fallbacks, IsEmpty());
  for (const double weight : {1e-290, 0.6, 6e5, 1e300}) {
    const std::vector<ProviderView> providers(1000, provider_of(weight));
    const Answer got = answer(providers, {.9, .5005});
    EXPECT_EQ(got.decision.provider, 500) << weight;
    EXPECT_NEAR(got.decision.propensity, .001, 1e-12) << weight;
    auto all = got.fallbacks;
    all.push_back(*got.decision.provider);
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::unique(all.begin(), all.end()) - all.begin(), 1000) << weight;
  }
  const Answer mixed = answer({provider_of(1e-290), provider_of(1e6)}, {.9, 0});
  EXPECT_EQ(mixed.decision.provider, 0);
  EXPECT_THAT(mixed.fallbacks, ElementsAre(1));
}

/// Providers in any state, with any restriction.
std::vector<ProviderView> some_providers(Random& random, std::size_t n) {
  std::vector<ProviderView> providers;
  for (std::size_t i = 0; i < n; ++i) {
    ProviderView view = provider_of(random.next_draw());
    const TimeMs moment = kStart - kMinute + static_cast<TimeMs>(random.next() % (2 * kMinute));
    switch (random.next() % 12) {
      case 0:
        view.breaker = open_until(moment);
        break;
      case 1:
        view.breaker = half_open_since(moment);
        break;
      case 2:
        view.breaker = manually_open(random.next() % 2 == 0 ? 0 : moment);
        break;
      case 3:
        view.breaker = probing_until(moment);
        break;
      case 4:
        view.weight_without_circuit = 0;
        break;
      case 5:
        view.enabled = false;
        break;
      default:
        break;
    }
    providers.push_back(view);
  }
  return providers;
}

RC_GTEST_PROP(DecideProperty, ChoiceAndFallbacksAreTheEligibleOnce, (std::uint64_t seed)) {
  Random random(seed);
  const auto providers = some_providers(random, random.next() % 40);
  Wish wish;
  for (ProviderIndex i = 0; i < providers.size(); ++i) {
    if (random.next() % 8 == 0) wish.excluded.push_back(i);
  }
  const Draws draws{random.next_draw(), random.next_draw()};
  const Answer got = answer(providers, draws, wish);
  RC_ASSERT(got.why_not.size() == providers.size());
  std::vector<ProviderIndex> eligible;
  for (ProviderIndex i = 0; i < providers.size(); ++i) {
    if (got.why_not[i] == WhyNot::eligible) eligible.push_back(i);
  }
  if (eligible.empty()) {
    RC_ASSERT(got.fallbacks.empty());
    if (got.decision.provider) RC_ASSERT(got.why_not[*got.decision.provider] == WhyNot::circuit_open);
    return;
  }
  auto all = got.fallbacks;
  all.push_back(got.decision.provider.value());
  std::sort(all.begin(), all.end());
  RC_ASSERT(all == eligible);
  RC_ASSERT(got.decision.propensity > 0 && got.decision.propensity <= 1 + 1e-12);
}

RC_GTEST_PROP(DecideProperty, AskingIsPure, (std::uint64_t seed)) {
  Random random(seed);
  const auto providers = some_providers(random, 1 + random.next() % 20);
  const auto before = providers;
  const Draws draws{random.next_draw(), random.next_draw()};
  const Answer first = answer(providers, draws);
  answer(providers, {random.next_draw(), random.next_draw()}, {}, {}, kStart + kDay);
  const Answer again = answer(providers, draws);
  RC_ASSERT(first.decision.provider == again.decision.provider);
  RC_ASSERT(first.decision.reason == again.decision.reason);
  RC_ASSERT(first.decision.propensity == again.decision.propensity);
  RC_ASSERT(first.fallbacks == again.fallbacks);
  for (std::size_t i = 0; i < providers.size(); ++i) RC_ASSERT(providers[i].breaker == before[i].breaker);
}

TEST(DecideDeathTest, RefusesTheCallersBugs) {
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  for (const double draw : {1.0, -0.1, kNotANumber}) {
    EXPECT_DEATH(answer(three(), {draw, .5}), "assertion failed") << draw;
    EXPECT_DEATH(answer(three(), {.5, draw}), "assertion failed") << draw;
  }
  EXPECT_DEATH(answer({provider_of(.5), provider_of(-.1)}), "assertion failed");
  EXPECT_DEATH(answer({provider_of(.5), provider_of(kNotANumber)}), "assertion failed");
  EXPECT_DEATH(answer({provider_of(std::numeric_limits<double>::infinity())}), "assertion failed");
  EXPECT_DEATH(answer(three(), kExploit, {{3}, std::nullopt, std::nullopt}), "assertion failed");
  EXPECT_DEATH(answer(three(), kExploit, {{}, {{3}}, std::nullopt}), "assertion failed");
  EXPECT_DEATH(answer(three(), kExploit, {{}, std::nullopt, ProviderIndex{3}}), "assertion failed");
}

}  // namespace
}  // namespace turnout::core
