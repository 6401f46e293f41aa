// Paths, methods and content types; the server's own calls.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <regex>

#include "api/harness.h"
#include "api/openapi_document.h"

namespace turnout::api {
namespace {

namespace json = boost::json;

TEST(Paths, ThatDoNotExistAre404) {
  Harness harness;
  for (const char* target : {"/nowhere", "/v1", "/v1/", "/v1/route/", "/v1/channels/", "/v1/channels/payments/",
                             "/v1//channels", "/V1/route", "/v1/channels/payments/providers/GIGADAT/circuit/x", "*"}) {
    for (const char* method : {"GET", "POST", "DELETE", "OPTIONS"}) {
      const Answer answer = harness.call(std::string(method) + " " + target);
      EXPECT_EQ(answer.status, 404) << method << " " << target;
      EXPECT_EQ(answer.code(), "not_found");
    }
  }
}

TEST(Methods, ThatAPathLacksAre405WithThoseItHas) {
  struct Row {
    const char* call;
    const char* allow;
  };
  for (const Row& row :
       {Row{"GET /v1/route", "POST"}, Row{"HEAD /v1/route", "POST"}, Row{"DELETE /healthz", "GET, HEAD"},
        Row{"POST /v1/channels", "GET, HEAD"}, Row{"POST /v1/channels/payments", "GET, HEAD, PUT, PATCH, DELETE"},
        Row{"GET /v1/channels/payments/providers/GIGADAT", "PUT, PATCH, DELETE"},
        Row{"OPTIONS /v1/events", "GET, HEAD"}, Row{"BREW /v1/route", "POST"},
        Row{"PUT /v1/channels/payments/providers/GIGADAT/circuit", "POST"}}) {
    Harness harness;
    const Answer answer = harness.call(row.call);
    EXPECT_EQ(answer.status, 405) << row.call;
    EXPECT_EQ(answer.code(), "method_not_allowed");
    EXPECT_EQ(answer.header("Allow"), row.allow) << row.call;
  }
}

TEST(Methods, HeadIsAnsweredAsGetIs) {
  for (const auto& operation : OpenApiDocument::get().operations()) {
    if (operation.method != "GET") continue;
    Harness harness;
    const Answer get = harness.call("GET " + operation.example_path());
    const Answer head = harness.call("HEAD " + operation.example_path());
    EXPECT_EQ(head.status, get.status) << operation.name();
    EXPECT_EQ(head.content_type, get.content_type) << operation.name();
    if (operation.path == "/metrics") continue;  // counts what it took to answer
    EXPECT_EQ(head.body, get.body) << operation.name();
  }
}

TEST(ContentTypes, MustBeJsonWhereABodyIsTaken) {
  for (const auto& operation : OpenApiDocument::get().operations()) {
    if (operation.body == nullptr) continue;
    SCOPED_TRACE(operation.name());
    const auto answer = [&](const std::string& type) {
      Harness harness;
      harness.call("POST /v1/report",
                   R"({"channel":"payments","transaction_id":"tx_2","provider":"GIGADAT","status":"pending"})");
      return harness.call({.method = operation.method,
                           .target = operation.example_path(),
                           .body = json::serialize(operation.examples[0]),
                           .content_type = type});
    };
    for (const char* type : {"application/json", "Application/JSON", "application/json; charset=utf-8",
                             "application/json;charset=utf-8", "application/json ; x=1"}) {
      EXPECT_LT(answer(type).status, 300) << type;
    }
    for (const char* type : {"", "text/plain", "application/jsonp", "application/x-www-form-urlencoded", "json",
                             "application/problem+json", "application/json+x"}) {
      EXPECT_EQ(answer(type).status, 415) << type;
      EXPECT_EQ(answer(type).code(), "unsupported_media_type");
    }
  }
}

TEST(Bodies, AreRefusedWhereNoneIsTaken) {
  for (const auto& operation : OpenApiDocument::get().operations()) {
    if (operation.body != nullptr || !operation.path.starts_with("/v1/")) continue;
    Harness harness;
    const std::string before = harness.state();
    EXPECT_EQ(harness.call(operation.method + " " + operation.example_path(), "{}").status, 400) << operation.name();
    EXPECT_EQ(harness.state(), before);
  }
}

TEST(Bodies, HaveTheSizeThatTheirCallNeeds) {
  constexpr std::size_t kSmall = 64 * 1024;
  constexpr std::size_t kLarge = 1024 * 1024;
  EXPECT_EQ(max_body_bytes("POST", "/v1/route"), kSmall);
  EXPECT_EQ(max_body_bytes("POST", "/v1/route/batch"), kLarge);
  EXPECT_EQ(max_body_bytes("PUT", "/v1/channels/payments"), kLarge);
  EXPECT_EQ(max_body_bytes("PATCH", "/v1/channels/payments"), kSmall);
  EXPECT_EQ(max_body_bytes("POST", "/nowhere"), kSmall);
}

TEST(Service, ErrorsOfTheServerAreProblemsToo) {
  Harness harness;
  for (const int status : {400, 408, 413, 414, 417, 431, 500, 501, 503}) {
    const Answer answer = harness.error_of_the_server(status, "some_code", "What happened.");
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(OpenApiDocument::get().faults(nullptr, answer), std::vector<std::string>{});
    EXPECT_EQ(answer.code(), "some_code");
    EXPECT_EQ(answer.json().at("status"), status);
    EXPECT_EQ(answer.json().at("title") == "Internal Server Error", status == 500);
  }
}

TEST(Service, IsAliveAndReady) {
  Harness harness;
  EXPECT_EQ(harness.call("GET /healthz").body, R"({"alive":true})");
  EXPECT_EQ(harness.call("GET /readyz").body,
            R"({"ready":true,"stopping":false,"store":{"kind":"memory","available":true}})");
  EXPECT_EQ(harness.call("GET /healthz?probe=1").status, 200);
}

TEST(Service, IsNotReadyWithoutItsStore) {
  Harness harness;
  harness.store->failing = true;
  const Answer answer = harness.call("GET /readyz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(
      answer.body,
      R"({"ready":false,"stopping":false,"store":{"kind":"memory","available":false,"problem":"the disk is full"}})");
  EXPECT_EQ(harness.call("GET /healthz").status, 200);
  harness.store->failing = false;
  EXPECT_EQ(harness.call("GET /readyz").status, 200);
}

TEST(Service, IsNotReadyOnceItStops) {
  Harness harness;
  harness.stopping = true;
  const Answer answer = harness.call("GET /readyz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.json().at("stopping"), true);
}

/// Name and labels of each sample → value.
std::map<std::string, double> samples_of(const std::string& text) {
  static const std::regex kSample(
      R"(^([a-zA-Z_:][a-zA-Z0-9_:]*(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\]|\\.)*",?)*\})?) (\S+)$)");
  std::map<std::string, double> samples;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP ") || line.starts_with("# TYPE ")) continue;
    std::smatch parts;
    EXPECT_TRUE(std::regex_match(line, parts, kSample)) << line;
    if (parts.empty()) continue;
    EXPECT_TRUE(samples.emplace(parts[1], std::stod(parts[2])).second) << line;
  }
  return samples;
}

