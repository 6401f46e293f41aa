#include "engine/metrics.h"

#include <limits>
#include <map>
#include <string>

#include "engine/words.h"

namespace turnout::engine {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

/// Families by name, filled in any order.
class Families {
 public:
  void counter(const std::string& name, const std::string& help, Labels labels, std::uint64_t value) {
    ClientMetric& metric = add(name, help, MetricType::Counter, std::move(labels));
    metric.counter.value = static_cast<double>(value);
  }

  void gauge(const std::string& name, const std::string& help, Labels labels, double value) {
    add(name, help, MetricType::Gauge, std::move(labels)).gauge.value = value;
  }

  ClientMetric& add(const std::string& name, const std::string& help, MetricType type, Labels labels) {
    MetricFamily& family = families_[name];
    family.name = name;
    family.help = help;
    family.type = type;
    ClientMetric& metric = family.metric.emplace_back();
    metric.label = std::move(labels);
    return metric;
  }

  std::vector<MetricFamily> take() {
    std::vector<MetricFamily> families;
    for (auto& [name, family] : families_) families.push_back(std::move(family));
    return families;
  }

 private:
  std::map<std::string, MetricFamily> families_;
};

Labels with(Labels labels, const char* name, std::string_view value) {
  labels.push_back({name, std::string(value)});
  return labels;
}

void collect_activity(Families& families, const Labels& labels, const ProviderActivity& activity) {
  for (std::size_t i = 0; i < kReasons; ++i) {
    const auto reason = static_cast<core::Reason>(i);
    families.counter("turnout_decisions_total", "Decisions that chose the provider, by reason.",
                     with(labels, "reason", word(reason)), activity.decisions(reason));
  }
  families.counter("turnout_outcomes_total", "Final outcomes that were counted.", with(labels, "status", "success"),
                   activity.outcomes(0));
  for (std::size_t kind = 0; kind + 1 < kOutcomeKinds; ++kind) {
    families.counter(
        "turnout_outcomes_total", "Final outcomes that were counted.",
        with(with(labels, "status", "failure"), "failure_kind", word(static_cast<core::FailureKind>(kind))),
        activity.outcomes(kind + 1));
  }
  for (std::size_t i = 0; i < kCircuits; ++i) {
    const auto circuit = static_cast<core::Circuit>(i);
    families.counter("turnout_circuit_transitions_total", "Changes of the circuit, by where it went.",
                     with(labels, "to", word(circuit)), activity.transitions(circuit));
  }
}

void collect_provider(Families& families, const Labels& labels, const Snapshot& snapshot, core::ProviderIndex index,
                      TimeMs now) {
  const auto& view = snapshot.providers[index];
  families.gauge("turnout_provider_weight", "Weight of the provider now.", labels, view.weight_at(now));
  families.gauge("turnout_provider_success_rate", "Success rate with its prior, 0 to 1.", labels,
                 view.factors.success_rate);
  if (view.p95_ms) {
    families.gauge("turnout_provider_latency_p95_seconds", "95th percentile of the reported latency.", labels,
                   *view.p95_ms / 1000);
  }
  const auto circuit = core::circuit_at(view.breaker, now);
  families.gauge("turnout_circuit_open", "1 while the circuit is open.", labels,
                 circuit == core::Circuit::open ? 1 : 0);
  families.gauge("turnout_circuit_half_open", "1 while the circuit is half-open.", labels,
                 circuit == core::Circuit::half_open ? 1 : 0);
  const auto& activity = *snapshot.layout->activity[index];
  families.gauge("turnout_in_flight", "Decisions of this process without an outcome.", labels,
                 static_cast<double>(activity.in_flight(now, snapshot.settings().webhook_timeout_ms)));
  collect_activity(families, labels, activity);
}

void collect_channel(Families& families, const Channel& channel, TimeMs now) {
  const auto snapshot = channel.snapshot();
  const Labels labels{{"channel", channel.name()}};
  families.gauge("turnout_epsilon", "Share of decisions that explore, as set.", labels, snapshot->settings().epsilon);
  families.counter("turnout_no_provider_total", "Decisions that found nobody.", labels, channel.no_provider());
  families.counter("turnout_duplicate_reports_total", "Reports of an attempt that was recorded already.", labels,
                   channel.duplicates());
  families.counter("turnout_late_reports_total", "Webhooks and reports after a pending attempt had ended.", labels,
                   channel.late());
  for (std::size_t i = 0; i < snapshot->providers.size(); ++i) {
    collect_provider(families, with(labels, "provider", snapshot->settings().providers[i].id), *snapshot,
                     static_cast<core::ProviderIndex>(i), now);
  }
}

void collect_durations(Families& families, const std::string& name, const std::string& help,
                       const std::vector<const DurationHistogram*>& shards) {
  auto& histogram = families.add(name, help, MetricType::Histogram, {}).histogram;
  std::uint64_t cumulative = 0;
  for (std::size_t bucket = 0; bucket < DurationHistogram::kBounds.size() + 1; ++bucket) {
    for (const auto* shard : shards) cumulative += shard->count(bucket);
    const bool last = bucket == DurationHistogram::kBounds.size();
    histogram.bucket.push_back(
        {cumulative, last ? std::numeric_limits<double>::infinity() : DurationHistogram::kBounds[bucket]});
  }
  histogram.sample_count = cumulative;
  for (const auto* shard : shards) histogram.sample_sum += shard->sum_seconds();
}

void collect_store(Families& families, const store::StoreStatus& status) {
  const Labels labels{{"store", status.kind}};
  families.gauge("turnout_store_available", "1 while changes are kept safe.", labels, status.available ? 1 : 0);
  families.counter("turnout_store_failed_writes_total", "Batches or commands that failed.", labels,
                   status.failed_writes);
  families.gauge("turnout_store_write_seconds", "Duration of the last batch or command.", labels,
                 static_cast<double>(status.last_write_microseconds) * 1e-6);
  families.gauge("turnout_remembered_attempts", "Final attempts remembered for idempotency.", labels,
                 static_cast<double>(status.remembered));
  families.gauge("turnout_remembered_attempts_bytes", "Memory that takes.", labels,
                 static_cast<double>(status.remembered_bytes));
  families.counter("turnout_forgotten_early_total", "Final attempts forgotten before dedupe_for, by dedupe_max.",
                   labels, status.forgotten_early);
}

}  // namespace

