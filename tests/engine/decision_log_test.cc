#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>

#include "engine/engine.h"
#include "engine/words.h"
#include "support/temporary_directory.h"

// The decision log: what a record says, that a decision can be replayed from it, and that deciding never waits for it.

namespace turnout::engine {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;

json::value text_of(const Uuid& id) {
  const auto text = id.text();
  return json::value(std::string_view(text.data(), text.size()));
}

class DecisionLogTest : public ::testing::Test {
 protected:
  DecisionLogTest() {
    auto file = std::make_unique<LogFile>(LogFileOptions{directory.path()});
    engine = std::make_unique<Engine>(memory.stores(), 2, std::move(file), 64);
    engine->configure(channel_of({"stripe", "adyen", "klarna"}));
  }

  /// Every line of the file; each must be JSON.
  std::vector<json::object> lines() {
    engine->log.recent("", 0);  // writes what waits
    std::ifstream in(directory.path() / "decisions.ndjson");
    std::vector<json::object> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line).as_object());
    return lines;
  }
  std::vector<json::object> recent(std::size_t limit) {
    std::vector<json::object> decisions;
    for (const auto& text : engine->log.recent("payments", limit)) decisions.push_back(json::parse(text).as_object());
    return decisions;
  }
  static std::vector<std::string> ids(const std::vector<json::object>& records) {
    std::vector<std::string> ids;
    for (const auto& record : records) ids.emplace_back(record.at("transaction_id").as_string());
    return ids;
  }

  TemporaryDirectory directory;
  store::MemoryStore memory;
  std::unique_ptr<Engine> engine;
};

TEST_F(DecisionLogTest, ADecisionSaysWhatItWasMadeOf) {
  engine->fail("klarna", 5);
  RouteRequest request;
  request.channel = "payments";
  request.transaction_id = "t\"1\"";
  request.merchant_id = "m1";
  request.payment_method = "INTERAC";
  request.payment_method_type = "RTP";
  request.amount = 1999;
  request.currency = "CAD";
  const std::vector<std::string_view> exclude{"adyen"};
  request.exclude = exclude;
  const auto answer = await(engine->router.route(*engine->workers[0], request, engine->now));
  const json::object record = lines().back();
  const json::value id = text_of(answer.decision_id);
  EXPECT_EQ(record.at("kind"), "decision");
  EXPECT_EQ(record.at("at_ms"), kStart);
  EXPECT_EQ(record.at("decision_id"), id);
  EXPECT_EQ(record.at("channel"), "payments");
  EXPECT_EQ(record.at("transaction_id"), "t\"1\"");
  EXPECT_EQ(record.at("merchant_id"), "m1");
  EXPECT_EQ(record.at("payment_method"), "INTERAC");
  EXPECT_EQ(record.at("payment_method_type"), "RTP");
  EXPECT_EQ(record.at("amount"), 1999);
  EXPECT_EQ(record.at("currency"), "CAD");
  EXPECT_EQ(record.at("provider"), "stripe");
  EXPECT_EQ(record.at("reason"), "exploited");
  EXPECT_EQ(record.at("fallbacks"), json::array());
  EXPECT_EQ(record.at("propensity").to_number<double>(), 1);
  EXPECT_EQ(record.at("policy"), "weighted");
  EXPECT_EQ(record.at("epsilon").to_number<double>(), 0);
  EXPECT_EQ(record.at("explore_draw").to_number<double>(), answer.draws.explore);
  EXPECT_EQ(record.at("select_draw").to_number<double>(), answer.draws.select);
  EXPECT_EQ(json::serialize(record.at("candidates")),
            R"([{"provider":"stripe","weight":6E-1},{"provider":"adyen","weight":6E-1,"why_not":"excluded"},)"
            R"({"provider":"klarna","weight":0,"why_not":"circuit_open"}])");
}

TEST_F(DecisionLogTest, WhatWasNotSaidIsNotWrittenAndNobodyIsNull) {
  engine->route("t1", {.exclude = {"stripe", "adyen", "klarna"}});
  const json::object record = lines().back();
  EXPECT_TRUE(record.at("provider").is_null());
  EXPECT_EQ(record.at("reason"), "no_provider");
  EXPECT_EQ(record.at("propensity").to_number<double>(), 0);
  for (const char* name : {"merchant_id", "payment_method", "payment_method_type", "amount", "currency"}) {
    EXPECT_FALSE(record.contains(name)) << name;
  }
}

