#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>

#include "api/harness.h"

namespace turnout::api {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr const char* kRoute = "POST /v1/route";
constexpr const char* kBatch = "POST /v1/route/batch";

std::vector<std::string> texts(const json::value& array) {
  std::vector<std::string> out;
  for (const auto& text : array.as_array()) out.emplace_back(text.as_string());
  return out;
}

std::vector<std::string> names(const json::value& object) {
  std::vector<std::string> out;
  for (const auto& [name, value] : object.as_object()) out.emplace_back(name);
  return out;
}

std::string route_body(std::string_view transaction, std::string_view more = "") {
  std::string body = R"({"channel":"payments","transaction_id":")";
  body.append(transaction).append("\"").append(more.empty() ? "" : ",").append(more);
  return body + "}";
}

json::value routed(Harness& harness, std::string_view transaction, std::string_view more = "") {
  Answer answer = harness.call(kRoute, route_body(transaction, more));
  EXPECT_EQ(answer.status, 200) << answer.body;
  return answer.json();
}

/// A harness whose one channel has these settings besides its providers.
HarnessOptions with(std::vector<std::string> providers, const std::function<void(core::ChannelSettings&)>& change) {
  HarnessOptions options;
  core::ChannelSettings settings = channel_of_providers(providers);
  change(settings);
  options.configured = {{"payments", settings}};
  return options;
}

TEST(Route, AnswersWithADecision) {
  Harness harness;
  const json::value decision = routed(harness, "tx_1");
  EXPECT_THAT(names(decision), ElementsAre("decision_id", "channel", "transaction_id", "provider", "reason",
                                           "fallbacks", "propensity", "policy", "degraded", "snapshot_age_ms"));
  EXPECT_EQ(decision.at("channel"), "payments");
  EXPECT_EQ(decision.at("transaction_id"), "tx_1");
  EXPECT_EQ(decision.at("reason"), "exploited");
  EXPECT_DOUBLE_EQ(decision.at("propensity").as_double(), 1.0 / 3);
  EXPECT_EQ(decision.at("policy"), "weighted");
  EXPECT_EQ(decision.at("degraded"), false);
  EXPECT_EQ(decision.at("snapshot_age_ms"), 0);
  auto order = texts(decision.at("fallbacks"));
  order.emplace_back(decision.at("provider").as_string());
  EXPECT_THAT(order, UnorderedElementsAre("GIGADAT", "LOONIO", "PAYPER"));
  const auto id = Uuid::parse(std::string(decision.at("decision_id").as_string()));
  ASSERT_TRUE(id);
  EXPECT_EQ(id->time_ms(), kStart);
}

TEST(Route, ExplainsItsCandidates) {
  Harness harness;
  harness.call("PATCH /v1/channels/payments/providers/LOONIO", R"({"business_multiplier":1.5})");
  harness.call("PATCH /v1/channels/payments/providers/PAYPER", R"({"enabled":false})");
  harness.call(
      "POST /v1/report",
      R"({"channel":"payments","transaction_id":"a","provider":"GIGADAT","status":"success","latency_ms":2250})");
  const json::value decision = routed(harness, "tx_1", R"("explain":true)");
  const json::array& candidates = decision.at("candidates").as_array();
  ASSERT_EQ(candidates.size(), 3U);
  EXPECT_THAT(names(candidates[0]),
              ElementsAre("provider", "weight", "success_rate", "latency_penalty", "p95_ms", "circuit",
                          "circuit_multiplier", "business_multiplier", "eligible", "why_not"));
  EXPECT_EQ(candidates[0].at("provider"), "GIGADAT");
  EXPECT_NEAR(candidates[0].at("p95_ms").to_number<double>(), 2250, 2250 * 0.03);
  EXPECT_DOUBLE_EQ(candidates[0].at("success_rate").to_number<double>(), 4.0 / 6);
  EXPECT_LT(candidates[0].at("latency_penalty").to_number<double>(), 1);
  EXPECT_EQ(candidates[0].at("eligible"), true);
  EXPECT_TRUE(candidates[0].at("why_not").is_null());
  EXPECT_DOUBLE_EQ(candidates[1].at("weight").to_number<double>(), 0.6 * 1.5);
  EXPECT_EQ(candidates[1].at("business_multiplier"), 1.5);
  EXPECT_TRUE(candidates[1].at("p95_ms").is_null());
  EXPECT_EQ(candidates[2].at("eligible"), false);
  EXPECT_EQ(candidates[2].at("why_not"), "disabled");
  EXPECT_FALSE(routed(harness, "tx_1", R"("explain":false)").as_object().contains("candidates"));
}

