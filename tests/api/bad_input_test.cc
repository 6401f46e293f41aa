// Every field of every call, wrong in every way: see MutantMaker. The calls and fields are those of docs/openapi.yaml.

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/harness.h"
#include "api/mutants.h"
#include "api/openapi_document.h"

namespace turnout::api {
namespace {

namespace json = boost::json;

constexpr std::string_view kProblemType = "application/problem+json";
constexpr std::string_view kBatch = "/v1/route/batch";

std::vector<Operation> operations_with_body() {
  std::vector<Operation> found;
  for (const auto& operation : OpenApiDocument::get().operations()) {
    if (operation.body != nullptr) found.push_back(operation);
  }
  return found;
}

std::vector<Operation> operations_with_query() {
  std::vector<Operation> found;
  for (const auto& operation : OpenApiDocument::get().operations()) {
    if (operation.has_query()) found.push_back(operation);
  }
  return found;
}

/// A name for gtest: letters and digits only.
std::string test_name(const testing::TestParamInfo<Operation>& info) {
  std::string name;
  for (const char c : info.param.name()) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

/// A server on which every example of the document is welcome.
class Server : public Harness {
 public:
  Server() {
    EXPECT_EQ(call("POST /v1/report",
                   R"({"channel":"payments","transaction_id":"tx_2","provider":"GIGADAT","status":"pending"})")
                  .status,
              200);
  }

  Answer send(const Operation& operation, const std::string& body) {
    return call({.method = operation.method,
                 .target = operation.example_path(),
                 .body = body,
                 .content_type = "application/json"});
  }
};

/// What is wrong with the answer to a faulty body; nothing when it is the problem that it should be.
std::string objection(const Mutant& mutant, const Operation& operation, const Answer& answer) {
  json::value problem = answer.json();
  int status = answer.status;
  // Elements of a batch have their problems in their places.
  if (operation.path == kBatch && !mutant.whole && mutant.path.starts_with("/requests/0")) {
    if (answer.status != 200) return "the batch is refused";
    problem = at(problem, "/decisions/0");
    if (!problem.as_object().contains("status")) return "the element is decided";
    status = problem.at("status").to_number<int>();
  } else if (answer.content_type != kProblemType) {
    return "no problem: " + answer.body;
  }
  if (status != 400) return "status " + std::to_string(status);
  if (problem.at("code") != json::value(mutant.code)) return json::serialize(problem);
  const json::value path = at(problem, "/path");
  if (mutant.path.empty() ? !path.is_null() : path != json::value(mutant.path)) return json::serialize(problem);
  const std::string detail(problem.at("detail").as_string());
  if (!mutant.path.empty() && !detail.starts_with(mutant.path + ": ")) return "the detail does not name the path";
  if (detail.find("4111") != std::string::npos) return "the detail shows the card number";
  return "";
}

class BadBody : public testing::TestWithParam<Operation> {};

INSTANTIATE_TEST_SUITE_P(EveryCall, BadBody, testing::ValuesIn(operations_with_body()), test_name);

TEST_P(BadBody, ExamplesAreWelcomeAndCoverEveryField) {
  const Operation& operation = GetParam();
  MutantMaker maker(OpenApiDocument::get().root());
  const SchemaCheck schemas(OpenApiDocument::get().root());
  for (const auto& example : operation.examples) {
    Server server;
    EXPECT_LT(server.send(operation, json::serialize(example)).status, 400) << json::serialize(example);
    EXPECT_EQ(schemas.faults(*operation.body, example), std::vector<std::string>{});
    maker.of_body(*operation.body, example);
  }
  EXPECT_EQ(maker.untouched(), std::vector<std::string>{});
}

TEST_P(BadBody, IsRefusedAndChangesNothing) {
  const Operation& operation = GetParam();
  MutantMaker maker(OpenApiDocument::get().root());
  Server server;
  const bool decides = operation.path == kBatch;
  const std::string before = server.state();
  std::string objections;
  std::size_t tried = 0;
  for (const auto& example : operation.examples) {
    for (const auto& mutant : maker.of_body(*operation.body, example)) {
      if (!mutant.faulty) continue;
      ++tried;
      const std::string wrong = objection(mutant, operation, server.send(operation, mutant.body));
      if (!wrong.empty()) objections += mutant.what + " → " + wrong + "\n";
      if (!decides && server.state() != before) {
        FAIL() << mutant.what << " changed\n" << before << "\nto\n" << server.state();
      }
    }
  }
  EXPECT_EQ(objections, "");
  EXPECT_EQ(server.state(), before);
  EXPECT_GT(tried, 20U);
}

TEST_P(BadBody, NoMoreIsRefusedThanTheDocumentSays) {
  const Operation& operation = GetParam();
  MutantMaker maker(OpenApiDocument::get().root());
  std::string objections;
  for (const auto& example : operation.examples) {
    for (const auto& mutant : maker.of_body(*operation.body, example)) {
      if (mutant.faulty || mutant.code != "invalid_request" || mutant.whole) continue;
      Server server;
      const Answer answer = server.send(operation, mutant.body);
      // Another field may not go with it, such as expires_in_ms with the action close.
      const bool refused = answer.body.find(R"("path":")" + mutant.path + "\"") != std::string::npos &&
                           answer.body.find(R"("status":400)") != std::string::npos;
      // The one demand that a schema cannot state.
      const bool contradicts = answer.body.find("expected at least breaker.open_for") != std::string::npos;
      if ((refused && !contradicts) || answer.status == 500) objections += mutant.what + " → " + answer.body + "\n";
    }
  }
  EXPECT_EQ(objections, "");
}

class BadQuery : public testing::TestWithParam<Operation> {};

INSTANTIATE_TEST_SUITE_P(EveryCall, BadQuery, testing::ValuesIn(operations_with_query()), test_name);

TEST_P(BadQuery, IsRefused) {
  const Operation& operation = GetParam();
  const auto& document = OpenApiDocument::get();
  const SchemaCheck schemas(document.root());
  Server server;
  const auto ask = [&](const std::string& query) {
    return server.call("GET " + operation.example_path() + "?" + query);
  };
  for (const auto& parameter : operation.parameters) {
    if (!parameter.in_query) continue;
    const auto& schema = schemas.resolve(*parameter.schema);
    const auto low = schema.at("minimum").as_int64();
    const auto high = schema.at("maximum").as_int64();
    for (const std::string& value :
         {std::to_string(low - 1), std::to_string(high + 1), std::string(), std::string("x"), std::string("1x"),
          std::string("%201"), std::string("+1"), std::string("nan"), std::string("inf"), std::string("1%00"),
          std::string("99999999999999999999"), std::string("null"), std::string("-0x1")}) {
      const Answer answer = ask(parameter.name + "=" + value);
      EXPECT_EQ(answer.status, 400) << parameter.name << "=" << value;
      EXPECT_EQ(answer.path(), "?" + parameter.name) << parameter.name << "=" << value;
    }
    EXPECT_EQ(ask(parameter.name + "=1.5").status, schema.at("type") == "integer" ? 400 : 200);
    for (const auto value : {std::max<std::int64_t>(low, 1), low, high}) {
      EXPECT_EQ(ask(parameter.name + "=" + std::to_string(value)).status, 200) << parameter.name << "=" << value;
    }
    EXPECT_EQ(ask(parameter.name + "=1&" + parameter.name + "=1").path(), "?" + parameter.name);
    EXPECT_EQ(ask(parameter.name).path(), "?" + parameter.name);
    const Answer card = ask(parameter.name + "=4111111111111111");
    EXPECT_EQ(card.status, 400);
    EXPECT_EQ(card.code(), "pan_detected");
  }
}

TEST(BadQuery, UnknownParametersAreRefusedBelowV1) {
  for (const auto& operation : OpenApiDocument::get().operations()) {
    if (!operation.path.starts_with("/v1/")) continue;
    SCOPED_TRACE(operation.name());
    Server server;
    const std::string before = server.state();
    const auto ask = [&](const std::string& query) {
      Request request{.method = operation.method, .target = operation.example_path() + "?" + query};
      if (operation.body != nullptr) {
        request.body = json::serialize(operation.examples[0]);
        request.content_type = "application/json";
      }
      return server.call(request);
    };
    EXPECT_EQ(ask("unknown=1").path(), "?unknown");
    for (const char* query : {"=1", "%zz=1", "a=%f", "a=%ff", "&&", "a%20b=1", "a=%00&b=%c3%28"}) {
      const Answer answer = ask(query);
      EXPECT_EQ(answer.status, 400) << query;
      EXPECT_EQ(answer.code(), "invalid_request") << query;
    }
    for (const char* query : {"4111111111111111=1", "a=4111+1111+1111+1111&x=4111%201111%201111%201111"}) {
      const Answer answer = ask(query);
      EXPECT_EQ(answer.code(), "pan_detected") << query;
      EXPECT_EQ(answer.body.find("4111"), std::string::npos) << query;
    }
    EXPECT_EQ(server.state(), before);
  }
}

TEST(BadPath, IsRefused) {
  for (const auto& operation : OpenApiDocument::get().operations()) {
    if (operation.path.find('{') == std::string::npos) continue;
    SCOPED_TRACE(operation.name());
    Server server;
    const std::string before = server.state();
    const auto ask = [&](const std::string& place, const std::string& part) {
      std::string target = operation.path;
      if (const auto at = target.find(place); at != std::string::npos) target.replace(at, place.size(), part);
      for (const auto& [name, value] : {std::pair("{channel}", "payments"), std::pair("{provider}", "GIGADAT")}) {
        if (const auto at = target.find(name); at != std::string::npos)
          target.replace(at, std::string(name).size(), value);
      }
      Request request{.method = operation.method, .target = target};
      if (operation.body != nullptr) {
        request.body = json::serialize(operation.examples[0]);
        request.content_type = "application/json";
      }
      return server.call(request);
    };
    for (const auto& parameter : operation.parameters) {
      if (parameter.in_query) continue;
      const std::string place = "{" + parameter.name + "}";
      EXPECT_EQ(ask(place, "4111111111111111").code(), "pan_detected");
      EXPECT_EQ(ask(place, "4111%201111%201111%201111").code(), "pan_detected");
      const bool creates = operation.method == "PUT" && operation.path.ends_with(place);
      for (const std::string& part : {std::string("a%20b"), std::string("%c3%a9"), std::string("a%2fb"),
                                      std::string(65, 'x'), std::string("a%00")}) {
        EXPECT_EQ(ask(place, part).status, creates ? 400 : 404) << part;
      }
      for (const char* part : {"%ff", "%f", "%zz", "%"}) EXPECT_EQ(ask(place, part).status, 400) << part;
      for (const char* part : {"", "a/b/c/d"}) EXPECT_EQ(ask(place, part).code(), "not_found") << part;
    }
    EXPECT_EQ(server.state(), before);
  }
}

}  // namespace
}  // namespace turnout::api
