#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/harness.h"

namespace turnout::api {
namespace {

namespace json = boost::json;
using testing::ElementsAre;

std::vector<std::string> names(const json::value& object) {
  std::vector<std::string> out;
  for (const auto& [name, value] : object.as_object()) out.emplace_back(name);
  return out;
}

json::value reported(Harness& harness, std::string_view transaction, std::string_view status,
                     std::string_view more = "", std::string_view provider = "GIGADAT") {
  std::string body = R"({"channel":"payments","transaction_id":")";
  body.append(transaction).append(R"(","provider":")").append(provider).append(R"(","status":")").append(status);
  body.append("\"").append(more.empty() ? "" : ",").append(more).append("}");
  Answer answer = harness.call("POST /v1/report", body);
  EXPECT_EQ(answer.status, 200) << answer.body;
  return answer.json();
}

Answer webhook(Harness& harness, std::string_view transaction, bool confirmed, std::string_view more = "") {
  std::string body = R"({"channel":"payments","provider":"GIGADAT","transaction_id":")";
  body.append(transaction).append(R"(","confirmed":)").append(confirmed ? "true" : "false");
  return harness.call("POST /v1/webhook", body.append(more.empty() ? "" : ",").append(more).append("}"));
}

TEST(Report, AnswersWithTheProviderAsItStandsNow) {
  Harness harness;
  const json::value answer = reported(harness, "tx_1", "success", R"("latency_ms":412)");
  EXPECT_THAT(names(answer), ElementsAre("recorded", "duplicate", "late", "circuit", "consecutive_failures", "weight",
                                         "success_rate"));
  EXPECT_EQ(answer.at("recorded"), true);
  EXPECT_EQ(answer.at("duplicate"), false);
  EXPECT_EQ(answer.at("late"), false);
  EXPECT_EQ(answer.at("circuit"), "closed");
  EXPECT_EQ(answer.at("consecutive_failures"), 0);
  EXPECT_DOUBLE_EQ(answer.at("success_rate").to_number<double>(), 4.0 / 6);
  EXPECT_DOUBLE_EQ(answer.at("weight").to_number<double>(), 4.0 / 6);
}

TEST(Report, OfAnAttemptThatIsKnownChangesNothing) {
  Harness harness;
  reported(harness, "tx_1", "success");
  const json::value before = harness.provider("GIGADAT");
  for (const char* status : {"success", "failure", "pending"}) {
    const json::value answer = reported(harness, "tx_1", status);
    EXPECT_EQ(answer.at("recorded"), false) << status;
    EXPECT_EQ(answer.at("duplicate"), true) << status;
    EXPECT_EQ(answer.at("late"), false) << status;
    EXPECT_EQ(answer.at("recorded_status"), "success") << status;
  }
  EXPECT_EQ(harness.provider("GIGADAT"), before);
  // The same payment on another provider is another attempt.
  EXPECT_EQ(reported(harness, "tx_1", "failure", "", "LOONIO").at("recorded"), true);
}

TEST(Report, IsRememberedForDedupeFor) {
  Harness harness;
  reported(harness, "tx_1", "success");
  harness.clock.now += kDay - 1;
  EXPECT_EQ(reported(harness, "tx_1", "success").at("duplicate"), true);
  harness.clock.now += kDay;
  EXPECT_EQ(reported(harness, "tx_1", "success").at("recorded"), true);
}

TEST(Report, TheFifthFailureOpensTheCircuit) {
  Harness harness;
  for (int i = 1; i <= 4; ++i) {
    const json::value answer = reported(harness, "tx_" + std::to_string(i), "failure");
    EXPECT_EQ(answer.at("circuit"), "closed");
    EXPECT_EQ(answer.at("consecutive_failures"), i);
  }
  const json::value fifth = reported(harness, "tx_5", "failure");
  EXPECT_EQ(fifth.at("circuit"), "open");
  EXPECT_EQ(fifth.at("consecutive_failures"), 5);
  EXPECT_EQ(fifth.at("weight"), 0);
  const json::value row = harness.provider("GIGADAT");
  EXPECT_EQ(row.at("opened_at_ms"), kStart);
  EXPECT_EQ(row.at("half_open_at_ms"), kStart + 30 * kSecond);
}

