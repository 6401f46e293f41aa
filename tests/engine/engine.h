#pragma once

#include <spdlog/spdlog.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/operations.h"
#include "engine/router.h"
#include "engine/sweeper.h"
#include "store/memory/memory_store.h"
#include "support/await.h"

namespace turnout::engine {

/// A moment such as a production clock shows.
inline constexpr TimeMs kStart = 1'700'000'000'000;

/// A channel of these providers that never explores, so that a test's shares follow the weights.
inline core::ChannelSettings channel_of(const std::vector<std::string>& providers) {
  core::ChannelSettings settings;
  settings.epsilon = 0;
  for (const auto& provider : providers) settings.providers.push_back({provider});
  return settings;
}

inline core::Outcome success(std::optional<DurationMs> latency_ms = std::nullopt) {
  return {true, core::FailureKind::provider, latency_ms};
}

inline core::Outcome failure(core::FailureKind kind = core::FailureKind::provider) { return {false, kind, {}}; }

/// A decision in words. `provider` is empty when nobody was chosen.
struct Decided {
  RouteAnswer answer;
  std::string provider;
  std::vector<std::string> fallbacks;
  std::vector<core::WhyNot> why_not;
};

/// What a route call may say besides channel and transaction.
struct Wish {
  std::vector<std::string> exclude = {};
  std::optional<std::vector<std::string>> eligible = {};
  std::optional<std::int64_t> amount = {};
};

/// A whole engine over a store, of which a test uses the channel `payments` at its own time, each step in one line.
class Engine {
 public:
  static constexpr const char* kChannel = "payments";

  explicit Engine(store::Stores backend, std::size_t worker_count = 1, std::unique_ptr<LogFile> file = nullptr,
                  std::size_t queue_capacity = 4096)
      : stores(backend),
        channels(backend, worker_count),
        transitions(events, backend.settings),
        log(events, std::move(file)),
        router(backend, transitions, log),
        operations(backend, channels, transitions) {
    spdlog::set_level(spdlog::level::off);
    for (std::size_t i = 0; i < worker_count; ++i) {
      workers.push_back(std::make_unique<Worker>(i, channels, 1 + i, queue_capacity));
      log.add_queue(workers.back()->queue());
    }
    sweeper = std::make_unique<Sweeper>(backend, channels, router, transitions, events, *workers.front());
  }

  /// Puts in force a file with `payments` alone.
  void configure(core::ChannelSettings settings) { configure_all({{kChannel, std::move(settings)}}); }
  void configure_all(ConfiguredChannels configured) {
    (void)await(channels.configure(std::move(configured), now)).value();
  }

  Decided route(const std::string& transaction_id, const Wish& wish = {}, std::size_t worker = 0) {
    const std::vector<std::string_view> exclude(wish.exclude.begin(), wish.exclude.end());
    std::vector<std::string_view> eligible;
    if (wish.eligible) eligible.assign(wish.eligible->begin(), wish.eligible->end());
    RouteRequest request;
    request.channel = kChannel;
    request.transaction_id = transaction_id;
    request.amount = wish.amount;
    request.exclude = exclude;
    if (wish.eligible) request.eligible = eligible;
    Decided decided{await(router.route(*workers[worker], request, now)), "", {}, workers[worker]->buffer().why_not};
    if (decided.answer.status == RouteAnswer::Status::unknown_channel) return decided;
    const auto& providers = decided.answer.snapshot->settings().providers;
    if (const auto chosen = decided.answer.decision.provider) decided.provider = providers[*chosen].id;
    for (const auto index : workers[worker]->buffer().fallbacks) decided.fallbacks.push_back(providers[index].id);
    return decided;
  }

  ReportAnswer report(const std::string& transaction_id, const std::string& provider, const core::Outcome& outcome,
                      std::optional<Uuid> decision_id = std::nullopt, std::size_t worker = 0) {
    ReportRequest request = request_of(transaction_id, provider);
    request.status = outcome.success ? core::Status::success : core::Status::failure;
    request.outcome = outcome;
    request.decision_id = decision_id;
    return await(router.report(*workers[worker], request, now));
  }
  ReportAnswer pending(const std::string& transaction_id, const std::string& provider,
                       std::optional<DurationMs> latency_ms = std::nullopt,
                       std::optional<Uuid> decision_id = std::nullopt) {
    ReportRequest request = request_of(transaction_id, provider);
    request.status = core::Status::pending;
    request.outcome.latency_ms = latency_ms;
    request.decision_id = decision_id;
    request.customer_id = "customer-77";
    return await(router.report(*workers[0], request, now));
  }
  ReportAnswer webhook(const std::string& transaction_id, const std::string& provider, bool confirmed) {
    ReportRequest request = request_of(transaction_id, provider);
    request.status = confirmed ? core::Status::success : core::Status::failure;
    request.outcome.success = confirmed;
    return await(router.webhook(*workers[0], request, now));
  }
  /// Failures of kind provider of new transactions.
  void fail(const std::string& provider, int count) {
    for (int i = 0; i < count; ++i) report("failed-" + std::to_string(++transactions_), provider, failure());
  }

  void step() { await(step_and_return()); }
  /// Lets time pass in steps of the sweeper.
  void advance(DurationMs duration, DurationMs every = kSecond) {
    for (const TimeMs end = now + duration; now < end;) {
      now = std::min(end, now + every);
      step();
    }
  }

  [[nodiscard]] std::shared_ptr<Channel> channel() const { return channels.find(kChannel); }
  [[nodiscard]] core::ProviderView view(const std::string& provider) const {
    const auto snapshot = channel()->snapshot();
    return snapshot->providers[*snapshot->layout->find(provider)];
  }
  [[nodiscard]] const ProviderActivity& activity(const std::string& provider) const {
    const auto snapshot = channel()->snapshot();
    return *snapshot->layout->activity[*snapshot->layout->find(provider)];
  }
  [[nodiscard]] core::Circuit circuit(const std::string& provider) const {
    return core::circuit_at(view(provider).breaker, now);
  }
  core::Breaker order(const std::string& provider, CircuitAction action,
                      std::optional<DurationMs> expires_in_ms = std::nullopt) {
    CircuitOrder order{action, "ann", "maintenance", expires_in_ms};
    return await(operations.order_circuit(channel(), provider, std::move(order), now)).value();
  }
  std::vector<store::AuditEntry> audit() { return await(stores.settings.audit(kChannel, 100)).value(); }
  std::size_t pending_count() { return await(stores.transactions.pending_count(kChannel)).value(); }
  core::Arm arm(const std::string& provider) {
    return await(stores.arms.read_arms(kChannel, {provider})).value().at(0);
  }

  TimeMs now = kStart;
  store::Stores stores;
  Events events;
  Channels channels;
  Transitions transitions;
  DecisionLog log;
  Router router;
  Operations operations;
  std::vector<std::unique_ptr<Worker>> workers;
  std::unique_ptr<Sweeper> sweeper;

 private:
  static ReportRequest request_of(std::string_view transaction_id, std::string_view provider) {
    ReportRequest request;
    request.channel = kChannel;
    request.transaction_id = transaction_id;
    request.provider = provider;
    return request;
  }
  Awaitable<Done> step_and_return() {
    co_await sweeper->step(now);
    co_return Done{};
  }

  int transactions_ = 0;
};

}  // namespace turnout::engine
