// Tokens: who may make which call, and for which channels.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/harness.h"
#include "api/openapi_document.h"

namespace turnout::api {
namespace {

namespace json = boost::json;
using testing::ElementsAre;

const std::vector<Scope> kScopes{Scope::route, Scope::report, Scope::budgets, Scope::read, Scope::admin};

std::string word(Scope scope) {
  constexpr std::array kWords{"route", "report", "budgets", "read", "admin"};
  return kWords[static_cast<std::size_t>(scope)];
}

/// Two channels; for each scope a token of its name that has it alone, `all` with all, and for each channel one with
/// all that reaches only it.
HarnessOptions guarded() {
  HarnessOptions options;
  options.configured.emplace("payouts", channel_of_providers({"GIGADAT"}));
  for (const Scope scope : kScopes) options.tokens.push_back(token_of(word(scope), {scope}));
  options.tokens.push_back(token_of("all", kScopes));
  options.tokens.push_back(token_of("only_payments", kScopes, {"payments"}));
  options.tokens.push_back(token_of("only_payouts", kScopes, {"payouts"}));
  return options;
}

std::string body_of(const Operation& operation) {
  return operation.body == nullptr ? "" : json::serialize(operation.examples[0]);
}

Answer ask(Harness& harness, const Operation& operation, const std::string& token) {
  return harness.call(operation.method + " " + operation.example_path(), body_of(operation), token);
}

/// The harness's state as only the token `all` may see it.
std::string state_of(Harness& harness) {
  std::string text;
  for (const char* part : {"", "/providers", "/pending", "/decisions", "/audit"}) {
    text += harness.call(std::string("GET /v1/channels/payments") + part, "", "all").body;
  }
  return text;
}

TEST(Access, NeedsATokenWithTheScopeOfTheCall) {
  for (const auto& operation : OpenApiDocument::get().operations()) {
    if (operation.scopes.empty()) continue;
    SCOPED_TRACE(operation.name());
    Harness harness(guarded());
    const std::string before = state_of(harness);
    const Answer anonymous = ask(harness, operation, "");
    EXPECT_EQ(anonymous.status, 401);
    EXPECT_EQ(anonymous.code(), "unauthorized");
    EXPECT_EQ(anonymous.header("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(ask(harness, operation, "stranger").status, 401);
    for (const Scope scope : kScopes) {
      if (word(scope) == operation.scopes[0]) continue;
      const Answer answer = ask(harness, operation, word(scope));
      EXPECT_EQ(answer.status, 403) << word(scope);
      EXPECT_EQ(answer.code(), "forbidden");
    }
    EXPECT_EQ(state_of(harness), before);
    const int status = ask(harness, operation, operation.scopes[0]).status;
    EXPECT_TRUE(status != 401 && status != 403) << status;
  }
}

TEST(Access, IsOpenToAllWhereNoScopeIsNeeded) {
  for (const auto& operation : OpenApiDocument::get().operations()) {
    if (!operation.scopes.empty()) continue;
    Harness harness(guarded());
    EXPECT_EQ(ask(harness, operation, "").status, 200) << operation.name();
  }
}

TEST(Access, ATokenOfOtherChannelsDoesNotReachThisOne) {
  for (const auto& operation : OpenApiDocument::get().operations()) {
    const bool names_channel = operation.path.find("{channel}") != std::string::npos ||
                               body_of(operation).find("payments") != std::string::npos;
    if (!names_channel || operation.path == "/v1/route/batch") continue;
    SCOPED_TRACE(operation.name());
    Harness harness(guarded());
    const std::string before = state_of(harness);
    const Answer answer = ask(harness, operation, "only_payouts");
    EXPECT_EQ(answer.status, 403);
    EXPECT_EQ(answer.code(), "forbidden");
    EXPECT_EQ(state_of(harness), before);
    EXPECT_NE(ask(harness, operation, "only_payments").status, 403);
  }
}

TEST(Access, ATokenCannotTellWhichOtherChannelsThereAre) {
  Harness harness(guarded());
  const Answer existing = harness.call("GET /v1/channels/payments", "", "only_payouts");
  const Answer missing = harness.call("GET /v1/channels/nowhere", "", "only_payouts");
  EXPECT_EQ(existing.body, missing.body);
  EXPECT_EQ(harness.call("PUT /v1/channels/nowhere", "{}", "only_payouts").status, 403);
}

TEST(Access, ABatchHoldsEachElementToTheToken) {
  Harness harness(guarded());
  const Answer answer = harness.call("POST /v1/route/batch",
                                     R"({"requests":[{"channel":"payments","transaction_id":"a"},)"
                                     R"({"channel":"payouts","transaction_id":"b"}]})",
                                     "only_payouts");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(at(answer.json(), "/decisions/0/status"), 403);
  EXPECT_EQ(at(answer.json(), "/decisions/0/code"), "forbidden");
  EXPECT_EQ(at(answer.json(), "/decisions/1/provider"), "GIGADAT");
}

TEST(Access, ListsOnlyTheChannelsOfTheToken) {
  Harness harness(guarded());
  const auto names = [&](const std::string& token) {
    std::vector<std::string> out;
    const json::value list = harness.call("GET /v1/channels", "", token).json();
    for (const auto& channel : list.at("channels").as_array()) out.emplace_back(channel.at("channel").as_string());
    return out;
  };
  EXPECT_THAT(names("all"), ElementsAre("payments", "payouts"));
  EXPECT_THAT(names("only_payouts"), ElementsAre("payouts"));
}

TEST(Access, WhatNamesAllChannelsIsForTokensThatReachThem) {
  Harness harness(guarded());
  for (const char* call : {"GET /v1/events", "GET /metrics"}) {
    EXPECT_EQ(harness.call(call, "", "only_payments").status, 403) << call;
    EXPECT_EQ(harness.call(call, "", "all").status, 200) << call;
  }
}

TEST(Access, ReadsTheAuthorizationHeaderAsRfc6750Says) {
  Harness harness(guarded());
  const auto status = [&](const std::string& authorization) {
    return harness.call({.target = "/v1/channels", .authorization = authorization}).status;
  };
  EXPECT_EQ(status("Bearer read"), 200);
  EXPECT_EQ(status("bearer read"), 200);
  EXPECT_EQ(status("BEARER read"), 200);
  for (const char* wrong : {"Bearer", "Bearer ", "Basic read", "read", "Bearer rea", "Bearer readd", "Bearer READ",
                            "Bearer  read", "Bearerread"}) {
    EXPECT_EQ(status(wrong), 401) << wrong;
  }
}

TEST(Access, ComesBeforeEverythingThatIsWrongWithTheRequest) {
  Harness harness(guarded());
  EXPECT_EQ(harness.call("POST /v1/route", "{").status, 401);
  EXPECT_EQ(harness.call("GET /v1/channels/4111111111111111").status, 401);
  EXPECT_EQ(harness.call({.method = "POST", .target = "/v1/route", .content_type = "text/plain"}).status, 401);
  EXPECT_EQ(harness.call("GET /v1/channels?unknown=1").status, 401);
}

}  // namespace
}  // namespace turnout::api
