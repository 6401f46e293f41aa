#include <gmock/gmock.h>

#include "store/contract.h"

namespace turnout::store {
namespace {

/// What every store that outlives its process must find store.
class RestartContract : public StoreContract {};
INSTANTIATE_TEST_SUITE_P(Backends, RestartContract, ::testing::ValuesIn(lasting_backend_kinds()), name_of_kind);

TEST_P(RestartContract, FindsCountsLatenciesAndBreakersAgain) {
  store.settings.forgetting = {core::Forgetting::Kind::half_life, 6 * kHour};
  for (int i = 0; i < 40; ++i) {
    const core::Outcome outcome{i % 3 != 0, core::FailureKind::provider, i * 37 % 3000};
    store.finish(Source::report, "stripe", std::to_string(i), outcome, kStart + i * kMinute);
  }
  for (int i = 0; i < 5; ++i) store.report("adyen", std::to_string(i), false, kStart);
  store.change_breaker("adyen", core::TakeProbe{77, Uuid{1, 2}}, kStart + kMinute);
  store.change_breaker("paypal", core::OpenManually{}, kStart);
  const core::Arm stripe = store.arm("stripe");
  const core::Arm adyen = store.arm("adyen");
  const core::Arm paypal = store.arm("paypal");
  EXPECT_EQ(adyen.breaker.lease_count, 1);

  backend->restart();
  EXPECT_EQ(store.arm("stripe"), stripe);
  EXPECT_EQ(store.arm("adyen"), adyen);
  EXPECT_EQ(store.arm("paypal"), paypal);
  EXPECT_TRUE(core::manual_at(store.arm("paypal").breaker, kStart + kDay));
}

TEST_P(RestartContract, FindsPendingTransactionsAgain) {
  store.begin_pending("stripe", "full", kStart);
  PendingTransaction bare;
  bare.transaction_id = "bare";
  bare.provider = "stripe";
  bare.deadline_ms = kStart + 5;
  (void)await(backend->stores().transactions.begin_pending(store.attempt("stripe", "bare"), bare, kStart)).value();
  store.begin_pending("stripe", "ended", kStart);
  store.webhook("stripe", "ended", true, kStart + 1);

  backend->restart();
  EXPECT_THAT(store.pending(), ::testing::ElementsAre(bare, store.pending_of("stripe", "full", kStart)));
  EXPECT_EQ(store.webhook("stripe", "full", true, kStart + 2).verdict, Verdict::recorded);
  EXPECT_EQ(store.webhook("stripe", "ended", true, kStart + 2).verdict, Verdict::late);
  EXPECT_EQ(store.time_out("stripe", "bare", kStart + 5).verdict, Verdict::recorded);
  backend->restart();
  EXPECT_EQ(store.pending_count(), 0U);
}

TEST_P(RestartContract, FindsFinalAttemptsAgainAndForgetsThemInTime) {
  for (int day = 0; day < 4; ++day) {
    for (int i = 0; i < 500; ++i) {
      store.report("stripe", std::to_string(day) + "/" + std::to_string(i), true, kStart + day * kDay + i * kMinute);
    }
    backend->restart();
    EXPECT_EQ(store.begin_pending("stripe", std::to_string(day) + "/499", kStart + day * kDay).verdict,
              Verdict::duplicate);
    for (int i = 0; i < 500; ++i) {
      const std::string id = std::to_string(day) + "/" + std::to_string(i);
      ASSERT_EQ(store.report("stripe", id, true, kStart + day * kDay + kHour).verdict, Verdict::duplicate);
    }
  }
  EXPECT_EQ(store.report("stripe", "0/0", true, kStart + 4 * kDay).verdict, Verdict::recorded);
}

TEST_P(RestartContract, FindsChoicesAgain) {
  store.remember_choice(1U << 20, "stripe", kHour, kStart);
  store.remember_choice(2U << 20, "adyen", kHour, kStart);
  store.replace_choice(1U << 20, "paypal", kHour, kStart);
  backend->restart();
  EXPECT_EQ(store.remember_choice(1U << 20, "none", kHour, kStart).provider, "paypal");
  EXPECT_EQ(store.remember_choice(2U << 20, "none", kHour, kStart).provider, "adyen");
  EXPECT_FALSE(store.remember_choice(3U << 20, "worldpay", kHour, kStart).earlier);
  backend->restart();
  EXPECT_EQ(store.remember_choice(3U << 20, "none", kHour, kStart).provider, "worldpay");
}

TEST_P(RestartContract, FindsHistoryAgain) {
  for (int i = 0; i < 1500; ++i) store.publish({{"stripe", i * 0.001}, {"adyen", 0.5}}, kStart + i);
  store.publish({{"stripe", 9}}, kStart + 1400);
  const auto stripe = store.history("stripe");
  const auto adyen = store.history("adyen");
  backend->restart();
  EXPECT_EQ(store.history("stripe"), stripe);
  EXPECT_EQ(store.history("adyen"), adyen);
  EXPECT_EQ(stripe.size(), ArmStore::kHistoryLimit);
}

TEST_P(RestartContract, FindsSettingsAndAuditAgain) {
  AuditEntry entry;
  entry.at_ms = kStart;
  entry.action = "settings";
  entry.author = "Zoë";
  entry.detail = "line\nline";
  store.change_overrides({{"epsilon", "0.1"}, {"policy", "weighted"}}, entry);
  store.change_overrides({{"policy", std::nullopt}}, entry);
  const auto overrides = store.all_overrides();
  backend->restart();
  EXPECT_EQ(store.all_overrides(), overrides);
  EXPECT_THAT(store.audit(), ::testing::ElementsAre(entry, entry));
}

TEST_P(RestartContract, WhatWasRemovedStaysRemoved) {
  for (int i = 0; i < 100; ++i) store.report("stripe", std::to_string(i), true, kStart);
  store.report("adyen", "tx", true, kStart);
  store.remember_choice(1U << 20, "adyen", kHour, kStart);
  store.publish({{"adyen", 0.5}, {"stripe", 0.5}}, kStart);
  backend->restart();
  store.remove_provider("adyen");
  backend->restart();
  EXPECT_EQ(store.arm("adyen"), core::Arm{});
  EXPECT_TRUE(store.history("adyen").empty());
  store.remove_channel();
  store.report("stripe", "0", false, kStart);
  store.remember_choice(1U << 20, "stripe", kHour, kStart);
  for (int restarts = 0; restarts < 3; ++restarts) {
    backend->restart();
    EXPECT_EQ(store.arm("stripe").sums.total, 1);
    EXPECT_EQ(store.status().remembered, 1U);
    EXPECT_EQ(store.history("stripe").size(), 0U);
    EXPECT_EQ(store.remember_choice(1U << 20, "none", kHour, kStart).provider, "stripe");
  }
  store.remove_channel();
  backend->restart();
  EXPECT_EQ(store.status().remembered, 0U);
}

}  // namespace
}  // namespace turnout::store