TEST(Report, WhoseFaultItWasDecidesWhatCounts) {
  struct Row {
    const char* kind;
    int consecutive_failures;
    double total;
  };
  for (const Row& row : {Row{"provider", 1, 1}, Row{"issuer", 0, 1}, Row{"customer", 0, 0}}) {
    Harness harness;
    const std::string kind = std::string(R"("failure_kind":")") + row.kind + "\"";
    const json::value answer = reported(harness, "tx_1", "failure", kind);
    EXPECT_EQ(answer.at("consecutive_failures"), row.consecutive_failures) << row.kind;
    EXPECT_DOUBLE_EQ(harness.provider("GIGADAT").at("total").to_number<double>(), row.total) << row.kind;
  }
}

TEST(Report, ASuccessForgetsTheFailuresBeforeIt) {
  Harness harness;
  harness.report("GIGADAT", "failure", 4);
  EXPECT_EQ(reported(harness, "tx_1", "success").at("consecutive_failures"), 0);
}

TEST(Report, UnknownNamesAre404) {
  Harness harness;
  const Answer provider = harness.call(
      "POST /v1/report", R"({"channel":"payments","transaction_id":"a","provider":"X","status":"success"})");
  EXPECT_EQ(provider.status, 404);
  EXPECT_EQ(provider.code(), "unknown_provider");
  EXPECT_EQ(provider.path(), "/provider");
  const Answer pending = harness.call(
      "POST /v1/report", R"({"channel":"payments","transaction_id":"a","provider":"X","status":"pending"})");
  EXPECT_EQ(pending.code(), "unknown_provider");
  const Answer channel = harness.call(
      "POST /v1/report", R"({"channel":"nowhere","transaction_id":"a","provider":"GIGADAT","status":"success"})");
  EXPECT_EQ(channel.status, 404);
  EXPECT_EQ(channel.code(), "unknown_channel");
  EXPECT_EQ(channel.path(), "/channel");
}

TEST(Report, WithoutTheStoreIsRefusedAndMayBeTriedAgain) {
  Harness harness;
  harness.store->failing = true;
  const Answer answer = harness.call(
      "POST /v1/report", R"({"channel":"payments","transaction_id":"a","provider":"GIGADAT","status":"success"})");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.code(), "store_unavailable");
  EXPECT_EQ(answer.header("Retry-After"), "1");
  harness.store->failing = false;
  EXPECT_EQ(reported(harness, "a", "success").at("recorded"), true);
}

TEST(Webhook, EndsAPendingAttempt) {
  for (const bool confirmed : {true, false}) {
    Harness harness;
    const json::value pending = reported(harness, "tx_1", "pending");
    EXPECT_EQ(pending.at("recorded"), true);
    EXPECT_DOUBLE_EQ(pending.at("success_rate").to_number<double>(), 0.6);
    const json::value answer = webhook(harness, "tx_1", confirmed).json();
    EXPECT_THAT(names(answer), ElementsAre("recorded", "duplicate", "late", "circuit", "consecutive_failures", "weight",
                                           "success_rate"));
    EXPECT_EQ(answer.at("recorded"), true);
    EXPECT_EQ(answer.at("duplicate"), false);
    EXPECT_EQ(answer.at("late"), false);
    EXPECT_DOUBLE_EQ(answer.at("success_rate").to_number<double>(), confirmed ? 4.0 / 6 : 0.5);
    EXPECT_EQ(answer.at("consecutive_failures"), confirmed ? 0 : 1);
    EXPECT_EQ(harness.get("/v1/channels/payments/pending").at("count"), 0);
  }
}

TEST(Webhook, SaysWhoseFaultItWasAndHowLongItTook) {
  Harness harness;
  reported(harness, "tx_1", "pending");
  webhook(harness, "tx_1", false, R"("failure_kind":"issuer","latency_ms":2250)");
  const json::value row = harness.provider("GIGADAT");
  EXPECT_EQ(row.at("consecutive_failures"), 0);
  EXPECT_NEAR(row.at("p95_ms").to_number<double>(), 2250, 2250 * 0.03);
}

