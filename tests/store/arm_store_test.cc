#include "store/arm_store.h"

#include <gmock/gmock.h>

#include "store/contract.h"

namespace turnout::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ArmStoreContract : public StoreContract {
 protected:
  void fail(int times, TimeMs now) {
    for (int i = 0; i < times; ++i)
      store.report("stripe", "failure-" + std::to_string(now) + std::to_string(i), false, now);
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, ArmStoreContract, ::testing::ValuesIn(backend_kinds()), name_of_kind);

TEST_P(ArmStoreContract, AnUnknownProviderHasAFreshArm) {
  EXPECT_EQ(store.arm("stripe"), core::Arm{});
  store.report("stripe", "tx", true, kStart);
  EXPECT_EQ(store.arm("adyen"), core::Arm{});
  EXPECT_EQ(StoreUser(*backend, "other").arm("stripe"), core::Arm{});
}

TEST_P(ArmStoreContract, ReadsArmsInTheOrderAsked) {
  store.report("a", "tx", true, kStart);
  store.report("b", "tx", false, kStart);
  const auto arms = await(backend->stores().arms.read_arms("payments", {"b", "c", "a", "b"})).value();
  ASSERT_EQ(arms.size(), 4U);
  EXPECT_EQ(arms[0], store.arm("b"));
  EXPECT_EQ(arms[1], core::Arm{});
  EXPECT_EQ(arms[2], store.arm("a"));
  EXPECT_EQ(arms[3], store.arm("b"));
  EXPECT_THAT(await(backend->stores().arms.read_arms("payments", {})).value(), IsEmpty());
  EXPECT_EQ(await(backend->stores().arms.read_arms("none", {"a", "b"})).value().size(), 2U);
}

TEST_P(ArmStoreContract, AppliesBreakerEventsAndCountsRevisions) {
  const BreakerChange nothing = store.change_breaker("stripe", core::TimePassed{}, kStart);
  EXPECT_EQ(nothing.arm, core::Arm{});
  const BreakerChange opened = store.change_breaker("stripe", core::OpenManually{kStart + kMinute}, kStart);
  EXPECT_EQ(opened.before, core::Breaker{});
  EXPECT_EQ(opened.arm.breaker,
            core::after_event({}, store.settings.breaker, core::OpenManually{kStart + kMinute}, kStart));
  EXPECT_EQ(opened.arm.revision, 1U);
  EXPECT_EQ(store.arm("stripe"), opened.arm);
  const BreakerChange expired = store.change_breaker("stripe", core::TimePassed{}, kStart + kMinute);
  EXPECT_EQ(expired.before, opened.arm.breaker);
  EXPECT_EQ(expired.arm.breaker.circuit, core::Circuit::closed);
  EXPECT_EQ(expired.arm.revision, 2U);
  EXPECT_EQ(store.change_breaker("stripe", core::TimePassed{}, kStart + kMinute).arm.revision, 2U);
}

TEST_P(ArmStoreContract, KeepsCountsWhenTheBreakerChanges) {
  store.report("stripe", "tx", true, kStart);
  const core::Sums sums = store.arm("stripe").sums;
  store.change_breaker("stripe", core::OpenManually{}, kStart);
  EXPECT_EQ(store.arm("stripe").sums, sums);
}

TEST_P(ArmStoreContract, OneProbeForOneDecision) {
  fail(5, kStart);
  const TimeMs half_open = kStart + 30 * kSecond;
  const auto first = store.change_breaker("stripe", core::TakeProbe{1, Uuid{1, 1}}, half_open);
  const auto second = store.change_breaker("stripe", core::TakeProbe{2, Uuid{2, 2}}, half_open);
  EXPECT_TRUE(core::holds_probe(first.arm.breaker, 1, half_open));
  EXPECT_FALSE(core::holds_probe(second.arm.breaker, 2, half_open));
  EXPECT_EQ(second.arm, first.arm);
  const auto later = store.change_breaker("stripe", core::TakeProbe{3, Uuid{3, 3}}, half_open + 120 * kSecond);
  EXPECT_TRUE(core::holds_probe(later.arm.breaker, 3, half_open + 120 * kSecond));
}

TEST_P(ArmStoreContract, AProbeIsRecognisedByItsAttempt) {
  fail(5, kStart);
  const TimeMs half_open = kStart + 30 * kSecond;
  store.change_breaker("stripe", core::TakeProbe{store.attempt("stripe", "probe").fingerprint, Uuid{1, 1}}, half_open);
  EXPECT_EQ(store.report("stripe", "other", true, half_open).counted->arm.breaker.circuit, core::Circuit::half_open);
  EXPECT_EQ(store.report("stripe", "probe", true, half_open).counted->arm.breaker.circuit, core::Circuit::closed);
}

TEST_P(ArmStoreContract, ForgetsARemovedProvider) {
  store.report("stripe", "tx", true, kStart);
  store.report("adyen", "tx", true, kStart);
  store.publish({{"stripe", 0.5}, {"adyen", 0.6}}, kStart);
  store.remove_provider("stripe");
  store.remove_provider("stripe");
  store.remove_provider("never seen");
  EXPECT_EQ(store.arm("stripe"), core::Arm{});
  EXPECT_THAT(store.history("stripe"), IsEmpty());
  EXPECT_EQ(store.arm("adyen").sums.total, 1);
  EXPECT_THAT(store.history("adyen"), ElementsAre(HistoryPoint{kStart, 0.6}));
}

TEST_P(ArmStoreContract, OneSweepPerInterval) {
  const DurationMs interval = store.settings.sweep_interval_ms;
  EXPECT_TRUE(store.claim_sweep(kStart));
  EXPECT_FALSE(store.claim_sweep(kStart));
  EXPECT_FALSE(store.claim_sweep(kStart + interval - 1));
  EXPECT_FALSE(store.claim_sweep(kStart - 1)) << "another instance's clock is a little behind";
  EXPECT_TRUE(store.claim_sweep(kStart + interval));
  EXPECT_FALSE(store.claim_sweep(kStart + interval + 1));
  EXPECT_TRUE(store.claim_sweep(kStart - kHour)) << "a clock set back must not stop the sweeps";
  EXPECT_TRUE(StoreUser(*backend, "other").claim_sweep(kStart));
}

TEST_P(ArmStoreContract, KeepsEqualWeightsOfDifferentTimesApart) {
  store.publish({{"stripe", 0.847}}, kStart + 1);
  store.publish({{"stripe", 0.851}}, kStart + 2);
  store.publish({{"stripe", 0.847}}, kStart + 3);
  EXPECT_THAT(store.history("stripe"), ElementsAre(HistoryPoint{kStart + 1, 0.847}, HistoryPoint{kStart + 2, 0.851},
                                                   HistoryPoint{kStart + 3, 0.847}));
}

TEST_P(ArmStoreContract, OrdersHistoryByTimeAndReplacesTheSameMoment) {
  store.publish({{"stripe", 0.1}, {"adyen", 0.9}}, kStart + 10);
  store.publish({{"stripe", 0.2}}, kStart);
  store.publish({{"stripe", 0.3}}, kStart + 10);
  EXPECT_THAT(store.history("stripe"), ElementsAre(HistoryPoint{kStart, 0.2}, HistoryPoint{kStart + 10, 0.3}));
  EXPECT_THAT(store.history("stripe", 1), ElementsAre(HistoryPoint{kStart + 10, 0.3}));
  EXPECT_THAT(store.history("stripe", 0), IsEmpty());
  EXPECT_THAT(store.history("adyen"), ElementsAre(HistoryPoint{kStart + 10, 0.9}));
  EXPECT_THAT(store.history("none"), IsEmpty());
}

TEST_P(ArmStoreContract, KeepsTheNewestPoints) {
  constexpr auto kLimit = static_cast<TimeMs>(ArmStore::kHistoryLimit);
  for (TimeMs i = 0; i < kLimit + 10; ++i) store.publish({{"stripe", static_cast<double>(i)}}, kStart + i);
  const auto points = store.history("stripe", 5000);
  ASSERT_EQ(points.size(), ArmStore::kHistoryLimit);
  EXPECT_EQ(points.front(), (HistoryPoint{kStart + 10, 10}));
  EXPECT_EQ(points.back(), (HistoryPoint{kStart + kLimit + 9, static_cast<double>(kLimit + 9)}));
}

}  // namespace
}  // namespace turnout::store
