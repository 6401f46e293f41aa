#include <gtest/gtest.h>

#include "engine/engine.h"
#include "support/failing_store.h"

// What time alone brings: docs/concepts.md, "Pending" and "Sweep and history".

namespace turnout::engine {
namespace {

constexpr DurationMs kInterval = 10 * kSecond;

class SweeperTest : public ::testing::Test {
 protected:
  SweeperTest() { engine.configure(channel_of({"stripe", "adyen"})); }

  std::vector<store::HistoryPoint> history(const std::string& provider) {
    return await(memory.history("payments", provider, 1000)).value();
  }

  store::MemoryStore memory;
  store::FailingStore failing{memory.stores()};
  Engine engine{failing.stores()};
};

TEST_F(SweeperTest, OnePointOfHistoryPerProviderAndInterval) {
  engine.step();
  engine.advance(60 * kSecond, Sweeper::kStepEvery);
  for (const char* provider : {"stripe", "adyen"}) {
    const auto points = history(provider);
    ASSERT_EQ(points.size(), 7U);
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(points[i].at_ms, kStart + static_cast<TimeMs>(i) * kInterval);
      EXPECT_DOUBLE_EQ(points[i].weight, 0.6) << "equal weights are points of their own";
    }
  }
}

TEST_F(SweeperTest, APointShowsTheWeightOfItsMoment) {
  engine.step();
  engine.report("t1", "stripe", success());
  engine.advance(kInterval);
  engine.now += kHour;  // the window is over
  engine.step();
  const auto points = history("stripe");
  ASSERT_EQ(points.size(), 3U);
  EXPECT_DOUBLE_EQ(points[1].weight, 4.0 / 6);
  EXPECT_DOUBLE_EQ(points[2].weight, 0.6);
  EXPECT_DOUBLE_EQ(engine.view("stripe").weight_without_circuit, 0.6);
}

TEST_F(SweeperTest, ANewIntervalHoldsAtOnce) {
  auto settings = channel_of({"stripe"});
  settings.sweep_interval_ms = kSecond;
  engine.step();
  engine.configure(settings);
  engine.advance(5 * kSecond, Sweeper::kStepEvery);
  EXPECT_EQ(history("stripe").size(), 6U);
}

TEST_F(SweeperTest, OfSeveralInstancesOneSweepsEachInterval) {
  Engine other(memory.stores());
  other.configure(channel_of({"stripe", "adyen"}));
  for (int i = 0; i < 300; ++i) {
    engine.now = other.now = kStart + i * Sweeper::kStepEvery;
    engine.step();
    other.now += 70;
    other.step();
  }
  EXPECT_EQ(history("stripe").size(), 6U);
}

TEST_F(SweeperTest, AClockSetBackDoesNotStopIt) {
  engine.advance(30 * kSecond);
  const std::size_t before = history("stripe").size();
  engine.now -= kHour;
  engine.advance(30 * kSecond);
  EXPECT_EQ(history("stripe").size(), before + 3);
  engine.now -= kSecond;
  engine.advance(30 * kSecond);
  EXPECT_GE(history("stripe").size(), before + 5) << "a small step back neither";
}

TEST_F(SweeperTest, MakesTheEndOfAnOpenPeriodTheStoredState) {
  engine.fail("stripe", 5);
  engine.step();
  engine.advance(30 * kSecond);
  EXPECT_EQ(engine.arm("stripe").breaker.circuit, core::Circuit::half_open);
  EXPECT_EQ(engine.arm("stripe").breaker.generation, 2U);
  EXPECT_EQ(engine.view("stripe").breaker.circuit, core::Circuit::half_open);
  EXPECT_EQ(engine.activity("stripe").transitions(core::Circuit::half_open), 1U);
  engine.advance(30 * kSecond);
  EXPECT_EQ(engine.arm("stripe").breaker.generation, 2U);
}

TEST_F(SweeperTest, CountsMoreOverdueTransactionsThanOneBatchHas) {
  constexpr int kTransactions = 700;
  for (int i = 0; i < kTransactions; ++i) engine.pending("t" + std::to_string(i), i % 2 == 0 ? "stripe" : "adyen");
  engine.now += 119 * kSecond;
  engine.step();
  EXPECT_EQ(engine.pending_count(), 700U);
  engine.now += kSecond;
  engine.step();
  EXPECT_EQ(engine.pending_count(), 0U);
  EXPECT_EQ(engine.arm("stripe").sums.total + engine.arm("adyen").sums.total, kTransactions);
}

TEST_F(SweeperTest, TransactionsOfAChannelThatIsGoneWaitForItsReturn) {
  engine.pending("t1", "stripe");
  engine.configure_all({});
  engine.advance(200 * kSecond);
  EXPECT_EQ(engine.pending_count(), 1U);
  engine.configure(channel_of({"stripe"}));
  engine.step();
  EXPECT_EQ(engine.pending_count(), 0U);
  EXPECT_EQ(engine.arm("stripe").sums.total, 1);
}

TEST_F(SweeperTest, PublishesTheWeightsToListeners) {
  const auto subscription = engine.events.subscribe();
  engine.step();
  EXPECT_EQ(subscription->take(),
            "event: weights\ndata: {\"at_ms\":1700000000000,\"channel\":\"payments\","
            "\"weights\":{\"stripe\":0.6,\"adyen\":0.6}}\n\n");
}

class FailingStoreSweep : public SweeperTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(FailingStoreSweep, IsTriedAgainWithTheNextStep) {
  engine.fail("stripe", 5);
  engine.pending("t1", "adyen");
  engine.now += 121 * kSecond;
  failing.fail(GetParam());
  for (int i = 0; i < 5; ++i) {
    engine.step();
    engine.now += Sweeper::kStepEvery;
  }
  failing.work();
  engine.step();
  EXPECT_EQ(engine.pending_count(), 0U);
  EXPECT_EQ(engine.arm("adyen").sums.total, 1);
  EXPECT_EQ(engine.arm("stripe").breaker.circuit, core::Circuit::half_open);
  ASSERT_FALSE(history("stripe").empty());
  engine.now += kSecond;
  engine.step();
  EXPECT_EQ(history("stripe").size(), 1U) << "and is done once";
}

INSTANTIATE_TEST_SUITE_P(Operations, FailingStoreSweep,
                         ::testing::Values("", "due", "finish", "claim_sweep", "change_breaker", "read_arms",
                                           "publish_weights"),
                         [](const auto& row) { return *row.param == '\0' ? std::string("all") : row.param; });

}  // namespace
}  // namespace turnout::engine