TEST_F(DecisionLogTest, AnOutcomeSaysWhatCounted) {
  const Decided decided = engine->route("t1");
  engine->report("t1", decided.provider, failure(core::FailureKind::issuer), decided.answer.decision_id);
  engine->pending("t2", "stripe", 250, decided.answer.decision_id);
  engine->now += kSecond;
  engine->webhook("t2", "stripe", true);
  engine->pending("t3", "stripe", 250);
  engine->now += 120 * kSecond;
  engine->step();
  engine->report("t1", decided.provider, success());  // a duplicate is no outcome
  const auto records = lines();
  ASSERT_EQ(records.size(), 4U);
  const json::value id = text_of(decided.answer.decision_id);
  const auto& reported = records[1];
  EXPECT_EQ(reported.at("kind"), "outcome");
  EXPECT_EQ(reported.at("status"), "failure");
  EXPECT_EQ(reported.at("failure_kind"), "issuer");
  EXPECT_EQ(reported.at("source"), "report");
  EXPECT_EQ(reported.at("decision_id"), id);
  const auto& confirmed = records[2];
  EXPECT_EQ(confirmed.at("status"), "success");
  EXPECT_EQ(confirmed.at("source"), "webhook");
  EXPECT_EQ(confirmed.at("latency_ms"), 250) << "of the report, as it was counted";
  EXPECT_EQ(confirmed.at("decision_id"), id) << "of the report";
  EXPECT_FALSE(confirmed.contains("failure_kind"));
  const auto& timed_out = records[3];
  EXPECT_EQ(timed_out.at("transaction_id"), "t3");
  EXPECT_EQ(timed_out.at("failure_kind"), "provider");
  EXPECT_EQ(timed_out.at("source"), "time_out");
  EXPECT_FALSE(timed_out.contains("latency_ms")) << "a time-out has none";
  EXPECT_FALSE(timed_out.contains("decision_id"));
}

TEST_F(DecisionLogTest, NoCustomerStandsInIt) {
  engine->pending("t1", "stripe");  // of customer-77
  engine->webhook("t1", "stripe", true);
  engine->pending("t2", "stripe");
  engine->now += 120 * kSecond;
  engine->step();
  for (const auto& line : lines())
    EXPECT_THAT(json::serialize(line), ::testing::Not(::testing::HasSubstr("customer-77")));
}

TEST_F(DecisionLogTest, AnyDecisionCanBeReplayedFromItsRecord) {
  auto settings = channel_of({"a", "b", "c", "d", "e"});
  settings.epsilon = 0.3;
  settings.stable_per_transaction = true;
  engine->configure(settings);
  Worker& worker = *engine->workers[0];
  Random random(7);
  core::DecisionBuffer buffer;
  std::map<core::Reason, int> reasons;
  for (int i = 0; i < 600; ++i) {
    const std::string id = "t" + std::to_string(random.next() % 200);
    engine->route(id, random.next() % 3 == 0 ? Wish{.exclude = {"b"}} : Wish{});
    // The record as the log's thread finds it.
    const QueuedRecord* queued = worker.queue().front();
    ASSERT_NE(queued, nullptr);
    const DecisionRecord& record = *queued->decision;
    std::vector<core::ProviderIndex> excluded;
    for (std::size_t p = 0; p < record.why_not.size(); ++p) {
      if (record.why_not[p] == core::WhyNot::excluded) excluded.push_back(static_cast<core::ProviderIndex>(p));
    }
    core::DecisionRequest request;
    request.excluded = excluded;
    if (record.decision.reason == core::Reason::forced) request.forced = record.decision.provider;
    const auto again = core::decide(request, record.snapshot->settings(), record.snapshot->providers, record.at_ms,
                                    record.draws, buffer);
    ASSERT_EQ(again.provider, record.decision.provider);
    ASSERT_EQ(again.reason, record.decision.reason);
    ASSERT_EQ(again.propensity, record.decision.propensity);
    ASSERT_EQ(buffer.fallbacks, record.fallbacks);
    ASSERT_EQ(buffer.why_not, record.why_not);
    reasons[again.reason] += 1;
    const std::string provider = settings.providers[*again.provider].id;
    engine->log.recent("payments", 0);  // empties the queue
    engine->now += kSecond;
    if (provider == "c" || provider == "d" || random.next() % 4 != 0) {
      engine->report(id, provider,
                     provider == "c" ? failure() : success(static_cast<DurationMs>(random.next() % 3000)));
    }
    engine->log.recent("payments", 0);
  }
  for (const auto reason :
       {core::Reason::exploited, core::Reason::explored, core::Reason::probe, core::Reason::forced}) {
    EXPECT_GT(reasons[reason], 0) << word(reason);
  }
}