TEST(Webhook, AfterTheEndIsLateAndChangesNothing) {
  Harness harness;
  reported(harness, "tx_1", "pending");
  webhook(harness, "tx_1", true);
  reported(harness, "tx_2", "failure");
  const json::value before = harness.provider("GIGADAT");
  for (const auto& [transaction, recorded] : {std::pair("tx_1", "success"), std::pair("tx_2", "failure")}) {
    for (const bool confirmed : {true, false}) {
      const Answer answer = webhook(harness, transaction, confirmed);
      EXPECT_EQ(answer.status, 200);
      EXPECT_EQ(answer.json().at("recorded"), false);
      EXPECT_EQ(answer.json().at("late"), true);
      EXPECT_EQ(answer.json().at("duplicate"), false);
      EXPECT_EQ(answer.json().at("recorded_status"), recorded);
    }
  }
  EXPECT_EQ(harness.provider("GIGADAT"), before);
}

TEST(Webhook, OfAnUnknownTransactionIs404) {
  Harness harness;
  const Answer answer = webhook(harness, "tx_1", true);
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.code(), "unknown_transaction");
  EXPECT_EQ(answer.path(), "/transaction_id");
  reported(harness, "tx_1", "pending", "", "LOONIO");
  EXPECT_EQ(webhook(harness, "tx_1", true).code(), "unknown_transaction");
}

TEST(Pending, WithoutItsWebhookIsAFailureWithinASecondOfTheDeadline) {
  Harness harness;
  reported(harness, "tx_1", "pending");
  harness.advance(120 * kSecond - 1);
  EXPECT_EQ(harness.provider("GIGADAT").at("consecutive_failures"), 0);
  EXPECT_EQ(harness.get("/v1/channels/payments/pending").at("count"), 1);
  harness.advance(kSecond);
  EXPECT_EQ(harness.provider("GIGADAT").at("consecutive_failures"), 1);
  EXPECT_EQ(harness.get("/v1/channels/payments/pending").at("count"), 0);
  harness.advance(10 * kSecond);
  EXPECT_EQ(harness.provider("GIGADAT").at("consecutive_failures"), 1);

  const json::value before = harness.provider("GIGADAT");
  const json::value late = webhook(harness, "tx_1", true).json();
  EXPECT_EQ(late.at("late"), true);
  EXPECT_EQ(late.at("recorded_status"), "failure");
  const json::value report = reported(harness, "tx_1", "success");
  EXPECT_EQ(report.at("recorded"), false);
  EXPECT_EQ(report.at("late"), true);
  EXPECT_EQ(harness.provider("GIGADAT"), before);
}

TEST(Pending, ReportedAgainIsADuplicate) {
  Harness harness;
  reported(harness, "tx_1", "pending");
  harness.clock.now += 60 * kSecond;
  const json::value again = reported(harness, "tx_1", "pending");
  EXPECT_EQ(again.at("duplicate"), true);
  EXPECT_EQ(again.at("recorded_status"), "pending");
  const json::value pending = harness.get("/v1/channels/payments/pending");
  EXPECT_EQ(at(pending, "/pending/0/deadline_ms"), kStart + 120 * kSecond);
}

TEST(Pending, AFinalReportEndsItToo) {
  Harness harness;
  reported(harness, "tx_1", "pending");
  EXPECT_EQ(reported(harness, "tx_1", "success").at("recorded"), true);
  EXPECT_EQ(webhook(harness, "tx_1", true).json().at("late"), true);
  EXPECT_DOUBLE_EQ(harness.provider("GIGADAT").at("total").to_number<double>(), 1);
}

TEST(Pending, SurvivesARestart) {
  HarnessOptions options;
  const auto store = options.store;
  {
    Harness before(std::move(options));
    reported(before, "tx_1", "pending");
  }
  HarnessOptions again;
  again.store = store;
  Harness after(std::move(again));
  EXPECT_EQ(webhook(after, "tx_1", true).json().at("recorded"), true);
  EXPECT_DOUBLE_EQ(after.provider("GIGADAT").at("successes").to_number<double>(), 1);
}

}  // namespace
}  // namespace turnout::api
