#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/stores.h"

namespace turnout::store {

/// Stands before another store and lets a test come in between: `before` is called with the name of each operation
/// ahead of it, may do what it likes to the store behind, and makes the operation fail by returning an error.
/// Thread-safe as long as `before` is not replaced meanwhile and is thread-safe itself.
class FailingStore final : public ArmStore, public TransactionStore, public SettingsStore, public StatusSource {
 public:
  explicit FailingStore(Stores behind) : behind_(behind) {}

  std::function<std::optional<Error>(std::string_view operation)> before;

  /// Makes the operation of this name fail from now on; with an empty name all of them.
  void fail(std::string operation = "") {
    before = [failing = std::move(operation)](std::string_view name) -> std::optional<Error> {
      if (!failing.empty() && failing != name) return std::nullopt;
      return Error{Error::Code::unavailable, "the store is away"};
    };
  }
  void work() { before = nullptr; }

  [[nodiscard]] Stores stores() { return {*this, *this, *this, *this}; }

  Awaitable<Result<std::vector<core::Arm>>> read_arms(std::string_view channel,
                                                      std::vector<std::string> providers) override {
    return unless_failing("read_arms", behind_.arms.read_arms(channel, std::move(providers)));
  }
  Awaitable<Result<BreakerChange>> change_breaker(std::string_view channel, std::string_view provider,
                                                  core::BreakerSettings settings, core::BreakerEvent event,
                                                  TimeMs now) override {
    return unless_failing("change_breaker", behind_.arms.change_breaker(channel, provider, settings, event, now));
  }
  Awaitable<Result<Done>> remove_provider(std::string_view channel, std::string_view provider) override {
    return unless_failing("remove_provider", behind_.arms.remove_provider(channel, provider));
  }
  Awaitable<Result<bool>> claim_sweep(std::string_view channel, DurationMs interval, TimeMs now) override {
    return unless_failing("claim_sweep", behind_.arms.claim_sweep(channel, interval, now));
  }
  Awaitable<Result<Done>> publish_weights(std::string_view channel, std::vector<ProviderWeight> weights,
                                          TimeMs now) override {
    return unless_failing("publish_weights", behind_.arms.publish_weights(channel, std::move(weights), now));
  }
  Awaitable<Result<std::vector<HistoryPoint>>> history(std::string_view channel, std::string_view provider,
                                                       std::size_t limit) override {
    return unless_failing("history", behind_.arms.history(channel, provider, limit));
  }

  Awaitable<Result<Recording>> finish(FinalReport report) override {
    return unless_failing("finish", behind_.transactions.finish(report));
  }
  Awaitable<Result<Recording>> begin_pending(AttemptKey attempt, PendingTransaction pending, TimeMs now) override {
    return unless_failing("begin_pending", behind_.transactions.begin_pending(attempt, std::move(pending), now));
  }
  Awaitable<Result<std::vector<PendingTransaction>>> due(std::string_view channel, TimeMs now,
                                                         std::size_t limit) override {
    return unless_failing("due", behind_.transactions.due(channel, now, limit));
  }
  Awaitable<Result<std::vector<PendingTransaction>>> pending(std::string_view channel, std::size_t limit) override {
    return unless_failing("pending", behind_.transactions.pending(channel, limit));
  }
  Awaitable<Result<std::size_t>> pending_count(std::string_view channel) override {
    return unless_failing("pending_count", behind_.transactions.pending_count(channel));
  }
  Awaitable<Result<RememberedChoice>> remember_choice(std::string_view channel, std::uint64_t key,
                                                      std::string_view proposal, DurationMs keep_for,
                                                      TimeMs now) override {
    return unless_failing("remember_choice",
                          behind_.transactions.remember_choice(channel, key, proposal, keep_for, now));
  }
  Awaitable<Result<Done>> replace_choice(std::string_view channel, std::uint64_t key, std::string_view provider,
                                         DurationMs keep_for, TimeMs now) override {
    return unless_failing("replace_choice", behind_.transactions.replace_choice(channel, key, provider, keep_for, now));
  }

  Awaitable<Result<std::map<std::string, Overrides>>> all_overrides() override {
    return unless_failing("all_overrides", behind_.settings.all_overrides());
  }
  Awaitable<Result<Overrides>> overrides(std::string_view channel) override {
    return unless_failing("overrides", behind_.settings.overrides(channel));
  }
  Awaitable<Result<Done>> change_overrides(std::string_view channel, OverrideChanges changes,
                                           AuditEntry entry) override {
    return unless_failing("change_overrides",
                          behind_.settings.change_overrides(channel, std::move(changes), std::move(entry)));
  }
  Awaitable<Result<Done>> append_audit(std::string_view channel, AuditEntry entry) override {
    return unless_failing("append_audit", behind_.settings.append_audit(channel, std::move(entry)));
  }
  Awaitable<Result<std::vector<AuditEntry>>> audit(std::string_view channel, std::size_t limit) override {
    return unless_failing("audit", behind_.settings.audit(channel, limit));
  }
  Awaitable<Result<Done>> remove_channel(std::string_view channel) override {
    return unless_failing("remove_channel", behind_.settings.remove_channel(channel));
  }

  [[nodiscard]] StoreStatus status() const override { return behind_.status.status(); }

 private:
  /// An awaitable that is not awaited does nothing.
  template <class T>
  Awaitable<Result<T>> unless_failing(std::string_view name, Awaitable<Result<T>> operation) {
    if (const auto hook = before) {  // a copy, which may replace `before`
      if (auto error = hook(name)) co_return *std::move(error);
    }
    co_return co_await std::move(operation);
  }

  Stores behind_;
};

}  // namespace turnout::store