TEST_F(DecisionLogTest, TheRecentOnesAreGivenNewestFirst) {
  for (int i = 0; i < 5; ++i) {
    engine->route("t" + std::to_string(i), {}, static_cast<std::size_t>(i % 2));
    engine->now += 1;
  }
  EXPECT_THAT(ids(recent(3)), ElementsAre("t4", "t3", "t2")) << "whichever worker made them";
  EXPECT_EQ(recent(100).size(), 5U);
  EXPECT_TRUE(engine->log.recent("unheard-of", 10).empty());
}

TEST_F(DecisionLogTest, TheRecentOnesAreBounded) {
  for (int i = 0; i < 300; ++i) {
    engine->route("t" + std::to_string(i));
    engine->now += 1;
    if (i % 50 == 0) engine->log.recent("payments", 0);
  }
  const auto kept = recent(1000);
  ASSERT_EQ(kept.size(), DecisionLog::kRecentPerChannel);
  EXPECT_EQ(kept.front().at("transaction_id"), "t299");
  EXPECT_EQ(kept.back().at("transaction_id"), "t100");
}

TEST_F(DecisionLogTest, ARecordThatIsForgottenKeepsNoSnapshotAlive) {
  std::vector<std::weak_ptr<const Snapshot>> snapshots;
  for (int i = 0; i < 400; ++i) {
    snapshots.push_back(engine->route("t" + std::to_string(i)).answer.snapshot);
    engine->report("t" + std::to_string(i), "stripe", success());  // publishes another snapshot
    engine->log.recent("payments", 0);
  }
  const auto alive =
      std::count_if(snapshots.begin(), snapshots.end(), [](const auto& snapshot) { return !snapshot.expired(); });
  EXPECT_EQ(alive, static_cast<std::ptrdiff_t>(DecisionLog::kRecentPerChannel));
}

TEST_F(DecisionLogTest, AFullQueueDropsAndCountsAndNeverBlocks) {
  for (int i = 0; i < 100; ++i) EXPECT_EQ(engine->route("t" + std::to_string(i)).provider.empty(), false);
  EXPECT_EQ(engine->log.dropped(), 36U);
  EXPECT_TRUE(engine->workers[0]->queue().crowded());
  engine->report("t1", "stripe", success());
  EXPECT_EQ(engine->log.dropped(), 37U) << "outcomes too";
  EXPECT_EQ(lines().size(), 64U);
  engine->route("more");
  EXPECT_EQ(lines().size(), 65U);
}

TEST_F(DecisionLogTest, ItsThreadWritesWhatWaitsBeforeItEnds) {
  engine->log.start();
  for (int i = 0; i < 40; ++i) engine->route("t" + std::to_string(i));
  engine->log.stop();
  std::ifstream in(directory.path() / "decisions.ndjson");
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(in), {}, '\n'), 40);
  engine->log.stop();  // again, as the destructor does
}

TEST_F(DecisionLogTest, WithoutAFileTheRecentOnesAreKept) {
  Engine other(memory.stores());
  other.configure(channel_of({"a"}));
  other.route("t1");
  EXPECT_EQ(other.log.recent("payments", 10).size(), 1U);
  EXPECT_EQ(other.log.dropped(), 0U);
}

TEST_F(DecisionLogTest, ListenersGetASample) {
  const auto subscription = engine->events.subscribe();
  for (int i = 0; i < 30; ++i) engine->route("t" + std::to_string(i));
  engine->log.recent("payments", 0);
  const std::string events = subscription->take().value_or("");
  EXPECT_THAT(events, ::testing::StartsWith("event: decision\ndata: {\"kind\":\"decision\""));
  std::size_t count = 0;
  for (std::size_t at = 0; (at = events.find("event: decision\n", at)) != std::string::npos; ++at) count += 1;
  EXPECT_EQ(count, 3U);
}

}  // namespace
}  // namespace turnout::engine