TEST(Route, ChoosesOnlyWhatTheRequestAllows) {
  Harness harness;
  for (int i = 0; i < 50; ++i) {
    const json::value listed = routed(harness, "tx", R"("eligible":["LOONIO","PAYPER","stranger"])");
    EXPECT_NE(listed.at("provider"), "GIGADAT");
    EXPECT_EQ(texts(listed.at("fallbacks")).size(), 1U);
    const json::value excluded = routed(harness, "tx", R"("exclude":["LOONIO","PAYPER","stranger"])");
    EXPECT_EQ(excluded.at("provider"), "GIGADAT");
    EXPECT_EQ(texts(excluded.at("fallbacks")).size(), 0U);
  }
  const Answer both = harness.call(kRoute, route_body("tx", R"("eligible":["LOONIO"],"exclude":["LOONIO"])"));
  EXPECT_EQ(both.status, 503);
  EXPECT_EQ(json::serialize(both.json().at("reasons")),
            R"({"GIGADAT":"not_listed","LOONIO":"excluded","PAYPER":"not_listed"})");
}

TEST(Route, NamesWhyNobodyMayBeChosen) {
  Harness harness;
  harness.call("PATCH /v1/channels/payments/providers/LOONIO", R"({"business_multiplier":0})");
  harness.call("POST /v1/channels/payments/providers/PAYPER/circuit", R"({"action":"open"})");
  const Answer answer = harness.call(kRoute, route_body("tx_1", R"("exclude":["GIGADAT"],"explain":true)"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.content_type, "application/problem+json");
  EXPECT_EQ(answer.code(), "no_provider");
  EXPECT_EQ(answer.header("Retry-After"), "");
  const json::value problem = answer.json();
  EXPECT_TRUE(problem.at("retry_after_ms").is_null());
  EXPECT_EQ(json::serialize(problem.at("reasons")),
            R"({"GIGADAT":"excluded","LOONIO":"zero_weight","PAYPER":"manual_open"})");
  EXPECT_EQ(problem.at("candidates").as_array().size(), 3U);
}

TEST(Route, ALockedOutChannelSaysWhenToTryAgain) {
  Harness harness(with({"A", "B"}, [](auto& settings) { settings.all_open = core::AllOpen::reject; }));
  harness.report("A", "failure", 5);
  harness.clock.now += 700;
  harness.report("B", "failure", 5);
  harness.clock.now += 100;
  const Answer answer = harness.call(kRoute, route_body("tx_1"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.json().at("retry_after_ms"), 30'000 - 800);
  EXPECT_EQ(answer.header("Retry-After"), "30");
  EXPECT_EQ(json::serialize(answer.json().at("reasons")), R"({"A":"circuit_open","B":"circuit_open"})");
}

TEST(Route, WithEveryBreakerOpenTakesTheOneThatReopensFirst) {
  Harness harness(with({"A", "B", "C"}, [](auto&) {}));
  harness.report("B", "failure", 5);
  harness.clock.now += 1000;
  harness.report("A", "failure", 5);
  harness.call("POST /v1/channels/payments/providers/C/circuit", R"({"action":"open"})");
  const json::value decision = routed(harness, "tx_1");
  EXPECT_EQ(decision.at("provider"), "B");
  EXPECT_EQ(decision.at("reason"), "all_open");
  EXPECT_EQ(decision.at("propensity"), 1);
  // One opened by hand is never chosen.
  EXPECT_EQ(harness.call(kRoute, route_body("tx_1", R"("exclude":["A","B"])")).status, 503);
}

TEST(Route, AvoidsAProviderAsSoonAsItsBreakerOpens) {
  Harness harness;
  harness.report("GIGADAT", "failure", 4);
  std::set<std::string> chosen;
  for (int i = 0; i < 100; ++i) chosen.emplace(routed(harness, "tx").at("provider").as_string());
  EXPECT_TRUE(chosen.contains("GIGADAT"));
  harness.report("GIGADAT", "failure");
  for (int i = 0; i < 100; ++i) EXPECT_NE(routed(harness, "tx").at("provider"), "GIGADAT");
}

TEST(Route, ProbesAHalfOpenProviderOnceAndLearnsFromIt) {
  Harness harness(with({"A", "B"}, [](auto&) {}));
  harness.report("A", "failure", 5);
  harness.clock.now += 40 * kSecond;  // open for 30 s, then due for a probe after 10 s
  const json::value probe = routed(harness, "probe");
  EXPECT_EQ(probe.at("provider"), "A");
  EXPECT_EQ(probe.at("reason"), "probe");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(routed(harness, "tx_" + std::to_string(i)).at("provider"), "B");
  const Answer answer = harness.call(
      "POST /v1/report", R"({"channel":"payments","transaction_id":"probe","provider":"A","status":"success"})");
  EXPECT_EQ(answer.json().at("circuit"), "closed");
  EXPECT_EQ(answer.json().at("consecutive_failures"), 0);
}

TEST(Route, ExploresAsOftenAsTheChannelSays) {
  Harness harness(with({"A", "B"}, [](auto& settings) { settings.epsilon = 1; }));
  EXPECT_EQ(routed(harness, "tx").at("reason"), "explored");
  harness.call("PATCH /v1/channels/payments", R"({"epsilon":0})");
  EXPECT_EQ(routed(harness, "tx").at("reason"), "exploited");
}

TEST(Route, RepeatsAreNewDecisionsUnlessTheChannelIsStable) {
  Harness harness;
  std::set<std::string> chosen;
  for (int i = 0; i < 50; ++i) chosen.emplace(routed(harness, "tx_1").at("provider").as_string());
  EXPECT_EQ(chosen.size(), 3U);
}

TEST(Route, AStableChannelGivesATransactionTheSameProvider) {
  Harness harness(with({"A", "B", "C"}, [](auto& settings) { settings.stable_per_transaction = true; }));
  const std::string first(routed(harness, "tx_1", R"("amount":100)").at("provider").as_string());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(routed(harness, "tx_1", R"("amount":100)").at("provider"), json::value(first));
    EXPECT_EQ(routed(harness, "tx_1", R"("amount":"100")").at("provider"), json::value(first));
  }
  // Another exclude, eligible or amount is another request.
  const json::value other = routed(harness, "tx_1", R"("amount":100,"exclude":[")" + first + "\"]");
  EXPECT_NE(other.at("provider"), json::value(first));
  std::set<std::string> chosen;
  for (int i = 0; i < 50; ++i) {
    const std::string amount = R"("amount":)" + std::to_string(1000 + i);
    chosen.emplace(routed(harness, "tx_1", amount).at("provider").as_string());
  }
  EXPECT_EQ(chosen.size(), 3U);
  // A choice that cannot be kept is made anew, and that one is kept.
  harness.call("POST /v1/channels/payments/providers/" + first + "/circuit", R"({"action":"open"})");
  const json::value second = routed(harness, "tx_1", R"("amount":100)").at("provider");
  EXPECT_NE(second, json::value(first));
  harness.call("POST /v1/channels/payments/providers/" + first + "/circuit", R"({"action":"close"})");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(routed(harness, "tx_1", R"("amount":100)").at("provider"), second);
}

TEST(Route, GoesOnWithoutTheStoreAndSaysSo) {
  Harness harness(with({"A", "B"}, [](auto& settings) { settings.stable_per_transaction = true; }));
  EXPECT_EQ(routed(harness, "tx_1").at("degraded"), false);
  harness.store->failing = true;
  EXPECT_EQ(routed(harness, "tx_2").at("degraded"), true);
}

TEST(Route, AmountsReachTwoToThe53AsNumberOrText) {
  Harness harness;
  for (const char* amount : {"0", "9007199254740992", "\"0\"", "\"9007199254740992\"", "\"4111111111111111\""}) {
    EXPECT_EQ(harness.call(kRoute, route_body("tx", std::string("\"amount\":") + amount)).status, 200) << amount;
  }
  for (const char* amount : {"9007199254740993", "\"9007199254740993\"", "\"01\"", "\"-1\"", "\"1.0\"", "\"\""}) {
    const Answer answer = harness.call(kRoute, route_body("tx", std::string("\"amount\":") + amount));
    EXPECT_EQ(answer.status, 400) << amount;
    EXPECT_EQ(answer.path(), "/amount") << amount;
  }
}

TEST(Route, UnknownChannelIs404) {
  Harness harness;
  const Answer answer = harness.call(kRoute, R"({"channel":"nowhere","transaction_id":"tx_1"})");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.code(), "unknown_channel");
  EXPECT_EQ(answer.path(), "/channel");
}

