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

constexpr const char* kPayments = "/v1/channels/payments";

std::vector<std::string> texts(const json::value& array) {
  std::vector<std::string> out;
  for (const auto& text : array.as_array()) out.emplace_back(text.as_string());
  return out;
}

json::value done(const Answer& answer, int status = 200) {
  EXPECT_EQ(answer.status, status) << answer.body;
  return answer.json();
}

TEST(Channels, ShowTheirSettingsAndWhereTheyComeFrom) {
  Harness harness;
  const json::value channel = harness.get(kPayments);
  std::vector<std::string> names;
  for (const auto& [name, value] : channel.as_object()) names.emplace_back(name);
  EXPECT_THAT(names, ElementsAre("channel", "origin", "overridden", "policy", "epsilon", "prior", "window",
                                 "sweep_interval", "webhook_timeout", "dedupe_for", "dedupe_max", "all_open",
                                 "stable_per_transaction", "latency", "breaker", "providers"));
  EXPECT_EQ(channel.at("channel"), "payments");
  EXPECT_EQ(channel.at("origin"), "file");
  EXPECT_THAT(texts(channel.at("overridden")), IsEmpty());
  EXPECT_EQ(channel.at("window"), "1h");
  EXPECT_EQ(json::serialize(channel.at("latency")), R"({"p95_target":"1500ms","k":1})");
  EXPECT_EQ(json::serialize(channel.at("breaker")),
            R"({"failure_threshold":5,"open_for":"30s","max_open_for":"5m","half_open_probes":1,)"
            R"("probe_after":"10s","probe_lease":"2m"})");
  EXPECT_EQ(json::serialize(at(channel, "/providers/0")), R"({"id":"GIGADAT","business_multiplier":1,"enabled":true})");
  EXPECT_EQ(at(harness.get("/v1/channels"), "/channels/0"), channel);
}

TEST(Channels, HaveNamesOfOneKindOnly) {
  // A path as the table of endpoints writes it is a path like any other.
  Harness harness;
  for (const char* method : {"GET", "PUT", "PATCH", "DELETE", "POST"}) {
    for (const char* path :
         {"/v1/channels/{channel}", "/v1/channels/{channel}/providers", "/v1/channels/{channel}/providers/{provider}",
          "/v1/channels/{channel}/providers/{provider}/circuit", "/v1/channels/{channel}/audit"}) {
      const Answer answer = harness.call(std::string(method) + " " + path, "{}");
      EXPECT_GE(answer.status, 400) << method << ' ' << path;
      EXPECT_LE(answer.status, 415) << method << ' ' << path;
    }
  }
}

TEST(Channels, StartFreshWithAProviderThatWasLeftOutAndComesBack) {
  Harness harness;
  const std::string both = R"({"providers":[{"id":"a"},{"id":"b"}]})";
  done(harness.call("PUT /v1/channels/q", both), 201);
  for (int i = 0; i < 6; ++i) {
    done(harness.call("POST /v1/report", R"({"channel":"q","provider":"b","status":"failure","transaction_id":"t)" +
                                             std::to_string(i) + "\"}"));
  }
  EXPECT_EQ(at(harness.get("/v1/channels/q/providers"), "/providers/1/circuit"), "open");
  done(harness.call("PUT /v1/channels/q", R"({"providers":[{"id":"a"}]})"));
  done(harness.call("PUT /v1/channels/q", both));
  const json::value fresh = at(harness.get("/v1/channels/q/providers"), "/providers/1");
  EXPECT_EQ(at(fresh, "/circuit"), "closed");
  EXPECT_EQ(at(fresh, "/total"), 0);
}

TEST(Channels, LeaveNoDecisionsBehindWhenTheyAreDeleted) {
  Harness harness;
  done(harness.call("PUT /v1/channels/q", R"({"providers":[{"id":"a"}]})"), 201);
  done(harness.call("POST /v1/route", R"({"channel":"q","transaction_id":"t"})"));
  EXPECT_EQ(harness.call("DELETE /v1/channels/q").status, 204);
  done(harness.call("PUT /v1/channels/q", R"({"providers":[{"id":"b"}]})"), 201);
  EXPECT_THAT(harness.get("/v1/channels/q/decisions").at("decisions").as_array(), IsEmpty());
}

TEST(Channels, CanBePutAsTheyAreShown) {
  Harness harness;
  json::object settings = harness.get(kPayments).as_object();
  for (const char* name : {"channel", "origin", "overridden"}) settings.erase(name);
  const std::string before = json::serialize(harness.get(kPayments));
  done(harness.call("PUT /v1/channels/payments", json::serialize(settings)));
  EXPECT_EQ(json::serialize(harness.get(kPayments)), before);
}

