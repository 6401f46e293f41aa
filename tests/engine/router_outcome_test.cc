#include <gtest/gtest.h>

#include "engine/engine.h"
#include "store/file/file_store.h"
#include "support/failing_store.h"
#include "support/temporary_directory.h"

// What reports, webhooks and time-outs do: docs/concepts.md, from "Attempt and outcome" to "Idempotency".

namespace turnout::engine {
namespace {

using store::Verdict;

class RouterOutcome : public ::testing::Test {
 protected:
  RouterOutcome() { engine.configure(channel_of({"stripe", "adyen"})); }

  store::MemoryStore memory;
  Engine engine{memory.stores()};
};

TEST_F(RouterOutcome, AReportAnswersWithTheProviderAsItStandsThen) {
  const ReportAnswer answer = engine.report("t1", "stripe", success(300));
  EXPECT_EQ(answer.status, ReportAnswer::Status::answered);
  EXPECT_EQ(answer.verdict, Verdict::recorded);
  EXPECT_EQ(answer.recorded_status, core::Status::success);
  EXPECT_EQ(answer.circuit, core::Circuit::closed);
  EXPECT_DOUBLE_EQ(answer.success_rate, 4.0 / 6);
  EXPECT_DOUBLE_EQ(answer.weight, 4.0 / 6);
  EXPECT_DOUBLE_EQ(engine.view("stripe").weight_at(engine.now), 4.0 / 6);
}

TEST_F(RouterOutcome, ARepeatedReportIsADuplicateAndCountsOnce) {
  engine.report("t1", "stripe", success());
  const ReportAnswer again = engine.report("t1", "stripe", success());
  EXPECT_EQ(again.verdict, Verdict::duplicate);
  EXPECT_EQ(again.recorded_status, core::Status::success);
  EXPECT_EQ(engine.arm("stripe").sums.total, 1);
  EXPECT_EQ(engine.channel()->duplicates(), 1U);
}

TEST_F(RouterOutcome, AConflictingRepeatChangesNothingAndSaysWhatStands) {
  engine.report("t1", "stripe", success());
  const ReportAnswer other = engine.report("t1", "stripe", failure());
  EXPECT_EQ(other.verdict, Verdict::duplicate);
  EXPECT_EQ(other.recorded_status, core::Status::success);
  EXPECT_EQ(other.consecutive_failures, 0U);
}

TEST_F(RouterOutcome, TheSamePaymentOnAnotherProviderIsAnotherAttempt) {
  engine.report("t1", "stripe", failure());
  EXPECT_EQ(engine.report("t1", "adyen", success()).verdict, Verdict::recorded);
  EXPECT_EQ(engine.arm("adyen").sums.successes, 1);
}

TEST_F(RouterOutcome, TheFirstWebhookCountsAndTheSecondIsLate) {
  EXPECT_EQ(engine.pending("t1", "stripe", 400).verdict, Verdict::recorded);
  EXPECT_EQ(engine.arm("stripe").sums.total, 0);
  engine.now += 5 * kSecond;
  EXPECT_EQ(engine.webhook("t1", "stripe", true).verdict, Verdict::recorded);
  const ReportAnswer late = engine.webhook("t1", "stripe", true);
  EXPECT_EQ(late.verdict, Verdict::late);
  EXPECT_EQ(late.recorded_status, core::Status::success);
  EXPECT_EQ(engine.arm("stripe").sums.successes, 1);
  EXPECT_EQ(engine.channel()->late(), 1U);
}

TEST_F(RouterOutcome, APendingReportMayBeRepeated) {
  engine.pending("t1", "stripe");
  engine.now += kSecond;
  const ReportAnswer again = engine.pending("t1", "stripe");
  EXPECT_EQ(again.verdict, Verdict::duplicate);
  EXPECT_EQ(again.recorded_status, core::Status::pending);
  EXPECT_EQ(engine.pending_count(), 1U);
}

TEST_F(RouterOutcome, TheTimeOutCountsOnceWithinASecondAndTheWebhookIsLate) {
  engine.pending("t1", "stripe");
  engine.advance(119 * kSecond);
  EXPECT_EQ(engine.arm("stripe").sums.total, 0);
  EXPECT_EQ(engine.pending_count(), 1U);
  engine.advance(kSecond, Sweeper::kStepEvery);
  EXPECT_EQ(engine.arm("stripe").sums.total, 1);
  EXPECT_EQ(engine.arm("stripe").sums.successes, 0);
  EXPECT_EQ(engine.view("stripe").breaker.consecutive_failures, 1U);
  EXPECT_EQ(engine.pending_count(), 0U);

  const core::Arm before = engine.arm("stripe");
  const ReportAnswer late = engine.webhook("t1", "stripe", true);
  EXPECT_EQ(late.verdict, Verdict::late);
  EXPECT_EQ(late.recorded_status, core::Status::failure);
  EXPECT_EQ(engine.report("t1", "stripe", success()).verdict, Verdict::late);
  engine.advance(10 * kSecond);
  EXPECT_EQ(engine.arm("stripe"), before);
  EXPECT_EQ(engine.channel()->late(), 2U);
}

TEST_F(RouterOutcome, OfTwoSweepersOneCountsTheTimeOut) {
  Engine other(memory.stores());
  other.configure(channel_of({"stripe", "adyen"}));
  engine.pending("t1", "stripe");
  engine.now = other.now = kStart + 120 * kSecond;
  engine.step();
  other.step();
  EXPECT_EQ(engine.arm("stripe").sums.total, 1);
  EXPECT_EQ(engine.activity("stripe").outcomes(1) + other.activity("stripe").outcomes(1), 1U);
}

TEST_F(RouterOutcome, AWebhookOfAnUnknownTransactionIsSaidToBeThat) {
  const ReportAnswer answer = engine.webhook("never", "stripe", true);
  EXPECT_EQ(answer.status, ReportAnswer::Status::unknown_transaction);
  EXPECT_EQ(engine.arm("stripe").sums.total, 0);
}

TEST_F(RouterOutcome, UnknownChannelsAndProvidersAreAnswers) {
  EXPECT_EQ(engine.report("t1", "nobody", success()).status, ReportAnswer::Status::unknown_provider);
  EXPECT_EQ(engine.pending("t1", "nobody").status, ReportAnswer::Status::unknown_provider);
  EXPECT_EQ(engine.webhook("t1", "nobody", true).status, ReportAnswer::Status::unknown_provider);
  engine.configure_all({});
  EXPECT_EQ(engine.report("t1", "stripe", success()).status, ReportAnswer::Status::unknown_channel);
  EXPECT_EQ(engine.pending("t1", "stripe").status, ReportAnswer::Status::unknown_channel);
  EXPECT_EQ(engine.webhook("t1", "stripe", true).status, ReportAnswer::Status::unknown_channel);
  EXPECT_EQ(engine.route("t1").answer.status, RouteAnswer::Status::unknown_channel);
}

struct AttributionRow {
  const char* name;
  core::FailureKind kind;
  double total;
  std::uint32_t consecutive_failures;
};

class Attribution : public RouterOutcome, public ::testing::WithParamInterface<AttributionRow> {};

TEST_P(Attribution, AfterFourFailures) {
  engine.fail("stripe", 4);
  const ReportAnswer answer = engine.report("t", "stripe", failure(GetParam().kind));
  EXPECT_EQ(engine.arm("stripe").sums.total, GetParam().total);
  EXPECT_EQ(answer.consecutive_failures, GetParam().consecutive_failures);
  EXPECT_EQ(answer.circuit, GetParam().consecutive_failures == 5 ? core::Circuit::open : core::Circuit::closed);
  EXPECT_EQ(answer.weight == 0, GetParam().consecutive_failures == 5);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Attribution,
                         ::testing::Values(AttributionRow{"provider", core::FailureKind::provider, 5, 5},
                                           AttributionRow{"issuer", core::FailureKind::issuer, 5, 4},
                                           AttributionRow{"customer", core::FailureKind::customer, 4, 4}),
                         [](const auto& row) { return row.param.name; });

TEST_F(RouterOutcome, ASuccessAfterFourFailuresStartsTheCountAgain) {
  engine.fail("stripe", 4);
  EXPECT_EQ(engine.report("t", "stripe", success()).consecutive_failures, 0U);
}

TEST_F(RouterOutcome, AProviderThatWasRemovedStillHasItsPendingTransactionsTimedOut) {
  engine.pending("t1", "stripe");
  (void)await(engine.operations.remove_provider(engine.channel(), "stripe", "ann", engine.now)).value();
  EXPECT_EQ(engine.webhook("t1", "stripe", true).status, ReportAnswer::Status::unknown_provider);
  engine.advance(121 * kSecond);
  EXPECT_EQ(engine.pending_count(), 0U);
  EXPECT_EQ(engine.route("t2").provider, "adyen");
}

TEST_F(RouterOutcome, AClockSetBackClearsAndCreditsNothing) {
  engine.fail("stripe", 4);
  engine.report("t1", "stripe", failure(core::FailureKind::issuer));
  engine.pending("t2", "stripe");
  engine.now -= kHour;
  EXPECT_EQ(engine.report("t3", "stripe", failure()).circuit, core::Circuit::open);
  EXPECT_EQ(engine.arm("stripe").sums.total, 6);
  EXPECT_EQ(engine.route("t4").provider, "adyen");
  EXPECT_EQ(engine.report("t1", "stripe", success()).verdict, Verdict::duplicate);
  EXPECT_EQ(engine.webhook("t2", "stripe", true).verdict, Verdict::recorded);
  engine.step();
  EXPECT_EQ(engine.arm("stripe").sums.total, 7);
}

TEST_F(RouterOutcome, AStoreThatFailsIsAnAnswerAndTheReportMayBeRepeated) {
  store::FailingStore failing(memory.stores());
  Engine other(failing.stores());
  other.configure(channel_of({"stripe"}));
  failing.fail();
  for (const ReportAnswer& answer :
       {other.report("t1", "stripe", success()), other.pending("t2", "stripe"), other.webhook("t2", "stripe", true)}) {
    EXPECT_EQ(answer.status, ReportAnswer::Status::store_failed);
    EXPECT_EQ(answer.problem, "the store is away");
  }
  EXPECT_EQ(other.activity("stripe").outcomes(0), 0U);
  failing.work();
  EXPECT_EQ(other.report("t1", "stripe", success()).verdict, Verdict::recorded);
  EXPECT_EQ(other.activity("stripe").outcomes(0), 1U);
}

class Restart : public ::testing::Test {
 protected:
  /// Ends the engine and its store and starts both again, as a new process would.
  void restart() {
    const TimeMs now = engine ? engine->now : kStart;
    engine.reset();
    store.reset();
    store = store::FileStore::open(directory.path()).value();
    engine = std::make_unique<Engine>(store->stores());
    engine->now = now;
    engine->configure(channel_of({"stripe", "adyen"}));
  }
  void SetUp() override { restart(); }

