#include "store/transaction_store.h"

#include <gmock/gmock.h>

#include "core/feedback.h"
#include "store/contract.h"

namespace turnout::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TransactionStoreContract : public StoreContract {};
INSTANTIATE_TEST_SUITE_P(Backends, TransactionStoreContract, ::testing::ValuesIn(backend_kinds()), name_of_kind);

enum class Act { succeeds, fails, pending, confirmed, refused, times_out };

struct Step {
  Act act;
  DurationMs after_ms;
  Verdict verdict;
  core::Status recorded = core::Status::pending;
};

struct Story {
  const char* name;
  std::vector<Step> steps;
  double successes;
  double total;
};

constexpr auto kSuccess = core::Status::success;
constexpr auto kFailure = core::Status::failure;

std::vector<Story> stories() {
  return {
      {"a report, repeated",
       {{Act::succeeds, 0, Verdict::recorded, kSuccess},
        {Act::succeeds, 1, Verdict::duplicate, kSuccess},
        {Act::succeeds, 2, Verdict::duplicate, kSuccess}},
       1,
       1},
      {"a report, then the opposite",
       {{Act::fails, 0, Verdict::recorded, kFailure}, {Act::succeeds, 1, Verdict::duplicate, kFailure}},
       0,
       1},
      {"a webhook after a report comes too late",
       {{Act::succeeds, 0, Verdict::recorded, kSuccess}, {Act::refused, 1, Verdict::late, kSuccess}},
       1,
       1},
      {"pending, confirmed, confirmed again",
       {{Act::pending, 0, Verdict::recorded},
        {Act::confirmed, 1, Verdict::recorded, kSuccess},
        {Act::confirmed, 2, Verdict::late, kSuccess}},
       1,
       1},
      {"pending, refused, then reported",
       {{Act::pending, 0, Verdict::recorded},
        {Act::refused, 1, Verdict::recorded, kFailure},
        {Act::succeeds, 2, Verdict::late, kFailure},
        {Act::pending, 3, Verdict::late, kFailure}},
       0,
       1},
      {"pending, then a final report, repeated",
       {{Act::pending, 0, Verdict::recorded},
        {Act::succeeds, 1, Verdict::recorded, kSuccess},
        {Act::succeeds, 2, Verdict::duplicate, kSuccess},
        {Act::pending, 3, Verdict::duplicate, kSuccess},
        {Act::refused, 4, Verdict::late, kSuccess}},
       1,
       1},
      {"pending twice keeps the first deadline",
       {{Act::pending, 0, Verdict::recorded},
        {Act::pending, 60'000, Verdict::duplicate},
        {Act::times_out, 120'000, Verdict::recorded, kFailure}},
       0,
       1},
      {"no time-out before its time, one at its time, none after",
       {{Act::pending, 0, Verdict::recorded},
        {Act::times_out, 119'999, Verdict::unknown},
        {Act::times_out, 120'000, Verdict::recorded, kFailure},
        {Act::times_out, 120'001, Verdict::unknown},
        {Act::confirmed, 120'002, Verdict::late, kFailure},
        {Act::succeeds, 120'003, Verdict::late, kFailure}},
       0,
       1},
      {"a webhook after the deadline but before the time-out counts",
       {{Act::pending, 0, Verdict::recorded},
        {Act::confirmed, 130'000, Verdict::recorded, kSuccess},
        {Act::times_out, 130'001, Verdict::unknown}},
       1,
       1},
      {"nothing known", {{Act::confirmed, 0, Verdict::unknown}, {Act::times_out, 1, Verdict::unknown}}, 0, 0},
      {"a clock set back",
       {{Act::succeeds, 0, Verdict::recorded, kSuccess},
        {Act::succeeds, -3'600'000, Verdict::duplicate, kSuccess},
        {Act::pending, -7'200'000, Verdict::duplicate, kSuccess},
        {Act::fails, 1, Verdict::duplicate, kSuccess}},
       1,
       1},
  };
}

Recording act(StoreUser& store, Act act, TimeMs now) {
  switch (act) {
    case Act::succeeds:
      return store.report("stripe", "tx", true, now);
    case Act::fails:
      return store.report("stripe", "tx", false, now);
    case Act::pending:
      return store.begin_pending("stripe", "tx", now);
    case Act::confirmed:
      return store.webhook("stripe", "tx", true, now);
    case Act::refused:
      return store.webhook("stripe", "tx", false, now);
    case Act::times_out:
      return store.time_out("stripe", "tx", now);
  }
  return {};
}

TEST_P(TransactionStoreContract, TellsEveryStory) {
  for (const bool restarts : {false, true}) {
    for (const Story& story : stories()) {
      SCOPED_TRACE(story.name);
      backend = GetParam().make();
      StoreUser user(*backend);
      for (std::size_t i = 0; i < story.steps.size(); ++i) {
        SCOPED_TRACE("step " + std::to_string(i));
        const Step& step = story.steps[i];
        const Recording recording = act(user, step.act, kStart + step.after_ms);
        EXPECT_EQ(recording.verdict, step.verdict);
        if (step.verdict != Verdict::unknown) {
          EXPECT_EQ(recording.recorded_status, step.recorded);
        }
        if (restarts) backend->restart();
      }
      const core::Arm arm = user.arm("stripe");
      EXPECT_EQ(arm.sums.successes, story.successes);
      EXPECT_EQ(arm.sums.total, story.total);
    }
  }
}

TEST_P(TransactionStoreContract, AnswersWithTheArmAfterwards) {
  core::Arm expected;
  for (int i = 0; i < 7; ++i) {
    const auto attempt = store.attempt("stripe", "tx" + std::to_string(i));
    const core::Outcome outcome{i == 0, core::FailureKind::provider, 100 * i};
    const core::Breaker before = expected.breaker;
    core::apply_outcome(expected, store.settings, outcome, attempt.fingerprint, kStart + i);
    const Recording recording = store.finish(Source::report, "stripe", "tx" + std::to_string(i), outcome, kStart + i);
    EXPECT_EQ(recording.counted->arm, expected);
    EXPECT_EQ(recording.counted->breaker_before, before);
    EXPECT_EQ(store.arm("stripe"), expected);
  }
  EXPECT_EQ(expected.breaker.circuit, core::Circuit::open);
}

TEST_P(TransactionStoreContract, TheSameTransactionAtAnotherProviderOrChannelIsAnotherAttempt) {
  StoreUser other(*backend, "payouts");
  EXPECT_EQ(store.report("stripe", "tx", false, kStart).verdict, Verdict::recorded);
  EXPECT_EQ(store.report("adyen", "tx", true, kStart).verdict, Verdict::recorded);
  EXPECT_EQ(other.report("stripe", "tx", true, kStart).verdict, Verdict::recorded);
  EXPECT_EQ(store.arm("stripe").sums.total, 1);
  EXPECT_EQ(store.arm("adyen").sums.total, 1);
}

TEST_P(TransactionStoreContract, ReturnsWhatWasPending) {
  store.begin_pending("stripe", "a", kStart);
  store.begin_pending("stripe", "b", kStart);
  store.begin_pending("stripe", "c", kStart);
  const auto a = store.pending_of("stripe", "a", kStart);
  const auto b = store.pending_of("stripe", "b", kStart);
  const auto c = store.pending_of("stripe", "c", kStart);
  EXPECT_EQ(store.webhook("stripe", "a", true, kStart + 1).counted->resolved, a);
  EXPECT_EQ(store.time_out("stripe", "b", kStart + kDay).counted->resolved, b);
  EXPECT_EQ(store.report("stripe", "c", true, kStart + 1).counted->resolved, c);
  EXPECT_EQ(store.report("stripe", "d", true, kStart + 1).counted->resolved, std::nullopt);
  EXPECT_EQ(store.pending_count(), 0U);
}

TEST_P(TransactionStoreContract, TakesTheLatencyFromWhereverItIsKnown) {
  const auto bin_sum = [&](DurationMs latency_ms) {
    core::LatencyHistogram one;
    one.add(latency_ms, 1);
    double sum = 0;
    for (std::size_t i = 0; i < one.bins().size(); ++i)
      sum += one.bins()[i] * store.arm("stripe").sums.latency.bins()[i];
    return sum;
  };
  for (const char* id : {"own", "pending", "time_out", "report"}) store.begin_pending("stripe", id, kStart);
  store.finish(Source::webhook, "stripe", "own", {true, core::FailureKind::provider, 5000}, kStart + 1);
  EXPECT_EQ(bin_sum(5000), 1);
  EXPECT_EQ(bin_sum(321), 0);
  store.webhook("stripe", "pending", true, kStart + 1);
  EXPECT_EQ(bin_sum(321), 1);
  store.finish(Source::time_out, "stripe", "time_out", {false, core::FailureKind::provider, 77}, kStart + 120'000);
  EXPECT_EQ(bin_sum(321), 1);
  EXPECT_EQ(bin_sum(77), 0);
  store.finish(Source::report, "stripe", "report", {true, core::FailureKind::provider, 900}, kStart + 120'000);
  EXPECT_EQ(bin_sum(900), 1);
  EXPECT_EQ(bin_sum(321), 1);
}

std::vector<std::string> ids_of(const std::vector<PendingTransaction>& transactions) {
  std::vector<std::string> ids;
  for (const auto& transaction : transactions) ids.push_back(transaction.transaction_id);
  return ids;
}

TEST_P(TransactionStoreContract, ListsPendingByDeadline) {
  EXPECT_THAT(store.due(kStart + kDay), IsEmpty());
  store.begin_pending("stripe", "third", kStart + 2000);
  store.begin_pending("adyen", "first", kStart);
  store.begin_pending("stripe", "second", kStart + 1000);
  const DurationMs wait = store.settings.webhook_timeout_ms;
  EXPECT_THAT(ids_of(store.due(kStart + wait - 1)), IsEmpty());
  EXPECT_THAT(ids_of(store.due(kStart + wait)), ElementsAre("first"));
  EXPECT_THAT(ids_of(store.due(kStart + kDay)), ElementsAre("first", "second", "third"));
  EXPECT_THAT(ids_of(store.due(kStart + kDay, 2)), ElementsAre("first", "second"));
  EXPECT_THAT(ids_of(store.due(kStart + kDay, 0)), IsEmpty());
  EXPECT_THAT(ids_of(store.pending(2)), ElementsAre("first", "second"));
  EXPECT_EQ(store.pending_count(), 3U);
  store.webhook("stripe", "second", true, kStart + 3000);
  EXPECT_THAT(ids_of(store.pending()), ElementsAre("first", "third"));
}

TEST_P(TransactionStoreContract, RemembersFinalAttemptsForTheTimeAsked) {
  for (const DurationMs keep_for : {DurationMs{1}, DurationMs{1000}, kHour, kDay, 30 * kDay}) {
    SCOPED_TRACE(keep_for);
    const TimeMs begun = kStart + 100 * keep_for;
    StoreUser user(*backend, "channel-" + std::to_string(keep_for));
    user.settings.dedupe_for_ms = keep_for;
    user.report("stripe", "tx", true, begun);
    EXPECT_EQ(user.report("stripe", "tx", true, begun + keep_for - 1).verdict, Verdict::duplicate);
    EXPECT_EQ(user.report("stripe", "tx", true, begun + keep_for + (keep_for + 7) / 8).verdict, Verdict::recorded);
  }
}

TEST_P(TransactionStoreContract, AChangedTimeToRememberHoldsAtOnce) {
  store.settings.dedupe_for_ms = kHour;
  store.report("stripe", "tx", true, kStart);
  store.settings.dedupe_for_ms = kDay;
  EXPECT_EQ(store.report("stripe", "tx", true, kStart + 2 * kHour).verdict, Verdict::duplicate);
  store.settings.dedupe_for_ms = kMinute;
  EXPECT_EQ(store.report("stripe", "tx", true, kStart + 2 * kHour).verdict, Verdict::recorded);
}

TEST_P(TransactionStoreContract, ForgetsTheOldestBeyondTheMaximum) {
  constexpr int kMax = 800;
  store.settings.dedupe_max = kMax;
  constexpr int kReports = 3000;
  for (int i = 0; i < kReports; ++i) {
    ASSERT_EQ(store.report("stripe", std::to_string(i), true, kStart).verdict, Verdict::recorded);
    ASSERT_LE(store.status().remembered, static_cast<std::uint64_t>(kMax));
    ASSERT_GT(store.status().remembered, static_cast<std::uint64_t>(std::min(i, kMax - kMax / 8)));
  }
  EXPECT_EQ(store.status().forgotten_early, kReports - store.status().remembered);
  for (int i = kReports - (kMax - kMax / 8); i < kReports; ++i) {
    ASSERT_EQ(store.report("stripe", std::to_string(i), true, kStart).verdict, Verdict::duplicate);
  }
  EXPECT_EQ(store.report("stripe", std::to_string(kReports - kMax - 1), true, kStart).verdict, Verdict::recorded);
}

TEST_P(TransactionStoreContract, ForgettingNeverTouchesThePending) {
  store.settings.dedupe_for_ms = 1000;
  store.settings.dedupe_max = 1;
  store.begin_pending("stripe", "waiting", kStart);
  for (int i = 0; i < 10; ++i) store.report("stripe", std::to_string(i), true, kStart + i * kDay);
  EXPECT_EQ(store.webhook("stripe", "waiting", true, kStart + 20 * kDay).verdict, Verdict::recorded);
}

TEST_P(TransactionStoreContract, AChoiceStandsUntilItsTimeIsOver) {
  const RememberedChoice first = store.remember_choice(42, "stripe", kHour, kStart);
  EXPECT_EQ(first.provider, "stripe");
  EXPECT_FALSE(first.earlier);
  const RememberedChoice second = store.remember_choice(42, "adyen", kHour, kStart + kHour - 1);
  EXPECT_EQ(second.provider, "stripe");
  EXPECT_TRUE(second.earlier);
  EXPECT_FALSE(store.remember_choice(43U << 16, "adyen", kHour, kStart).earlier);
  const RememberedChoice third = store.remember_choice(42, "adyen", kHour, kStart + kHour + kHour / 8);
  EXPECT_EQ(third.provider, "adyen");
  EXPECT_FALSE(third.earlier);
}

TEST_P(TransactionStoreContract, AReplacedChoiceStandsInPlaceOfTheFirst) {
  store.remember_choice(42, "stripe", kHour, kStart);
  store.replace_choice(42, "adyen", kHour, kStart + 1);
  EXPECT_EQ(store.remember_choice(42, "worldpay", kHour, kStart + 2).provider, "adyen");
  store.replace_choice(42, "stripe", kHour, kStart + kHour / 2);
  EXPECT_EQ(store.remember_choice(42, "worldpay", kHour, kStart + kHour).provider, "stripe");
  store.replace_choice(1U << 20, "worldpay", kHour, kStart);
  EXPECT_EQ(store.remember_choice(1U << 20, "stripe", kHour, kStart).provider, "worldpay");
}

}  // namespace
}  // namespace turnout::store
