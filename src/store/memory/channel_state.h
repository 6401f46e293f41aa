#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/arm_store.h"
#include "store/memory/channel_changes.h"
#include "store/memory/final_attempts.h"
#include "store/memory/pending_transactions.h"
#include "store/memory/remembered_choices.h"
#include "store/memory/weight_history.h"
#include "store/settings_store.h"
#include "store/transaction_store.h"

namespace turnout::store {

/// All that is known of one channel, and what the ports do with it: each operation is the one of the same name in
/// ArmStore, TransactionStore or SettingsStore, for this channel. Not thread-safe: whoever has it locks around each
/// call.
class ChannelState {
 public:
  explicit ChannelState(Journaling journaling)
      : journaling_(journaling), finals_(journaling), pending_(journaling), choices_(journaling) {}

  [[nodiscard]] core::Arm arm(std::string_view provider) const;
  BreakerChange change_breaker(std::string_view provider, const core::BreakerSettings& settings,
                               const core::BreakerEvent& event, TimeMs now);
  void remove_provider(std::string_view provider);
  bool claim_sweep(DurationMs interval, TimeMs now);
  void publish_weights(const std::vector<ProviderWeight>& weights, TimeMs now);
  [[nodiscard]] std::vector<HistoryPoint> history(std::string_view provider, std::size_t limit) const;

  Recording finish(const FinalReport& report);
  Recording begin_pending(const AttemptKey& attempt, PendingTransaction transaction, TimeMs now);
  [[nodiscard]] const PendingTransactions& pending() const { return pending_; }
  RememberedChoice remember_choice(std::uint64_t key, std::string_view proposal, DurationMs keep_for, TimeMs now);
  void replace_choice(std::uint64_t key, std::string_view provider, DurationMs keep_for, TimeMs now);

  [[nodiscard]] const Overrides& overrides() const { return overrides_; }
  void change_overrides(const OverrideChanges& changes, AuditEntry entry);
  void append_audit(AuditEntry entry);
  [[nodiscard]] std::vector<AuditEntry> audit(std::size_t limit) const;
  void remove();

  [[nodiscard]] const ExpiringFingerprints& final_fingerprints() const { return finals_.fingerprints(); }

  /// Whether take_changes() would return any; always false when not journaled.
  [[nodiscard]] bool changed() const { return changed_; }
  /// The changes since the last call.
  ChannelChanges take_changes();

  /// Puts what an earlier process knew back, before anything else is done with the channel.
  void restore_arm(std::string_view provider, const core::Arm& arm) { provider_state(provider).arm = arm; }
  void restore_point(std::string_view provider, HistoryPoint point) { provider_state(provider).history.add(point); }
  void restore_final_attempts(const BucketWords& bucket) { finals_.fingerprints().restore(bucket); }
  void restore_pending(std::uint64_t fingerprint, PendingTransaction transaction);
  void restore_choice_provider(const NumberedProvider& provider) { choices_.restore(provider); }
  void restore_choices(const BucketWords& bucket) { choices_.fingerprints().restore(bucket); }
  void restore_override(std::string name, std::string text) {
    overrides_.insert_or_assign(std::move(name), std::move(text));
  }
  void restore_audit(AuditEntry entry) { keep_audit(std::move(entry)); }

 private:
  struct ProviderState {
    core::Arm arm;
    WeightHistory history;
    bool arm_changed = false;
    WeightHistory new_points;  ///< not taken as changes yet; empty when not journaled
  };

  ProviderState& provider_state(std::string_view provider);
  [[nodiscard]] std::optional<Recording> already_final(const FinalReport& report) const;
  [[nodiscard]] Recording record(const FinalReport& report);
  void keep_audit(AuditEntry entry);
  void mark_changed() { changed_ = journaling_ == Journaling::on; }

  Journaling journaling_;
  std::map<std::string, ProviderState, std::less<>> providers_;
  FinalAttempts finals_;
  PendingTransactions pending_;
  RememberedChoices choices_;
  Overrides overrides_;
  std::deque<AuditEntry> audit_;  ///< oldest first
  std::optional<TimeMs> swept_at_ms_;

  bool changed_ = false;
  bool removed_ = false;
  bool overrides_changed_ = false;
  std::vector<std::string> removed_providers_;
  std::size_t new_audit_ = 0;  ///< how many of the newest entries were not taken as changes yet
};

}  // namespace turnout::store