  TemporaryDirectory directory;
  std::unique_ptr<store::FileStore> store;
  std::unique_ptr<Engine> engine;
};

TEST_F(Restart, APendingTransactionAwaitsItsWebhook) {
  engine->pending("t1", "stripe");
  restart();
  EXPECT_EQ(engine->webhook("t1", "stripe", true).verdict, Verdict::recorded);
  EXPECT_EQ(engine->arm("stripe").sums.successes, 1);
  restart();
  EXPECT_EQ(engine->webhook("t1", "stripe", true).verdict, Verdict::late);
  EXPECT_DOUBLE_EQ(engine->view("stripe").factors.success_rate, 4.0 / 6);
}

TEST_F(Restart, APendingTransactionTimesOutAfterwardsAndOnce) {
  engine->pending("t1", "stripe");
  engine->now += 10 * kMinute;  // the machine was away longer than the time-out
  restart();
  engine->step();
  EXPECT_EQ(engine->arm("stripe").sums.total, 1);
  restart();
  engine->step();
  EXPECT_EQ(engine->arm("stripe").sums.total, 1);
}

TEST_F(Restart, BreakersAndTheirProbesGoOn) {
  engine->fail("stripe", 5);
  restart();
  EXPECT_EQ(engine->circuit("stripe"), core::Circuit::open);
  engine->now += 45 * kSecond;
  ASSERT_EQ(engine->route("probe").provider, "stripe");
  restart();
  EXPECT_EQ(engine->route("other").provider, "adyen");
  EXPECT_EQ(engine->report("probe", "stripe", success()).circuit, core::Circuit::closed);
}

}  // namespace
}  // namespace turnout::engine
