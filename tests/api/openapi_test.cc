// Holds the server to docs/openapi.yaml, and the document to the server. (Beyond that, the harness compares every
// answer of every test with the document.)

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "api/harness.h"
#include "api/openapi_document.h"
#include "core/channel_fields.h"

namespace turnout::api {
namespace {

namespace json = boost::json;

std::string word(http::Method method) {
  switch (method) {
    case http::Method::get:
      return "GET";
    case http::Method::post:
      return "POST";
    case http::Method::put:
      return "PUT";
    case http::Method::patch:
      return "PATCH";
    case http::Method::delete_:
      return "DELETE";
    default:
      return "?";
  }
}

std::string word(Scope scope) {
  constexpr std::array kWords{"route", "report", "budgets", "read", "admin"};
  return kWords[static_cast<std::size_t>(scope)];
}

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const OpenApiDocument& document() { return OpenApiDocument::get(); }

/// The names of all fields of a schema, those of objects within it with a dot: `breaker.open_for`.
std::set<std::string> fields_of(const SchemaCheck& schemas, const json::value& schema, const std::string& prefix = "") {
  std::set<std::string> names;
  for (const auto* variant : schemas.variants(schema)) {
    const auto* properties = variant->if_contains("properties");
    if (properties == nullptr) continue;
    for (const auto& [name, field] : properties->as_object()) {
      const std::string full = prefix + std::string(name);
      const auto within = fields_of(schemas, field, full + ".");
      bool may_be_plain = within.empty();
      for (const auto* alternative : schemas.variants(field)) {
        may_be_plain = may_be_plain || (alternative->contains("type") && alternative->at("type") == "string");
      }
      names.insert(within.begin(), within.end());
      if (may_be_plain) names.insert(full);
    }
  }
  return names;
}

TEST(OpenApi, HasEveryCallOfTheServerAndNoOther) {
  std::set<std::string> served;
  for (const auto& endpoint : endpoints()) served.insert(word(endpoint.method) + " " + std::string(endpoint.pattern));
  std::set<std::string> documented;
  for (const auto& operation : document().operations()) documented.insert(operation.name());
  EXPECT_EQ(served, documented);
}

TEST(OpenApi, SaysWhatEachCallTakesAndWhoMayMakeIt) {
  for (const auto& endpoint : endpoints()) {
    const Operation* const operation = document().find(word(endpoint.method), endpoint.pattern);
    ASSERT_NE(operation, nullptr) << endpoint.pattern;
    SCOPED_TRACE(operation->name());
    EXPECT_EQ(operation->body != nullptr, endpoint.has_body);
    EXPECT_EQ(operation->has_query(), endpoint.has_query);
    const auto scopes = endpoint.scope ? std::vector<std::string>{word(*endpoint.scope)} : std::vector<std::string>{};
    EXPECT_EQ(operation->scopes, scopes);
    std::vector<std::string> in_path;
    for (const auto& parameter : operation->parameters) {
      if (!parameter.in_query) in_path.push_back("{" + parameter.name + "}");
    }
    std::vector<std::string> in_pattern;
    static const std::regex kPlace("\\{[a-z]+\\}");
    const std::string pattern(endpoint.pattern);
    for (std::sregex_iterator at(pattern.begin(), pattern.end(), kPlace), end; at != end; ++at) {
      in_pattern.push_back(at->str());
    }
    EXPECT_EQ(in_path, in_pattern);
    for (const char* status : {"400", "401", "403"}) {
      const bool expected = status == std::string("400") ? pattern.starts_with("/v1/") : !scopes.empty();
      EXPECT_EQ(operation->responses->contains(status), expected) << status;
    }
    EXPECT_EQ(operation->responses->contains("415"), endpoint.has_body);
  }
}

TEST(OpenApi, HasEverySettingOfAChannelAndOfAProvider) {
  const SchemaCheck schemas(document().root());
  std::set<std::string> of_channel;
  for (const auto& field : core::channel_fields()) of_channel.emplace(field.name);
  EXPECT_EQ(fields_of(schemas, document().schema("ChannelPatch")), of_channel);
  std::set<std::string> of_put = fields_of(schemas, document().schema("ChannelPut"));
  EXPECT_EQ(of_put.erase("providers"), 1U);
  EXPECT_EQ(of_put, of_channel);
  std::set<std::string> of_provider;
  for (const auto& field : core::provider_fields()) of_provider.emplace(field.name);
  EXPECT_EQ(fields_of(schemas, document().schema("ProviderSettings")), of_provider);
}

TEST(OpenApi, HasEveryFieldThatAHandlerReads) {
  std::set<std::string> documented;
  const SchemaCheck schemas(document().root());
  for (const auto& operation : document().operations()) {
    for (const auto& parameter : operation.parameters) documented.insert(parameter.name);
    if (operation.body != nullptr) documented.merge(fields_of(schemas, *operation.body));
  }
  documented.insert("id");  // of a provider within a list
  static const std::regex kRead(
      R"(\b(?:in|item|query)\.(?:optional_)?(?:id|ids|text|word|boolean|integer|number|amount|duration|array|object)\(\s*"([^"]+)\")");
  std::size_t found = 0;
  for (const auto& file : std::filesystem::directory_iterator(TURNOUT_SOURCE_DIR "/src/api")) {
    const std::string text = read_file(file.path());
    for (std::sregex_iterator at(text.begin(), text.end(), kRead), end; at != end; ++at) {
      ++found;
      EXPECT_TRUE(documented.contains((*at)[1].str())) << (*at)[1].str() << " of " << file.path();
    }
  }
  EXPECT_GT(found, 20U);
}

TEST(OpenApi, ObjectsInRequestsAreClosed) {
  const SchemaCheck schemas(document().root());
  const std::function<void(const json::value&, const std::string&)> visit = [&](const json::value& schema,
                                                                                const std::string& path) {
    for (const auto* variant : schemas.variants(schema)) {
      if (const auto* items = variant->if_contains("items")) visit(*items, path + "/0");
      const auto* properties = variant->if_contains("properties");
      if (properties == nullptr) continue;
      EXPECT_TRUE(variant->contains("additionalProperties") && variant->at("additionalProperties") == false) << path;
      for (const auto& [name, field] : properties->as_object()) visit(field, path + "/" + std::string(name));
    }
  };
  for (const auto& operation : document().operations()) {
    if (operation.body != nullptr) visit(*operation.body, operation.name());
  }
}

TEST(OpenApi, ExamplesOfAnswersFit) {
  const SchemaCheck schemas(document().root(), SchemaCheck::Undeclared::refused);
  std::size_t found = 0;
  for (const auto& operation : document().operations()) {
    for (const auto& [status, reference] : *operation.responses) {
      const auto* content = schemas.resolve(reference).as_object().if_contains("content");
      if (content == nullptr) continue;
      for (const auto& [type, media] : content->as_object()) {
        const auto* example = media.as_object().if_contains("example");
        if (example == nullptr) continue;
        ++found;
        EXPECT_EQ(schemas.faults(media.at("schema"), *example), std::vector<std::string>{}) << operation.name();
      }
    }
  }
  EXPECT_GT(found, 3U);
}

TEST(OpenApi, IsServedAsItIs) {
  Harness harness;
  const Answer answer = harness.call("GET /openapi.yaml");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.content_type, "application/yaml");
  EXPECT_EQ(answer.body, read_file(TURNOUT_SOURCE_DIR "/docs/openapi.yaml"));
}

/// Every call once, well and badly, so that all that can happen does.
class EveryAnswer {
 public:
  std::set<std::string> seen;

  void run() {
    well();
    unknown();
    badly();
    without_access();
    without_store();
    at_limits();
    unready();
  }

 private:
  void keep(const Harness& harness) { seen.insert(harness.answered().begin(), harness.answered().end()); }

  static std::string body_of(const Operation& operation) {
    return operation.body == nullptr ? "" : json::serialize(operation.examples[0]);
  }

  static std::string call_of(const Operation& operation, const std::string& target) {
    return operation.method + " " + target;
  }

  void well() {
    for (const auto& operation : document().operations()) {
      Harness harness;
      harness.call("PUT /v1/channels/mine", "{}");
      harness.call("POST /v1/report",
                   R"({"channel":"payments","transaction_id":"tx_2","provider":"GIGADAT","status":"pending"})");
      harness.call("POST /v1/route", R"({"channel":"payments","transaction_id":"tx_3"})");
      harness.advance(10 * kSecond);
      harness.call(call_of(operation, operation.example_path()), body_of(operation));
      keep(harness);
    }
    Harness harness;
    harness.call("PUT /v1/channels/mine", "{}");
    harness.call("DELETE /v1/channels/mine");
    harness.call("DELETE /v1/channels/payments");
    harness.call("PUT /v1/channels/payments/providers/new", "{}");
    harness.call("POST /v1/route", R"({"channel":"payments","transaction_id":"tx_1","eligible":[]})");
    keep(harness);
  }

  void unknown() {
    for (const auto& operation : document().operations()) {
      std::string path = operation.example_path();
      const auto place = path.find("payments");
      if (place != std::string::npos) path.replace(place, 8, "nowhere");
      std::string body = body_of(operation);
      if (const auto channel = body.find("payments"); channel != std::string::npos) body.replace(channel, 8, "nowhere");
      if (operation.name() == "PUT /v1/channels/{channel}") continue;
      Harness harness;
      harness.call(call_of(operation, path), body);
      keep(harness);
    }
  }

  void badly() {
    for (const auto& operation : document().operations()) {
      Harness harness;
      if (operation.path.starts_with("/v1/")) {
        harness.call(call_of(operation, operation.example_path() + "?unknown=1"), body_of(operation));
      }
      if (operation.body != nullptr) {
        harness.call({.method = operation.method,
                      .target = operation.example_path(),
                      .body = body_of(operation),
                      .content_type = "text/plain"});
      }
      keep(harness);
    }
  }

  void without_access() {
    for (const auto& operation : document().operations()) {
      HarnessOptions options;
      options.tokens = {token_of("useless", {})};
      Harness harness(std::move(options));
      harness.call(call_of(operation, operation.example_path()), body_of(operation));
      harness.call(call_of(operation, operation.example_path()), body_of(operation), "useless");
      keep(harness);
    }
  }

  void without_store() {
    for (const auto& operation : document().operations()) {
      Harness harness;
      harness.call("PUT /v1/channels/mine", "{}");
      harness.store->failing = true;
      const bool removes_channel = operation.name() == "DELETE /v1/channels/{channel}";
      harness.call(call_of(operation, removes_channel ? "/v1/channels/mine" : operation.example_path()),
                   body_of(operation));
      keep(harness);
    }
  }

  void at_limits() {
    HarnessOptions options;
    std::vector<std::string> providers;
    for (std::size_t i = 0; i < core::kMaxProviders; ++i) providers.push_back("p" + std::to_string(i));
    options.configured = {{"payments", channel_of_providers(providers)}};
    for (std::size_t i = 1; i < core::kMaxChannels; ++i) {
      options.configured.emplace("c" + std::to_string(i), core::ChannelSettings{});
    }
    Harness harness(std::move(options));
    harness.call("PUT /v1/channels/payments/providers/one_more", "{}");
    harness.call("PUT /v1/channels/one_more", "{}");
    std::vector<Answer> listeners;
    for (std::size_t i = 0; i <= engine::Events::kMaxSubscriptions; ++i) {
      listeners.push_back(harness.call("GET /v1/events"));
    }
    keep(harness);
  }

  void unready() {
    Harness harness;
    harness.stopping = true;
    harness.call("GET /readyz");
    keep(harness);
  }
};

TEST(OpenApi, EveryDocumentedStatusIsGiven) {
  EveryAnswer answers;
  answers.run();
  std::set<std::string> documented;
  for (const auto& operation : document().operations()) {
    for (const auto& [status, unused] : *operation.responses) {
      documented.insert(operation.name() + " " + std::string(status));
    }
  }
  // Only when a DELETE comes between the change and its answer.
  answers.seen.insert("PUT /v1/channels/{channel} 404");
  EXPECT_EQ(answers.seen, documented);
}

}  // namespace
}  // namespace turnout::api
