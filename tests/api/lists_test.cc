#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/harness.h"

namespace turnout::api {
namespace {

namespace json = boost::json;
using testing::ElementsAre;

constexpr const char* kPending = "/v1/channels/payments/pending";
constexpr const char* kDecisions = "/v1/channels/payments/decisions";
constexpr const char* kAudit = "/v1/channels/payments/audit";
constexpr const char* kHistory = "/v1/channels/payments/providers/GIGADAT/history";

/// The texts of one field of each element; "null" where it is none.
std::vector<std::string> column(const json::value& list, std::string_view field) {
  std::vector<std::string> out;
  for (const auto& row : list.as_array()) {
    const auto& value = row.at(field);
    out.push_back(value.is_string() ? std::string(value.as_string()) : json::serialize(value));
  }
  return out;
}

void pend(Harness& harness, const std::string& transaction, std::string_view more = "") {
  std::string body =
      R"({"channel":"payments","provider":"GIGADAT","status":"pending","transaction_id":")" + transaction;
  body.append("\"").append(more).append("}");
  EXPECT_EQ(harness.call("POST /v1/report", body).status, 200);
}

TEST(History, HasOnePointPerSweepTheOldestFirst) {
  Harness harness;
  EXPECT_EQ(json::serialize(harness.get(kHistory)), R"({"provider":"GIGADAT","points":[]})");
  harness.advance(10 * kSecond);
  harness.report("GIGADAT", "success");
  harness.advance(20 * kSecond);
  const json::value history = harness.get(kHistory);
  EXPECT_EQ(history.at("provider"), "GIGADAT");
  const json::array& points = history.at("points").as_array();
  ASSERT_EQ(points.size(), 3U);
  // The first sweep is that of the first step, 200 ms after the start.
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(points[i].at(0), kStart + 200 + static_cast<TimeMs>(i) * 10 * kSecond);
    EXPECT_DOUBLE_EQ(points[i].at(1).as_double(), i == 0 ? 0.6 : 4.0 / 6);
  }
  const json::value newest = harness.get(std::string(kHistory) + "?limit=1");
  EXPECT_EQ(newest.at("points").as_array().size(), 1U);
  EXPECT_EQ(at(newest, "/points/0"), points[2]);
}

TEST(Pending, ListsTheEarliestDeadlineFirstWithoutTheCustomer) {
  Harness harness;
  pend(harness, "tx_1",
       R"(,"decision_id":"018bcfe5-6800-7abc-8def-0123456789ab","merchant_id":"m1","customer_id":"cust42",)"
       R"("payment_method":"INTERAC","payment_method_type":"RTP")");
  harness.clock.now += 1000;
  pend(harness, "tx_2");
  const Answer answer = harness.call(std::string("GET ") + kPending);
  EXPECT_EQ(answer.body,
            R"({"count":2,"pending":[{"transaction_id":"tx_1","provider":"GIGADAT",)"
            R"("decision_id":"018bcfe5-6800-7abc-8def-0123456789ab","reported_at_ms":1700000000000,)"
            R"("deadline_ms":1700000120000,"merchant_id":"m1","payment_method":"INTERAC","payment_method_type":"RTP"},)"
            R"({"transaction_id":"tx_2","provider":"GIGADAT","decision_id":null,"reported_at_ms":1700000001000,)"
            R"("deadline_ms":1700000121000,"merchant_id":null,"payment_method":null,"payment_method_type":null}]})");
  const json::value one = harness.get(std::string(kPending) + "?limit=1");
  EXPECT_EQ(one.at("count"), 2);
  EXPECT_THAT(column(one.at("pending"), "transaction_id"), ElementsAre("tx_1"));
}

TEST(Decisions, ListTheNewestFirstWithAllThatExplainsThem) {
  Harness harness;
  harness.call("POST /v1/route",
               R"({"channel":"payments","transaction_id":"tx_1","merchant_id":"m1","customer_id":"cust42",)"
               R"("payment_method":"INTERAC","payment_method_type":"RTP","amount":"1999","currency":"CAD",)"
               R"("exclude":["PAYPER"]})");
  harness.clock.now += 5;
  harness.call("POST /v1/route", R"({"channel":"payments","transaction_id":"tx_2","eligible":[]})");
  const json::value list = harness.get(kDecisions);
  const json::array& decisions = list.at("decisions").as_array();
  ASSERT_EQ(decisions.size(), 2U);
  EXPECT_EQ(decisions[0].at("transaction_id"), "tx_2");
  EXPECT_TRUE(decisions[0].at("provider").is_null());
  EXPECT_EQ(decisions[0].at("reason"), "no_provider");
  const json::object& full = decisions[1].as_object();
  std::vector<std::string> names;
  for (const auto& [name, value] : full) names.emplace_back(name);
  EXPECT_THAT(names,
              ElementsAre("kind", "at_ms", "decision_id", "channel", "transaction_id", "merchant_id", "payment_method",
                          "payment_method_type", "amount", "currency", "provider", "reason", "fallbacks", "propensity",
                          "policy", "epsilon", "explore_draw", "select_draw", "candidates"));
  EXPECT_EQ(full.at("at_ms"), kStart);
  EXPECT_EQ(full.at("amount"), 1999);
  EXPECT_EQ(full.at("reason"), "exploited");
  EXPECT_EQ(json::serialize(at(list, "/decisions/1/candidates/2")),
            R"({"provider":"PAYPER","weight":6E-1,"why_not":"excluded"})");
  EXPECT_EQ(json::serialize(list).find("cust42"), std::string::npos);
  EXPECT_EQ(harness.get(std::string(kDecisions) + "?limit=1").at("decisions").as_array().size(), 1U);
}