TEST(Channels, ArePutAndThenRouteAtOnce) {
  Harness harness;
  const json::value created =
      done(harness.call("PUT /v1/channels/payouts-eu", R"({"epsilon":0,"providers":[{"id":"X"},{"id":"A"}]})"), 201);
  EXPECT_EQ(created.at("origin"), "override");
  const json::value decision =
      done(harness.call("POST /v1/route", R"({"channel":"payouts-eu","transaction_id":"tx_1","exclude":["A"]})"));
  EXPECT_EQ(decision.at("provider"), "X");
  done(harness.call("POST /v1/report",
                    R"({"channel":"payouts-eu","transaction_id":"tx_1","provider":"X","status":"success"})"));
  EXPECT_EQ(done(harness.call("PUT /v1/channels/payouts-eu", "{}")).at("providers").as_array().size(), 0U);
  EXPECT_THAT(texts(json::array{at(harness.get("/v1/channels"), "/channels/0/channel"),
                                at(harness.get("/v1/channels"), "/channels/1/channel")}),
              ElementsAre("payments", "payouts-eu"));
}

TEST(Channels, PutReplacesEverythingButTheStateOfWhoStays) {
  Harness harness;
  harness.report("GIGADAT", "failure", 3);
  done(harness.call("PATCH /v1/channels/payments", R"({"epsilon":0.5,"breaker":{"failure_threshold":9}})"));
  const json::value put = done(harness.call("PUT /v1/channels/payments", R"({"providers":[{"id":"GIGADAT"}]})"));
  EXPECT_EQ(put.at("epsilon"), 0.05);
  EXPECT_EQ(at(put, "/breaker/failure_threshold"), 5);
  EXPECT_EQ(put.at("origin"), "file");
  EXPECT_EQ(put.at("providers").as_array().size(), 1U);
  EXPECT_THAT(texts(put.at("overridden")), ElementsAre("epsilon", "provider/LOONIO", "provider/PAYPER"));
  EXPECT_EQ(harness.provider("GIGADAT").at("consecutive_failures"), 3);
}

TEST(Channels, PatchChangesWhatItNamesAndIsKept) {
  Harness harness;
  const json::value patched = done(harness.call(
      "PATCH /v1/channels/payments",
      R"({"epsilon":0.1,"prior":"optimistic","half_life":"6h","latency":{"k":2},"breaker":{"open_for":"10s"}})"));
  EXPECT_THAT(texts(patched.at("overridden")),
              ElementsAre("breaker.open_for", "epsilon", "half_life", "latency.k", "prior"));
  EXPECT_EQ(patched.at("half_life"), "6h");
  EXPECT_FALSE(patched.as_object().contains("window"));
  EXPECT_EQ(json::serialize(patched.at("prior")), R"({"alpha":5,"beta":1})");
  EXPECT_EQ(at(patched, "/latency/p95_target"), "1500ms");
  EXPECT_DOUBLE_EQ(harness.provider("GIGADAT").at("success_rate").to_number<double>(), 5.0 / 6);

  HarnessOptions options;
  options.store = harness.store;
  Harness after(std::move(options));
  EXPECT_EQ(after.get(kPayments), patched);
  EXPECT_EQ(done(after.call("PATCH /v1/channels/payments", "{}")), patched);
  EXPECT_EQ(done(after.call("PATCH /v1/channels/payments", R"({"window":"2h"})")).at("window"), "2h");
}

TEST(Channels, ChangesOutliveAChangeOfTheFile) {
  Harness harness;
  done(harness.call("PATCH /v1/channels/payments", R"({"epsilon":0.25})"));
  EXPECT_EQ(harness.call("DELETE /v1/channels/payments/providers/LOONIO").status, 204);
  HarnessOptions options;
  options.store = harness.store;
  core::ChannelSettings settings = channel_of_providers({"LOONIO", "NEW", "PAYPER"});
  settings.dedupe_for_ms = kHour;
  options.configured = {{"payments", settings}};
  Harness after(std::move(options));
  const json::value channel = after.get(kPayments);
  EXPECT_EQ(channel.at("epsilon"), 0.25);
  EXPECT_EQ(channel.at("dedupe_for"), "1h");
  EXPECT_EQ(at(channel, "/providers/0/id"), "NEW");
  EXPECT_EQ(at(channel, "/providers/1/id"), "PAYPER");
}