std::vector<MetricFamily> Metrics::Collect() const {
  Families families;
  const TimeMs now = clock_.now_ms();
  for (const auto& channel : channels_.all()) collect_channel(families, *channel, now);
  std::vector<const DurationHistogram*> route;
  std::vector<const DurationHistogram*> report;
  for (const Worker* worker : workers_) {
    route.push_back(&worker->route_durations());
    report.push_back(&worker->report_durations());
  }
  collect_durations(families, "turnout_route_duration_seconds",
                    "Time in the server from a parsed route request to its answer.", route);
  collect_durations(families, "turnout_report_duration_seconds",
                    "Time in the server from a parsed report or webhook to its answer.", report);
  families.counter("turnout_decision_log_dropped_total", "Records that did not reach the decision log.", {},
                   log_.dropped());
  collect_store(families, status_.status());
  return families.take();
}

MetricFamily Metrics::pending_family(const std::vector<std::pair<std::string, std::size_t>>& counts) {
  Families families;
  for (const auto& [channel, count] : counts) {
    families.gauge("turnout_pending_transactions", "Transactions that wait for their webhook.", {{"channel", channel}},
                   static_cast<double>(count));
  }
  auto taken = families.take();
  return taken.empty() ? MetricFamily{} : std::move(taken.front());
}

}  // namespace turnout::engine