TEST(Metrics, SayWhatOperatorsWatch) {
  Harness harness;
  harness.call("PATCH /v1/channels/payments", R"({"epsilon":0.25})");
  for (int i = 0; i < 3; ++i) {
    harness.call("POST /v1/route", R"({"channel":"payments","transaction_id":"a","eligible":["GIGADAT"]})");
  }
  harness.call("POST /v1/route", R"({"channel":"payments","transaction_id":"a","eligible":[]})");
  harness.call(
      "POST /v1/report",
      R"({"channel":"payments","transaction_id":"a","provider":"GIGADAT","status":"success","latency_ms":500})");
  harness.call("POST /v1/report",
               R"({"channel":"payments","transaction_id":"a","provider":"GIGADAT","status":"success"})");
  harness.call(
      "POST /v1/report",
      R"({"channel":"payments","transaction_id":"b","provider":"GIGADAT","status":"failure","failure_kind":"issuer"})");
  harness.call("POST /v1/report",
               R"({"channel":"payments","transaction_id":"c","provider":"GIGADAT","status":"pending"})");
  harness.call("POST /v1/report",
               R"({"channel":"payments","transaction_id":"d","provider":"GIGADAT","status":"pending"})");
  const char* const kWebhook = R"({"channel":"payments","transaction_id":"d","provider":"GIGADAT","confirmed":true})";
  harness.call("POST /v1/webhook", kWebhook);
  harness.call("POST /v1/webhook", kWebhook);
  harness.report("LOONIO", "failure", 5);

  const Answer answer = harness.call("GET /metrics");
  EXPECT_EQ(answer.content_type, "text/plain; version=0.0.4; charset=utf-8");
  auto samples = samples_of(answer.body);
  const std::string gigadat = R"({channel="payments",provider="GIGADAT")";
  const std::string loonio = R"({channel="payments",provider="LOONIO")";
  struct Row {
    std::string sample;
    double value;
  };
  const Row kRows[] = {
      {"turnout_outcomes_total" + gigadat + R"(,status="success"})", 2},
      {"turnout_outcomes_total" + gigadat + R"(,status="failure",failure_kind="issuer"})", 1},
      {"turnout_outcomes_total" + loonio + R"(,status="failure",failure_kind="provider"})", 5},
      {"turnout_provider_success_rate" + gigadat + "}", 5.0 / 8},
      {"turnout_provider_weight" + loonio + "}", 0},
      {"turnout_circuit_open" + loonio + "}", 1},
      {"turnout_circuit_open" + gigadat + "}", 0},
      {"turnout_circuit_half_open" + loonio + "}", 0},
      {"turnout_circuit_transitions_total" + loonio + R"(,to="open"})", 1},
      {"turnout_epsilon{channel=\"payments\"}", 0.25},
      {"turnout_no_provider_total{channel=\"payments\"}", 1},
      {"turnout_duplicate_reports_total{channel=\"payments\"}", 1},
      {"turnout_late_reports_total{channel=\"payments\"}", 1},
      {"turnout_pending_transactions{channel=\"payments\"}", 1},
      {"turnout_route_duration_seconds_count", 4},
      {"turnout_report_duration_seconds_count", 12},
      {"turnout_store_available{store=\"memory\"}", 1},
      {"turnout_remembered_attempts{store=\"memory\"}", 8},
      {"turnout_decision_log_dropped_total", 0},
      {"turnout_http_connections", 0},
  };
  for (const Row& row : kRows) {
    ASSERT_TRUE(samples.contains(row.sample)) << row.sample << "\n" << answer.body;
    EXPECT_DOUBLE_EQ(samples.at(row.sample), row.value) << row.sample;
  }
  EXPECT_NEAR(samples.at("turnout_provider_latency_p95_seconds" + gigadat + "}"), 0.5, 0.015);
  double decisions = 0;
  for (const auto& [sample, value] : samples) {
    if (sample.starts_with("turnout_decisions_total" + gigadat)) decisions += value;
  }
  EXPECT_EQ(decisions, 3);
  EXPECT_TRUE(samples.contains(R"(turnout_route_duration_seconds_bucket{le="+Inf"})"));
  EXPECT_TRUE(samples.contains("turnout_store_write_seconds{store=\"memory\"}"));
}

TEST(Metrics, AskingChangesNothing) {
  Harness harness;
  harness.report("GIGADAT", "failure", 5);
  harness.clock.now += kMinute;
  harness.call("GET /metrics");
  const json::value generation = harness.provider("GIGADAT").at("generation");
  harness.call("GET /metrics");
  harness.get("/v1/channels/payments/providers");
  EXPECT_EQ(harness.provider("GIGADAT").at("generation"), generation);
  EXPECT_EQ(generation, 1);
}

}  // namespace
}  // namespace turnout::api