TEST(Route, AChannelWithoutProvidersHasNobody) {
  Harness harness(with({}, [](auto&) {}));
  const Answer answer = harness.call(kRoute, route_body("tx_1"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(json::serialize(answer.json().at("reasons")), "{}");
  EXPECT_TRUE(answer.json().at("retry_after_ms").is_null());
}

TEST(RouteBatch, DecidesEachElementInOrder) {
  Harness harness;
  const std::string requests = route_body("tx_1") + "," + route_body("tx_2", R"("eligible":[])") +
                               R"(,{"channel":"nowhere","transaction_id":"tx_3"},)" +
                               route_body("tx_4", R"("amount":-1)") + "," + route_body("4111111111111111") + ",7," +
                               route_body("tx_7", R"("explain":true)");
  const Answer answer = harness.call(kBatch, R"({"requests":[)" + requests + "]}");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.content_type, "application/json");
  const json::value body = answer.json();
  const json::array& decisions = body.at("decisions").as_array();
  ASSERT_EQ(decisions.size(), 7U);
  EXPECT_EQ(decisions[0].at("transaction_id"), "tx_1");
  EXPECT_FALSE(decisions[0].as_object().contains("status"));
  EXPECT_EQ(decisions[1].at("code"), "no_provider");
  EXPECT_EQ(decisions[1].at("transaction_id"), "tx_2");
  EXPECT_EQ(decisions[2].at("status"), 404);
  EXPECT_EQ(decisions[2].at("path"), "/requests/2/channel");
  EXPECT_EQ(decisions[3].at("status"), 400);
  EXPECT_EQ(decisions[3].at("path"), "/requests/3/amount");
  EXPECT_EQ(decisions[4].at("code"), "pan_detected");
  EXPECT_EQ(decisions[5].at("path"), "/requests/5");
  EXPECT_EQ(decisions[6].at("candidates").as_array().size(), 3U);
}

TEST(RouteBatch, TakesUpToAThousand) {
  Harness harness;
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += (i == 0 ? "" : ",") + route_body("tx_" + std::to_string(i));
  const json::value body = harness.call(kBatch, R"({"requests":[)" + requests + "]}").json();
  const json::array& decisions = body.at("decisions").as_array();
  ASSERT_EQ(decisions.size(), 1000U);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    EXPECT_EQ(decisions[i].at("transaction_id"), json::value("tx_" + std::to_string(i)));
  }
  const Answer more = harness.call(kBatch, R"({"requests":[)" + requests + "," + route_body("tx") + "]}");
  EXPECT_EQ(more.status, 400);
  EXPECT_EQ(more.path(), "/requests");
  EXPECT_EQ(harness.call(kBatch, R"({"requests":[]})").body, R"({"decisions":[]})");
}

