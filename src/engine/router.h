#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/awaitable.h"
#include "base/result.h"
#include "base/uuid.h"
#include "core/decide.h"
#include "core/outcome.h"
#include "engine/decision_log.h"
#include "engine/transitions.h"
#include "engine/worker.h"
#include "store/stores.h"

namespace turnout::engine {

/// One payment that wants a provider. Views stay valid until the answer is there.
struct RouteRequest {
  std::string_view channel;
  std::string_view transaction_id;
  std::string_view merchant_id;
  std::string_view payment_method;
  std::string_view payment_method_type;
  std::optional<std::int64_t> amount;  ///< minor units of `currency`
  std::string_view currency;
  std::span<const std::string_view> exclude;
  std::optional<std::span<const std::string_view>> eligible;
};

/// The decision. Fallbacks and the reasons against each provider stand in the worker's buffer until its next decision.
struct RouteAnswer {
  enum class Status : std::uint8_t { decided, no_provider, unknown_channel };
  Status status = Status::unknown_channel;
  Uuid decision_id;
  std::shared_ptr<const Snapshot> snapshot;
  core::Draws draws;
  core::Decision decision;
  bool degraded = false;  ///< a store call that was due failed; the decision is local
};

/// One report or webhook.
struct ReportRequest {
  std::string_view channel;
  std::string_view transaction_id;
  std::string_view provider;
  core::Status status = core::Status::success;
  core::Outcome outcome;  ///< how it ended; of a pending attempt only latency_ms is read
  std::optional<Uuid> decision_id;
  std::string_view error_code;
  std::string_view merchant_id;
  std::string_view customer_id;
  std::string_view payment_method;
  std::string_view payment_method_type;
};

/// What became of it, and the provider as it stands now.
struct ReportAnswer {
  enum class Status : std::uint8_t { answered, unknown_channel, unknown_provider, unknown_transaction, store_failed };
  Status status = Status::unknown_channel;
  store::Verdict verdict = store::Verdict::unknown;
  core::Status recorded_status = core::Status::pending;
  core::Circuit circuit = core::Circuit::closed;
  std::uint32_t consecutive_failures = 0;
  double weight = 0;
  double success_rate = 0;
  std::string problem;  ///< of the store
};

/// Picks providers and learns from outcomes: snapshot, core::decide, the store where its word is needed, decision log.
/// Thread-safe; each thread brings its own worker. `now` never comes from here.
class Router {
 public:
  Router(store::Stores stores, Transitions& transitions, DecisionLog& log)
      : stores_(stores), transitions_(transitions), log_(log) {}

  /// Usually no store call. In a channel that is stable per transaction one that remembers the choice, and one more
  /// when the choice is replaced; for a half-open choice one that takes the probe, and more when others were first.
  Awaitable<RouteAnswer> route(Worker& worker, RouteRequest request, TimeMs now);

  /// Usually one store call; one more when a pending payment's probe is kept or a manual opening was found to be over.
  /// Repeats change nothing, so a caller may retry after a time-out.
  Awaitable<ReportAnswer> report(Worker& worker, ReportRequest request, TimeMs now);

  /// The end of a pending transaction, by its provider's word.
  Awaitable<ReportAnswer> webhook(Worker& worker, ReportRequest request, TimeMs now);

  /// The end of a pending transaction whose deadline has passed: a failure of kind `provider`.
  Awaitable<Result<store::Verdict>> time_out(Worker& worker, Channel& channel, store::PendingTransaction pending,
                                             TimeMs now);

 private:
  void decide(Worker& worker, const RouteRequest& request, RouteAnswer& answer, TimeMs now,
              std::optional<core::ProviderIndex> forced) const;
  Awaitable<RouteAnswer> ask_store(Worker& worker, RouteRequest request, RouteAnswer answer, TimeMs now);
  Awaitable<RouteAnswer> keep_choice(Worker& worker, RouteRequest request, RouteAnswer answer, TimeMs now);
  Awaitable<RouteAnswer> replace_choice(Worker& worker, RouteRequest request, RouteAnswer answer, TimeMs now);
  Awaitable<RouteAnswer> claim_probe(Worker& worker, RouteRequest request, RouteAnswer answer, TimeMs now);
  Awaitable<Result<core::Breaker>> take_probe(std::shared_ptr<Channel> channel,
                                              std::shared_ptr<const Snapshot> snapshot, std::string_view provider,
                                              core::TakeProbe probe, TimeMs now);
  void record_decision(Worker& worker, const RouteRequest& request, const RouteAnswer& answer, TimeMs now);

  Awaitable<Result<store::Recording>> settle(Worker& worker, Channel& channel, std::shared_ptr<const Snapshot> snapshot,
                                             store::FinalReport report, ReportRequest request);
  Awaitable<ReportAnswer> answer_final(Worker& worker, ReportRequest request, store::Source source, TimeMs now);
  Awaitable<ReportAnswer> answer_pending(Worker& worker, ReportRequest request, TimeMs now);
  void record_outcome(Worker& worker, const Channel& channel, const store::FinalReport& report,
                      const ReportRequest& request);

  store::Stores stores_;
  Transitions& transitions_;
  DecisionLog& log_;
};

}  // namespace turnout::engine
