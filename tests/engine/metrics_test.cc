#include "engine/metrics.h"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <fstream>
#include <set>

#include "engine/engine.h"

// The engine's numbers as Prometheus reads them.

namespace turnout::engine {
namespace {

class SteppedClock final : public Clock {
 public:
  explicit SteppedClock(const TimeMs& now) : now_(now) {}
  [[nodiscard]] TimeMs now_ms() const override { return now_; }

 private:
  const TimeMs& now_;
};

class MetricsTest : public ::testing::Test {
 protected:
  MetricsTest() { engine.configure(channel_of({"stripe", "adyen"})); }

  /// The value of the line that begins with `series`; nothing when there is none.
  [[nodiscard]] std::optional<double> value(const std::string& series) const {
    std::istringstream text(prometheus::TextSerializer().Serialize(metrics.Collect()));
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with(series + " ")) return std::stod(line.substr(series.size()));
    }
    return std::nullopt;
  }

  store::MemoryStore memory;
  Engine engine{memory.stores(), 2, nullptr, 8};
  SteppedClock clock{engine.now};
  Metrics metrics{engine.channels, memory, engine.log, clock, {engine.workers[0].get(), engine.workers[1].get()}};
};

TEST_F(MetricsTest, TellWhatHappenedToAProvider) {
  const std::string of_stripe = R"({channel="payments",provider="stripe"})";
  EXPECT_EQ(value("turnout_provider_latency_p95_seconds" + of_stripe), std::nullopt);
  engine.report("t1", "stripe", success(2000));
  EXPECT_NEAR(value("turnout_provider_latency_p95_seconds" + of_stripe).value(), 2, 0.06);
  EXPECT_NEAR(value("turnout_provider_success_rate" + of_stripe).value(), 4.0 / 6, 1e-6);
  EXPECT_NEAR(value("turnout_provider_weight" + of_stripe).value(), engine.view("stripe").weight_at(engine.now), 1e-6);
  EXPECT_EQ(value("turnout_circuit_open" + of_stripe), 0);
  engine.fail("stripe", 5);
  EXPECT_EQ(value("turnout_circuit_open" + of_stripe), 1);
  EXPECT_EQ(value("turnout_provider_weight" + of_stripe), 0);
  engine.now += 30 * kSecond;
  EXPECT_EQ(value("turnout_circuit_open" + of_stripe), 0);
  EXPECT_EQ(value("turnout_circuit_half_open" + of_stripe), 1);
  EXPECT_EQ(value(R"(turnout_circuit_transitions_total{channel="payments",provider="stripe",to="open"})"), 1);
  EXPECT_EQ(value(R"(turnout_outcomes_total{channel="payments",provider="stripe",status="success"})"), 1);
  EXPECT_EQ(
      value(R"(turnout_outcomes_total{channel="payments",provider="stripe",status="failure",failure_kind="provider"})"),
      5);
}

TEST_F(MetricsTest, TellWhatHappenedInAChannel) {
  engine.route("t1");
  engine.route("t2", {.exclude = {"stripe", "adyen"}});
  engine.report("t3", "stripe", success());
  engine.report("t3", "stripe", success());
  engine.webhook("t3", "stripe", true);
  EXPECT_EQ(value(R"(turnout_no_provider_total{channel="payments"})"), 1);
  EXPECT_EQ(value(R"(turnout_duplicate_reports_total{channel="payments"})"), 1);
  EXPECT_EQ(value(R"(turnout_late_reports_total{channel="payments"})"), 1);
  EXPECT_EQ(value(R"(turnout_epsilon{channel="payments"})"), 0);
  const auto of = [this](const std::string& provider) {
    return value(R"(turnout_decisions_total{channel="payments",provider=")" + provider + R"(",reason="exploited"})")
        .value();
  };
  EXPECT_EQ(of("stripe") + of("adyen"), 1);
}

TEST_F(MetricsTest, TellOfTheStoreAndTheLog) {
  EXPECT_EQ(value(R"(turnout_store_available{store="memory"})"), 1);
  engine.report("t1", "stripe", success());
  EXPECT_EQ(value(R"(turnout_remembered_attempts{store="memory"})"), 1);
  for (int i = 0; i < 10; ++i) engine.route("t" + std::to_string(i));
  EXPECT_EQ(value("turnout_decision_log_dropped_total"), 3) << "of 11 records the queue holds 8";
}

TEST_F(MetricsTest, AddTheDurationsOfAllWorkersUp) {
  engine.workers[0]->route_durations().add(1500);
  engine.workers[1]->route_durations().add(1500);
  engine.workers[1]->route_durations().add(5'000'000'000);
  engine.workers[1]->report_durations().add(1);
  EXPECT_EQ(value("turnout_route_duration_seconds_count"), 3);
  EXPECT_NEAR(value("turnout_route_duration_seconds_sum").value(), 5.000003, 1e-6);
  EXPECT_EQ(value(R"(turnout_route_duration_seconds_bucket{le="1e-06"})"), 0);
  EXPECT_EQ(value(R"(turnout_route_duration_seconds_bucket{le="2e-06"})"), 2);
  EXPECT_EQ(value(R"(turnout_route_duration_seconds_bucket{le="1"})"), 2);
  EXPECT_EQ(value(R"(turnout_route_duration_seconds_bucket{le="+Inf"})"), 3);
  EXPECT_EQ(value("turnout_report_duration_seconds_count"), 1);
}

TEST_F(MetricsTest, EveryFamilyHasOneNameAndAHelp) {
  std::set<std::string> names;
  for (const auto& family : metrics.Collect()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    EXPECT_FALSE(family.help.empty()) << family.name;
    EXPECT_TRUE(family.name.starts_with("turnout_"));
    EXPECT_EQ(family.type == prometheus::MetricType::Counter, family.name.ends_with("_total")) << family.name;
  }
}

TEST_F(MetricsTest, PendingTransactionsAreAFamilyOfTheirOwn) {
  const auto family = Metrics::pending_family({{"payments", 3}, {"payouts", 0}});
  EXPECT_EQ(prometheus::TextSerializer().Serialize({family}),
            "# HELP turnout_pending_transactions Transactions that wait for their webhook.\n"
            "# TYPE turnout_pending_transactions gauge\n"
            "turnout_pending_transactions{channel=\"payments\"} 3\n"
            "turnout_pending_transactions{channel=\"payouts\"} 0\n");
  EXPECT_TRUE(Metrics::pending_family({}).metric.empty());
}

}  // namespace
}  // namespace turnout::engine