TEST(RouteBatch, SaysWhichDecisionsItLeavesOutOfAnAnswerThatGrowsTooLarge) {
  Harness harness;
  std::string providers;
  for (int i = 0; i < 1000; ++i) providers += (i == 0 ? "" : ",") + (R"({"id":"p)" + std::to_string(i) + "\"}");
  ASSERT_EQ(harness.call("PUT /v1/channels/big", R"({"providers":[)" + providers + "]}").status, 201);
  std::string requests;
  for (int i = 0; i < 100; ++i) {
    requests +=
        (i == 0 ? "" : ",") + (R"({"channel":"big","explain":true,"transaction_id":"tx_)" + std::to_string(i) + "\"}");
  }
  const Answer answer = harness.call(kBatch, R"({"requests":[)" + requests + "]}");
  EXPECT_EQ(answer.status, 200);
  EXPECT_LT(answer.body.size(), std::size_t{18} << 20);
  const json::value body = answer.json();
  const json::array& decisions = body.at("decisions").as_array();
  ASSERT_EQ(decisions.size(), 100U);
  EXPECT_EQ(decisions.front().at("candidates").as_array().size(), 1000U);
  EXPECT_EQ(decisions.back().at("status"), 413);
  EXPECT_EQ(decisions.back().at("code"), "answer_too_large");
  const Answer shorter = harness.call(kBatch, R"({"requests":[)" + requests.substr(0, requests.find('}') + 1) + "]}");
  EXPECT_EQ(shorter.json().at("decisions").at(0).at("transaction_id"), "tx_0");
}

}  // namespace
}  // namespace turnout::api