TEST(Channels, PatchRefusesAContradictionWithWhatIsInForce) {
  Harness harness;
  const std::string before = harness.state();
  const Answer answer = harness.call("PATCH /v1/channels/payments", R"({"breaker":{"open_for":"10m"}})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.path(), "/breaker/max_open_for");
  const Answer both = harness.call("PATCH /v1/channels/payments", R"({"half_life":"6h","window":"1h"})");
  EXPECT_EQ(both.path(), "/window");
  EXPECT_EQ(harness.state(), before);
  done(harness.call("PATCH /v1/channels/payments", R"({"breaker":{"open_for":"10m","max_open_for":"10m"}})"));
}

TEST(Channels, PutRefusesAnIdThatIsThereTwice) {
  Harness harness;
  const Answer answer =
      harness.call("PUT /v1/channels/payments", R"({"providers":[{"id":"A"},{"id":"B"},{"id":"A"}]})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.path(), "/providers/2/id");
}

TEST(Channels, OfTheFileCannotBeRemoved) {
  Harness harness;
  const std::string before = harness.state();
  const Answer answer = harness.call("DELETE /v1/channels/payments");
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(answer.code(), "channel_of_file");
  EXPECT_EQ(harness.state(), before);
}

TEST(Channels, AreRemovedWithAllTheirState) {
  Harness harness;
  const auto create = [&] { done(harness.call("PUT /v1/channels/mine", R"({"providers":[{"id":"A"}]})"), 201); };
  create();
  done(harness.call("POST /v1/report",
                    R"({"channel":"mine","transaction_id":"tx_1","provider":"A","status":"success"})"));
  done(harness.call("POST /v1/report",
                    R"({"channel":"mine","transaction_id":"tx_2","provider":"A","status":"pending"})"));
  EXPECT_EQ(harness.call("DELETE /v1/channels/mine").status, 204);
  EXPECT_EQ(harness.call("GET /v1/channels/mine").code(), "unknown_channel");
  EXPECT_EQ(harness.call("DELETE /v1/channels/mine").status, 404);
  EXPECT_EQ(harness.call("POST /v1/route", R"({"channel":"mine","transaction_id":"a"})").status, 404);
  create();
  EXPECT_EQ(at(harness.get("/v1/channels/mine/providers"), "/providers/0/total"), 0);
  EXPECT_EQ(harness.get("/v1/channels/mine/pending").at("count"), 0);
  EXPECT_EQ(harness.get("/v1/channels/mine/audit").at("audit").as_array().size(), 1U);
  const json::value again = done(harness.call(
      "POST /v1/report", R"({"channel":"mine","transaction_id":"tx_1","provider":"A","status":"success"})"));
  EXPECT_EQ(again.at("recorded"), true);
}

TEST(Channels, OfOperatorsSurviveARestart) {
  Harness harness;
  done(harness.call("PUT /v1/channels/mine", R"({"epsilon":0.2,"providers":[{"id":"A"}]})"), 201);
  done(harness.call("PUT /v1/channels/gone", "{}"), 201);
  harness.call("DELETE /v1/channels/gone");
  const json::value before = harness.get("/v1/channels");
  HarnessOptions options;
  options.store = harness.store;
  Harness after(std::move(options));
  EXPECT_EQ(after.get("/v1/channels"), before);
}

TEST(Channels, AreAtMostTenThousand) {
  HarnessOptions options;
  for (std::size_t i = 1; i < core::kMaxChannels; ++i) {
    options.configured.emplace("c" + std::to_string(i), core::ChannelSettings{});
  }
  options.configured.erase("c1");
  Harness harness(std::move(options));
  done(harness.call("PUT /v1/channels/last", "{}"), 201);
  const Answer answer = harness.call("PUT /v1/channels/one_more", "{}");
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(answer.code(), "too_many_channels");
  done(harness.call("PUT /v1/channels/last", R"({"epsilon":0.5})"));
  harness.call("DELETE /v1/channels/last");
  done(harness.call("PUT /v1/channels/one_more", "{}"), 201);
}

TEST(Channels, WithoutTheStoreNothingChanges) {
  Harness harness;
  done(harness.call("PUT /v1/channels/mine", R"({"providers":[{"id":"A"}]})"), 201);
  const std::string before = harness.state();
  harness.store->failing = true;
  for (const auto& [call, body] :
       {std::pair("PUT /v1/channels/new", "{}"), std::pair("PUT /v1/channels/mine", "{}"),
        std::pair("PATCH /v1/channels/mine", R"({"epsilon":0.9})"), std::pair("DELETE /v1/channels/mine", ""),
        std::pair("PUT /v1/channels/mine/providers/B", "{}"), std::pair("DELETE /v1/channels/mine/providers/A", ""),
        std::pair("POST /v1/channels/mine/providers/A/circuit", R"({"action":"open"})")}) {
    EXPECT_EQ(harness.call(call, body).code(), "store_unavailable") << call;
  }
  harness.store->failing = false;
  EXPECT_EQ(harness.state(), before);
}

}  // namespace
}  // namespace turnout::api
