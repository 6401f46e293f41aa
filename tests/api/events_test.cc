#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <map>
#include <sstream>

#include "api/harness.h"
#include "api/openapi_document.h"
#include "support/await.h"

namespace turnout::api {
namespace {

namespace json = boost::json;

/// The stream of one subscriber, whose events must be as documented.
class Listener {
 public:
  explicit Listener(Harness& harness) : answer_(harness.call("GET /v1/events")) {
    EXPECT_EQ(answer_.status, 200);
    EXPECT_EQ(answer_.header("Cache-Control"), "no-store");
  }

  /// Everything that is waiting now, by name. There must be something: otherwise this would wait for it.
  std::multimap<std::string, json::value> take() {
    const auto text = await(answer_.events->next());
    EXPECT_TRUE(text.has_value());
    std::multimap<std::string, json::value> events;
    std::istringstream lines(text.value_or(""));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_TRUE(line.starts_with("event: ")) << line;
      const std::string name = line.substr(7);
      std::getline(lines, line);
      EXPECT_TRUE(line.starts_with("data: ")) << line;
      const json::value data = json::parse(line.substr(6));
      std::getline(lines, line);
      EXPECT_EQ(line, "");
      check(name, data);
      events.emplace(name, data);
    }
    return events;
  }

 private:
  static void check(const std::string& name, const json::value& data) {
    const std::map<std::string, const char*> kSchemas{
        {"transition", "TransitionEvent"}, {"weights", "WeightsEvent"}, {"decision", "RecentDecision"}};
    ASSERT_TRUE(kSchemas.contains(name)) << name;
    const auto& document = OpenApiDocument::get();
    const SchemaCheck schemas(document.root(), SchemaCheck::Undeclared::refused);
    EXPECT_EQ(schemas.faults(document.schema(kSchemas.at(name)), data), std::vector<std::string>{});
  }

  Answer answer_;
};

TEST(Events, TellOfTransitions) {
  Harness harness;
  Listener listener(harness);
  harness.report("GIGADAT", "failure", 5);
  const auto opened = listener.take();
  ASSERT_EQ(opened.count("transition"), 1U);
  EXPECT_EQ(json::serialize(opened.find("transition")->second),
            R"({"at_ms":1700000000000,"channel":"payments","provider":"GIGADAT","from":"closed","to":"open",)"
            R"("manual":false,"consecutive_failures":5,"generation":1})");
  harness.call("POST /v1/channels/payments/providers/LOONIO/circuit", R"({"action":"open"})");
  const auto by_hand = listener.take();
  ASSERT_EQ(by_hand.count("transition"), 1U);
  EXPECT_EQ(by_hand.find("transition")->second.at("manual"), true);
}

TEST(Events, TellOfTimeAloneAndOfWeightsWithEverySweep) {
  Harness harness;
  harness.report("GIGADAT", "failure", 5);
  Listener listener(harness);
  harness.advance(10 * kSecond);
  const auto first = listener.take();
  ASSERT_EQ(first.count("weights"), 1U);
  EXPECT_EQ(json::serialize(first.find("weights")->second.at("weights")),
            R"({"GIGADAT":0,"LOONIO":6E-1,"PAYPER":6E-1})");
  harness.advance(30 * kSecond);
  const auto later = listener.take();
  EXPECT_EQ(later.count("weights"), 3U);
  ASSERT_EQ(later.count("transition"), 1U);
  EXPECT_EQ(later.find("transition")->second.at("to"), "half_open");
}

TEST(Events, ShowOneDecisionInTen) {
  Harness harness;
  Listener listener(harness);
  for (int i = 0; i < 100; ++i) harness.call("POST /v1/route", R"({"channel":"payments","transaction_id":"a"})");
  harness.get("/v1/channels/payments/decisions");  // has the log look at its queue
  EXPECT_EQ(listener.take().count("decision"), 10U);
}

TEST(Events, ReachEveryListenerUntilItLeaves) {
  Harness harness;
  Listener first(harness);
  Listener second(harness);
  {
    const Listener third(harness);
    harness.report("GIGADAT", "failure", 5);
  }
  EXPECT_EQ(first.take().size(), 1U);
  EXPECT_EQ(second.take().size(), 1U);
}

TEST(Events, AreForAHundredListeners) {
  Harness harness;
  std::vector<Answer> listeners;
  for (std::size_t i = 0; i < engine::Events::kMaxSubscriptions; ++i) {
    listeners.push_back(harness.call("GET /v1/events"));
    EXPECT_EQ(listeners.back().status, 200);
  }
  const Answer refused = harness.call("GET /v1/events");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.code(), "too_many_listeners");
  EXPECT_EQ(refused.events, nullptr);
  listeners.pop_back();
  EXPECT_EQ(harness.call("GET /v1/events").status, 200);
}

}  // namespace
}  // namespace turnout::api