TEST(Decisions, OfOtherChannelsAreNotListed) {
  Harness harness;
  harness.call("PUT /v1/channels/mine", R"({"providers":[{"id":"A"}]})");
  harness.call("POST /v1/route", R"({"channel":"mine","transaction_id":"tx_1"})");
  EXPECT_EQ(harness.get(kDecisions).at("decisions").as_array().size(), 0U);
  EXPECT_EQ(harness.get("/v1/channels/mine/decisions").at("decisions").as_array().size(), 1U);
}

TEST(Audit, ListsEveryManualChangeWithItsAuthorAndReason) {
  Harness harness;
  const auto change = [&](std::string_view call, const std::string& body = "") {
    harness.clock.now += 1;
    EXPECT_LT(harness.call(call, body).status, 300) << call;
  };
  change("PUT /v1/channels/payments/providers/NEW", R"({"business_multiplier":1.5})");
  change("PATCH /v1/channels/payments/providers/NEW", R"({"enabled":false})");
  change("DELETE /v1/channels/payments/providers/NEW");
  change("PATCH /v1/channels/payments", R"({"epsilon":0.25,"breaker":{"open_for":"10s"}})");
  change("PUT /v1/channels/payments", R"({"providers":[{"id":"GIGADAT"}]})");
  change("POST /v1/channels/payments/providers/GIGADAT/circuit",
         R"({"action":"open","reason":"maintenance","author":"alice","expires_in_ms":3600000})");
  change("POST /v1/channels/payments/providers/GIGADAT/circuit", R"({"action":"auto","author":"bob"})");
  change("POST /v1/channels/payments/providers/GIGADAT/circuit", R"({"action":"close"})");

  const json::value answer = harness.get(kAudit);
  const json::value& list = answer.at("audit");
  EXPECT_THAT(column(list, "action"), ElementsAre("close", "auto", "open", "channel_replaced", "settings",
                                                  "provider_removed", "provider_changed", "provider_added"));
  EXPECT_THAT(column(list, "provider"),
              ElementsAre("GIGADAT", "GIGADAT", "GIGADAT", "null", "null", "NEW", "NEW", "NEW"));
  EXPECT_THAT(column(list, "author"), ElementsAre("192.0.2.7", "bob", "alice", "192.0.2.7", "192.0.2.7", "192.0.2.7",
                                                  "192.0.2.7", "192.0.2.7"));
  EXPECT_EQ(at(list, "/2/reason"), "maintenance");
  EXPECT_EQ(at(list, "/2/detail"), "expires_in_ms = 3600000");
  EXPECT_EQ(at(list, "/4/detail"), "breaker.open_for = 10s, epsilon = 0.25");
  EXPECT_EQ(at(list, "/6/detail"), "enabled = false");
  EXPECT_EQ(at(list, "/0/at_ms"), kStart + 8);
  EXPECT_THAT(column(harness.get(std::string(kAudit) + "?limit=2").at("audit"), "action"),
              ElementsAre("close", "auto"));
}

TEST(Audit, NamesTheTokenWhateverTheOrderSays) {
  HarnessOptions options;
  options.tokens = {token_of("carol", {Scope::admin, Scope::read})};
  Harness harness(std::move(options));
  EXPECT_EQ(harness
                .call("POST /v1/channels/payments/providers/GIGADAT/circuit", R"({"action":"open","author":"mallory"})",
                      "carol")
                .status,
            200);
  const json::value list = harness.call(std::string("GET ") + kAudit, "", "carol").json();
  EXPECT_EQ(at(list, "/audit/0/author"), "carol");
}

TEST(Audit, OfANewChannelBeginsWithItsCreation) {
  Harness harness;
  harness.call("PUT /v1/channels/mine", "{}");
  EXPECT_THAT(column(harness.get("/v1/channels/mine/audit").at("audit"), "action"), ElementsAre("channel_created"));
}

TEST(Lists, OfUnknownNamesAre404) {
  Harness harness;
  for (const char* part : {"", "/providers", "/pending", "/decisions", "/audit", "/providers/A/history"}) {
    EXPECT_EQ(harness.call(std::string("GET /v1/channels/nowhere") + part).code(), "unknown_channel") << part;
  }
  EXPECT_EQ(harness.call("GET /v1/channels/payments/providers/A/history").code(), "unknown_provider");
}

}  // namespace
}  // namespace turnout::api
