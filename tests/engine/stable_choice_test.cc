#include <gtest/gtest.h>

#include "engine/engine.h"
#include "support/failing_store.h"

// stable_per_transaction: a repeated route call gets the same provider.

namespace turnout::engine {
namespace {

class StableChoice : public ::testing::Test {
 protected:
  StableChoice() {
    settings.stable_per_transaction = true;
    engine.configure(settings);
  }

  core::ChannelSettings settings = channel_of({"stripe", "adyen", "klarna"});
  store::MemoryStore memory;
  store::FailingStore failing{memory.stores()};
  Engine engine{failing.stores()};
};

TEST_F(StableChoice, ARepeatGetsTheSameProvider) {
  for (int i = 0; i < 50; ++i) {
    const std::string id = "t" + std::to_string(i);
    const Decided first = engine.route(id);
    for (int repeat = 0; repeat < 5; ++repeat) {
      const Decided again = engine.route(id);
      EXPECT_EQ(again.provider, first.provider);
      EXPECT_NE(again.answer.decision_id, first.answer.decision_id);
    }
  }
}

TEST_F(StableChoice, OthersArePickedByWeight) {
  std::map<std::string, int> chosen;
  for (int i = 0; i < 300; ++i) chosen[engine.route("t" + std::to_string(i)).provider] += 1;
  for (const auto& [provider, count] : chosen) EXPECT_NEAR(count, 100, 30) << provider;
}

TEST_F(StableChoice, ARepeatOrdersItsFallbacksByWeight) {
  settings.epsilon = 0;
  settings.providers[0].business_multiplier = 5;
  settings.providers[1].business_multiplier = 3;
  settings.providers[2].business_multiplier = 2;
  engine.configure(settings);
  int forced = 0;
  int adyen_first = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string id = "t" + std::to_string(i);
    if (engine.route(id).provider != "stripe") continue;
    const Decided again = engine.route(id);
    if (again.answer.decision.reason != core::Reason::forced) continue;
    ++forced;
    adyen_first += again.fallbacks.front() == "adyen" ? 1 : 0;
  }
  ASSERT_GT(forced, 1000);
  EXPECT_NEAR(static_cast<double>(adyen_first) / forced, 0.6, 0.06);
}

TEST_F(StableChoice, IsOffByDefault) {
  engine.configure(channel_of({"stripe", "adyen", "klarna"}));
  std::map<std::string, int> chosen;
  for (int i = 0; i < 100; ++i) chosen[engine.route("t1").provider] += 1;
  EXPECT_EQ(chosen.size(), 3U);
}

TEST_F(StableChoice, ExcludeEligibleOrAmountMakeAnotherRequest) {
  const std::string first = engine.route("t1").provider;
  EXPECT_NE(engine.route("t1", {.exclude = {first}}).provider, first);
  const std::vector<std::string> all{"stripe", "adyen", "klarna"};
  std::map<std::string, std::size_t> seen;
  for (std::int64_t amount = 0; amount < 20; ++amount) {
    const std::string provider = engine.route("t1", {.amount = amount}).provider;
    EXPECT_EQ(engine.route("t1", {.amount = amount}).provider, provider);
    seen[provider] += 1;
  }
  EXPECT_EQ(seen.size(), 3U) << "each amount is its own request";
  const Wish listed{.eligible = all};
  const std::string provider = engine.route("t1", listed).provider;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(engine.route("t1", {.eligible = {{"klarna", "adyen", "stripe"}}}).provider, provider) << "in any order";
  }
  EXPECT_EQ(engine.route("t1").provider, first);
}

TEST_F(StableChoice, AProviderThatMayNoLongerBeChosenIsReplacedForGood) {
  const std::string first = engine.route("t1").provider;
  engine.fail(first, 5);
  const std::string second = engine.route("t1").provider;
  EXPECT_NE(second, first);
  engine.order(first, CircuitAction::close);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(engine.route("t1").provider, second);
}

TEST_F(StableChoice, AProviderThatWasRemovedIsReplaced) {
  const std::string first = engine.route("t1").provider;
  (void)await(engine.operations.remove_provider(engine.channel(), first, "ann", engine.now)).value();
  const std::string second = engine.route("t1").provider;
  EXPECT_NE(second, first);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(engine.route("t1").provider, second);
}

TEST_F(StableChoice, TheOneWithAProbeIsGivenItAgain) {
  settings.providers.resize(2);
  engine.configure(settings);
  engine.fail("stripe", 5);
  engine.now += 40 * kSecond;
  ASSERT_EQ(engine.route("t1").answer.decision.reason, core::Reason::probe);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(engine.route("t1").provider, "stripe") << "its own probe stood in its way";
  EXPECT_EQ(engine.route("t2").provider, "adyen");
  EXPECT_EQ(engine.arm("stripe").breaker.lease_count, 1U);
  EXPECT_EQ(engine.report("t1", "stripe", success()).circuit, core::Circuit::closed);
}

TEST_F(StableChoice, WhoLosesTheRaceForAProbeKeepsWhatItGotInstead) {
  settings.providers.resize(2);
  engine.configure(settings);
  engine.fail("stripe", 5);
  engine.now += 40 * kSecond;
  Engine other(memory.stores());
  other.now = engine.now;
  other.configure(settings);
  failing.before = [&](std::string_view operation) -> std::optional<Error> {
    if (operation != "change_breaker") return std::nullopt;
    failing.before = nullptr;
    EXPECT_EQ(other.route("winner").provider, "stripe");
    return std::nullopt;
  };
  ASSERT_EQ(engine.route("loser").provider, "adyen");
  engine.report("winner", "stripe", success());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(engine.route("loser").provider, "adyen");
}

TEST_F(StableChoice, FirstCallsAtTheSameTimeAgree) {
  Engine other(memory.stores());
  other.configure(settings);
  for (int i = 0; i < 50; ++i) {
    const std::string id = "t" + std::to_string(i);
    std::string theirs;
    failing.before = [&](std::string_view) -> std::optional<Error> {
      failing.before = nullptr;
      theirs = other.route(id).provider;
      return std::nullopt;
    };
    EXPECT_EQ(engine.route(id).provider, theirs);
  }
}

TEST_F(StableChoice, IsForgottenAfterItsTime) {
  std::map<std::string, int> chosen;
  for (int i = 0; i < 40; ++i) {
    chosen[engine.route("t1").provider] += 1;
    engine.now += 2 * kDay;
  }
  EXPECT_EQ(chosen.size(), 3U);
}

TEST_F(StableChoice, AStoreThatFailsLeavesALocalDecision) {
  failing.fail("remember_choice");
  const Decided decided = engine.route("t1");
  EXPECT_EQ(decided.answer.status, RouteAnswer::Status::decided);
  EXPECT_TRUE(decided.answer.degraded);
  EXPECT_EQ(decided.fallbacks.size(), 2U);
  failing.work();
  const std::string first = engine.route("t2").provider;
  engine.fail(first, 5);
  failing.fail("replace_choice");
  const Decided replaced = engine.route("t2");
  EXPECT_TRUE(replaced.answer.degraded);
  EXPECT_NE(replaced.provider, first);
}

}  // namespace
}  // namespace turnout::engine
