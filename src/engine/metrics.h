#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <memory>
#include <vector>

#include "engine/channels.h"
#include "engine/clock.h"
#include "engine/decision_log.h"
#include "engine/worker.h"
#include "store/stores.h"

namespace turnout::engine {

/// The engine's numbers in Prometheus' terms, read from the workers' counters and the snapshots when asked. Names and
/// meanings are in docs/operations.md. Thread-safe.
class Metrics final : public prometheus::Collectable {
 public:
  Metrics(const Channels& channels, store::StatusSource& status, const DecisionLog& log, const Clock& clock,
          std::vector<const Worker*> workers)
      : channels_(channels), status_(status), log_(log), clock_(clock), workers_(std::move(workers)) {}

  /// Everything but what needs the store to be asked (the pending transactions, which the caller adds).
  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

  /// The family of pending transactions, one gauge per channel.
  static prometheus::MetricFamily pending_family(const std::vector<std::pair<std::string, std::size_t>>& counts);

 private:
  const Channels& channels_;
  store::StatusSource& status_;
  const DecisionLog& log_;
  const Clock& clock_;
  std::vector<const Worker*> workers_;
};

}  // namespace turnout::engine
