#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/attempt.h"
#include "store/backend.h"
#include "support/await.h"

namespace turnout::store {

/// A moment far from zero, so that clocks can be set back.
inline constexpr TimeMs kStart = 1'700'000'000'000;

/// What a test does with a store, each in one line, for one channel.
class StoreUser {
 public:
  explicit StoreUser(Stores stores, std::string channel = "payments")
      : stores_([stores] { return stores; }), channel_(std::move(channel)) {}
  /// Goes on with the same backend when that is restarted.
  explicit StoreUser(Backend& backend, std::string channel = "payments")
      : stores_([&backend] { return backend.stores(); }), channel_(std::move(channel)) {}

  core::ChannelSettings settings;

  [[nodiscard]] AttemptKey attempt(const std::string& provider, const std::string& transaction_id) const {
    return {channel_, provider, transaction_id, attempt_fingerprint(channel_, provider, transaction_id)};
  }

  Recording finish(Source source, const std::string& provider, const std::string& transaction_id,
                   const core::Outcome& outcome, TimeMs now) {
    FinalReport report;
    report.attempt = attempt(provider, transaction_id);
    report.source = source;
    report.outcome = outcome;
    report.channel = &settings;
    report.now = now;
    return await(stores_().transactions.finish(report)).value();
  }
  Recording report(const std::string& provider, const std::string& transaction_id, bool success, TimeMs now) {
    return finish(Source::report, provider, transaction_id, {success, core::FailureKind::provider, {}}, now);
  }
  Recording webhook(const std::string& provider, const std::string& transaction_id, bool confirmed, TimeMs now) {
    return finish(Source::webhook, provider, transaction_id, {confirmed, core::FailureKind::provider, {}}, now);
  }
  Recording time_out(const std::string& provider, const std::string& transaction_id, TimeMs now) {
    return finish(Source::time_out, provider, transaction_id, {false, core::FailureKind::provider, {}}, now);
  }

  /// A transaction whose every member has a value of its own.
  [[nodiscard]] PendingTransaction pending_of(const std::string& provider, const std::string& transaction_id,
                                              TimeMs now) const {
    PendingTransaction pending;
    pending.transaction_id = transaction_id;
    pending.provider = provider;
    pending.decision_id = Uuid::make(now, 1, 2);
    pending.reported_at_ms = now;
    pending.deadline_ms = now + settings.webhook_timeout_ms;
    pending.latency_ms = 321;
    pending.merchant_id = "merchant";
    pending.customer_id = "customer 'é'";
    pending.payment_method = "INTERAC";
    pending.payment_method_type = "RTP";
    return pending;
  }
  Recording begin_pending(const std::string& provider, const std::string& transaction_id, TimeMs now) {
    PendingTransaction pending = pending_of(provider, transaction_id, now);
    return await(stores_().transactions.begin_pending(attempt(provider, transaction_id), std::move(pending), now))
        .value();
  }
  std::vector<PendingTransaction> due(TimeMs now, std::size_t limit = 1000) {
    return await(stores_().transactions.due(channel_, now, limit)).value();
  }
  std::vector<PendingTransaction> pending(std::size_t limit = 1000) {
    return await(stores_().transactions.pending(channel_, limit)).value();
  }
  std::size_t pending_count() { return await(stores_().transactions.pending_count(channel_)).value(); }

  RememberedChoice remember_choice(std::uint64_t key, const std::string& proposal, DurationMs keep_for, TimeMs now) {
    return await(stores_().transactions.remember_choice(channel_, key, proposal, keep_for, now)).value();
  }
  void replace_choice(std::uint64_t key, const std::string& provider, DurationMs keep_for, TimeMs now) {
    (void)await(stores_().transactions.replace_choice(channel_, key, provider, keep_for, now)).value();
  }

  core::Arm arm(const std::string& provider) {
    return await(stores_().arms.read_arms(channel_, {provider})).value().at(0);
  }
  BreakerChange change_breaker(const std::string& provider, const core::BreakerEvent& event, TimeMs now) {
    return await(stores_().arms.change_breaker(channel_, provider, settings.breaker, event, now)).value();
  }
  void remove_provider(const std::string& provider) {
    (void)await(stores_().arms.remove_provider(channel_, provider)).value();
  }
  bool claim_sweep(TimeMs now) {
    return await(stores_().arms.claim_sweep(channel_, settings.sweep_interval_ms, now)).value();
  }
  void publish(std::vector<ProviderWeight> weights, TimeMs now) {
    (void)await(stores_().arms.publish_weights(channel_, std::move(weights), now)).value();
  }
  std::vector<HistoryPoint> history(const std::string& provider, std::size_t limit = ArmStore::kHistoryLimit) {
    return await(stores_().arms.history(channel_, provider, limit)).value();
  }

  std::map<std::string, Overrides> all_overrides() { return await(stores_().settings.all_overrides()).value(); }
  void change_overrides(OverrideChanges changes, AuditEntry entry) {
    (void)await(stores_().settings.change_overrides(channel_, std::move(changes), std::move(entry))).value();
  }
  void append_audit(AuditEntry entry) {
    (void)await(stores_().settings.append_audit(channel_, std::move(entry))).value();
  }
  std::vector<AuditEntry> audit(std::size_t limit = SettingsStore::kAuditLimit) {
    return await(stores_().settings.audit(channel_, limit)).value();
  }
  void remove_channel() { (void)await(stores_().settings.remove_channel(channel_)).value(); }

  StoreStatus status() { return stores_().status.status(); }

 private:
  std::function<Stores()> stores_;
  std::string channel_;
};

/// A fresh store of each kind.
class StoreContract : public ::testing::TestWithParam<BackendKind> {
 protected:
  std::unique_ptr<Backend> backend = GetParam().make();
  StoreUser store{*backend};
};

inline std::string name_of_kind(const ::testing::TestParamInfo<BackendKind>& info) { return info.param.name; }

}  // namespace turnout::store
