#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/harness.h"
#include "core/channel_fields.h"

namespace turnout::api {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kProviders = "/v1/channels/payments/providers";

std::vector<std::string> ids(const json::value& providers) {
  std::vector<std::string> out;
  for (const auto& row : providers.at("providers").as_array()) out.emplace_back(row.at("provider").as_string());
  return out;
}

json::value done(const Answer& answer, int status = 200) {
  EXPECT_EQ(answer.status, status) << answer.body;
  return answer.json();
}

TEST(Providers, AreShownWithAllThatMakesTheirWeight) {
  Harness harness;
  harness.call("PATCH /v1/channels/payments/providers/GIGADAT", R"({"business_multiplier":1.2})");
  for (int i = 0; i < 100; ++i) {
    const json::object body{{"channel", "payments"},    {"transaction_id", std::to_string(i)},
                            {"provider", "GIGADAT"},    {"status", i < 97 ? "success" : "failure"},
                            {"failure_kind", "issuer"}, {"latency_ms", 2250}};
    done(harness.call("POST /v1/report", json::serialize(body)));
  }
  const json::value row = harness.provider("GIGADAT");
  std::vector<std::string> names;
  for (const auto& [name, value] : row.as_object()) names.emplace_back(name);
  EXPECT_THAT(names, ElementsAre("provider", "weight", "success_rate", "successes", "total", "latency_penalty",
                                 "p95_ms", "circuit", "manual", "circuit_multiplier", "business_multiplier", "enabled",
                                 "consecutive_failures", "generation", "opened_at_ms", "half_open_at_ms",
                                 "share_last_minute", "in_flight"));
  const double penalty = row.at("latency_penalty").as_double();
  EXPECT_NEAR(penalty, 0.606531, 0.03);
  EXPECT_DOUBLE_EQ(row.at("success_rate").as_double(), 100.0 / 105);
  EXPECT_NEAR(row.at("weight").as_double(), 100.0 / 105 * penalty * 1.2, 1e-12);
  EXPECT_EQ(row.at("successes"), 97);
  EXPECT_EQ(row.at("total"), 100);
  EXPECT_EQ(row.at("circuit"), "closed");
  EXPECT_EQ(row.at("manual"), false);
  EXPECT_EQ(row.at("circuit_multiplier"), 1);
  EXPECT_EQ(row.at("generation"), 0);
  EXPECT_TRUE(row.at("opened_at_ms").is_null());
  EXPECT_TRUE(row.at("half_open_at_ms").is_null());
}

TEST(Providers, ShowTheirShareOfTheLastMinuteAndWhatIsInFlight) {
  Harness harness;
  for (int i = 0; i < 3; ++i) {
    harness.call("POST /v1/route", R"({"channel":"payments","transaction_id":"a","eligible":["GIGADAT"]})");
  }
  const json::value decision =
      done(harness.call("POST /v1/route", R"({"channel":"payments","transaction_id":"b","eligible":["LOONIO"]})"));
  EXPECT_EQ(harness.provider("GIGADAT").at("share_last_minute"), 0.75);
  EXPECT_EQ(harness.provider("GIGADAT").at("in_flight"), 3);
  EXPECT_EQ(harness.provider("LOONIO").at("in_flight"), 1);
  const json::object report{{"channel", "payments"},
                            {"transaction_id", "b"},
                            {"provider", "LOONIO"},
                            {"status", "success"},
                            {"decision_id", decision.at("decision_id")}};
  done(harness.call("POST /v1/report", json::serialize(report)));
  EXPECT_EQ(harness.provider("LOONIO").at("in_flight"), 0);
  harness.clock.now += 2 * kMinute;
  EXPECT_EQ(harness.provider("GIGADAT").at("share_last_minute"), 0);
}

TEST(Providers, CanBeCutToTheBest) {
  Harness harness;
  harness.report("LOONIO", "success", 5);
  harness.report("GIGADAT", "success", 1);
  const auto list = [&](const std::string& query) { return ids(harness.get(kProviders + query)); };
  EXPECT_THAT(list(""), ElementsAre("GIGADAT", "LOONIO", "PAYPER"));
  EXPECT_THAT(list("?top=1"), ElementsAre("LOONIO"));
  EXPECT_THAT(list("?top=1000"), ElementsAre("LOONIO", "GIGADAT", "PAYPER"));
  EXPECT_THAT(list("?min_weight=0.6"), ElementsAre("GIGADAT", "LOONIO", "PAYPER"));
  EXPECT_THAT(list("?min_weight=0.61"), ElementsAre("GIGADAT", "LOONIO"));
  EXPECT_THAT(list("?min_weight=0.61&top=1"), ElementsAre("LOONIO"));
  EXPECT_THAT(list("?min_weight=2"), IsEmpty());
}

TEST(Providers, ArePutChangedAndRemoved) {
  Harness harness;
  const json::value added = done(harness.call("PUT /v1/channels/payments/providers/NEW", "{}"), 201);
  EXPECT_EQ(added.at("provider"), "NEW");
  EXPECT_EQ(added.at("weight"), 0.6);
  const auto only_new = [&] {
    return harness.call("POST /v1/route", R"({"channel":"payments","transaction_id":"a","eligible":["NEW"]})").status;
  };
  EXPECT_EQ(only_new(), 200);

  const json::value changed =
      done(harness.call("PATCH /v1/channels/payments/providers/NEW", R"({"business_multiplier":2})"));
  EXPECT_EQ(changed.at("weight"), 1.2);
  const json::value disabled = done(harness.call("PATCH /v1/channels/payments/providers/NEW", R"({"enabled":false})"));
  EXPECT_EQ(disabled.at("enabled"), false);
  EXPECT_EQ(disabled.at("business_multiplier"), 2);
  EXPECT_EQ(only_new(), 503);
  EXPECT_EQ(done(harness.call("PATCH /v1/channels/payments/providers/NEW", "{}")), disabled);

  const json::value put = done(harness.call("PUT /v1/channels/payments/providers/NEW", R"({"enabled":true})"));
  EXPECT_EQ(put.at("business_multiplier"), 1);
  EXPECT_EQ(harness.call("DELETE /v1/channels/payments/providers/NEW").status, 204);
  EXPECT_EQ(harness.call("DELETE /v1/channels/payments/providers/NEW").code(), "unknown_provider");
  EXPECT_EQ(harness.call("PATCH /v1/channels/payments/providers/NEW", "{}").code(), "unknown_provider");
  EXPECT_EQ(only_new(), 503);
}

TEST(Providers, ARemovedOneLeavesNoStateBehind) {
  Harness harness;
  harness.report("GIGADAT", "failure", 5);
  EXPECT_EQ(harness.call("DELETE /v1/channels/payments/providers/GIGADAT").status, 204);
  EXPECT_EQ(harness
                .call("POST /v1/report",
                      R"({"channel":"payments","transaction_id":"x","provider":"GIGADAT","status":"success"})")
                .code(),
            "unknown_provider");
  const json::value again = done(harness.call("PUT /v1/channels/payments/providers/GIGADAT", "{}"), 201);
  EXPECT_EQ(again.at("circuit"), "closed");
  EXPECT_EQ(again.at("total"), 0);
}

TEST(Providers, ChangesSurviveARestart) {
  Harness harness;
  done(harness.call("PUT /v1/channels/payments/providers/NEW", R"({"business_multiplier":0.5})"), 201);
  done(harness.call("PATCH /v1/channels/payments/providers/GIGADAT", R"({"enabled":false})"));
  EXPECT_EQ(harness.call("DELETE /v1/channels/payments/providers/LOONIO").status, 204);
  harness.report("PAYPER", "failure", 5);
  const json::value before = harness.get(kProviders);
  HarnessOptions options;
  options.store = harness.store;
  Harness after(std::move(options));
  EXPECT_THAT(ids(before), ElementsAre("GIGADAT", "PAYPER", "NEW"));
  EXPECT_EQ(after.get(kProviders), before);
}

TEST(Providers, AreAtMostAThousandInAChannel) {
  Harness harness;
  json::array providers;
  for (std::size_t i = 0; i < core::kMaxProviders; ++i)
    providers.push_back(json::object{{"id", "p" + std::to_string(i)}});
  const auto body = [&] { return json::serialize(json::object{{"epsilon", 0}, {"providers", providers}}); };
  done(harness.call("PUT /v1/channels/big", body()), 201);
  EXPECT_EQ(harness.get("/v1/channels/big/providers").at("providers").as_array().size(), 1000U);
  const json::value decision =
      done(harness.call("POST /v1/route", R"({"channel":"big","transaction_id":"a","explain":true})"));
  EXPECT_EQ(decision.at("fallbacks").as_array().size(), 999U);
  EXPECT_EQ(decision.at("candidates").as_array().size(), 1000U);

  const Answer answer = harness.call("PUT /v1/channels/big/providers/one_more", "{}");
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(answer.code(), "too_many_providers");
  done(harness.call("PUT /v1/channels/big/providers/p7", R"({"enabled":false})"));
  EXPECT_EQ(harness.call("DELETE /v1/channels/big/providers/p7").status, 204);
  done(harness.call("PUT /v1/channels/big/providers/one_more", "{}"), 201);

  providers.push_back(json::object{{"id", "x"}});
  const Answer put = harness.call("PUT /v1/channels/big", body());
  EXPECT_EQ(put.status, 400);
  EXPECT_EQ(put.path(), "/providers");
}

TEST(Circuit, IsOpenedByHandUntilItIsClosedByHand) {
  Harness harness;
  harness.report("GIGADAT", "failure", 2);
  const json::value opened = done(harness.call("POST /v1/channels/payments/providers/GIGADAT/circuit",
                                               R"({"action":"open","reason":"maintenance","author":"alice"})"));
  EXPECT_EQ(json::serialize(opened),
            R"({"provider":"GIGADAT","circuit":"open","manual":true,"consecutive_failures":2,"generation":1,)"
            R"("expires_at_ms":null})");
  harness.advance(kMinute);
  harness.clock.now += kHour;
  harness.report("GIGADAT", "success", 100);
  EXPECT_EQ(harness.provider("GIGADAT").at("circuit"), "open");
  EXPECT_EQ(harness.provider("GIGADAT").at("manual"), true);
  EXPECT_EQ(harness.provider("GIGADAT").at("weight"), 0);
  const json::value closed =
      done(harness.call("POST /v1/channels/payments/providers/GIGADAT/circuit", R"({"action":"close"})"));
  EXPECT_EQ(closed.at("circuit"), "closed");
  EXPECT_EQ(closed.at("manual"), false);
  EXPECT_EQ(closed.at("consecutive_failures"), 0);
}

TEST(Circuit, OpenedForATimeClosesByItselfAndThatIsAudited) {
  Harness harness;
  const json::value opened = done(harness.call("POST /v1/channels/payments/providers/GIGADAT/circuit",
                                               R"({"action":"open","expires_in_ms":60000})"));
  EXPECT_EQ(opened.at("expires_at_ms"), kStart + kMinute);
  EXPECT_EQ(harness.provider("GIGADAT").at("half_open_at_ms"), kStart + kMinute);
  harness.clock.now += kMinute - 1;
  EXPECT_EQ(harness.provider("GIGADAT").at("circuit"), "open");
  harness.clock.now += 1;
  EXPECT_EQ(harness.provider("GIGADAT").at("circuit"), "closed");
  EXPECT_EQ(harness.provider("GIGADAT").at("manual"), false);
  harness.advance(10 * kSecond);
  const json::value newest = at(harness.get("/v1/channels/payments/audit"), "/audit/0");
  EXPECT_EQ(newest.at("action"), "expired");
  EXPECT_EQ(newest.at("provider"), "GIGADAT");
  EXPECT_TRUE(newest.at("author").is_null());
}

TEST(Circuit, IsHandedBackToTheBreaker) {
  struct Row {
    int failures;
    const char* circuit;
  };
  for (const Row& row : {Row{2, "closed"}, Row{5, "half_open"}}) {
    Harness harness;
    harness.report("GIGADAT", "failure", row.failures);
    done(harness.call("POST /v1/channels/payments/providers/GIGADAT/circuit", R"({"action":"open"})"));
    const json::value answer =
        done(harness.call("POST /v1/channels/payments/providers/GIGADAT/circuit", R"({"action":"auto"})"));
    EXPECT_EQ(answer.at("circuit"), row.circuit);
    EXPECT_EQ(answer.at("manual"), false);
  }
}

TEST(Circuit, OnlyAnOpeningMayExpire) {
  Harness harness;
  for (const char* action : {"close", "auto"}) {
    const std::string body = std::string(R"({"action":")") + action + R"(","expires_in_ms":1000})";
    const Answer answer = harness.call("POST /v1/channels/payments/providers/GIGADAT/circuit", body);
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(answer.path(), "/expires_in_ms");
  }
}

TEST(Circuit, AManualOpeningSurvivesARestart) {
  Harness harness;
  done(harness.call("POST /v1/channels/payments/providers/GIGADAT/circuit", R"({"action":"open"})"));
  HarnessOptions options;
  options.store = harness.store;
  options.start = kStart + kDay;
  Harness after(std::move(options));
  EXPECT_EQ(after.provider("GIGADAT").at("manual"), true);
}

}  // namespace
}  // namespace turnout::api
