#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/memory/channel_table.h"
#include "store/stores.h"

namespace turnout::store {

/// The embedded store: everything in memory, nothing kept beyond the process. Operations never suspend; those of one
/// channel wait for each other, those of different channels do not.
class MemoryStore final : public ArmStore, public TransactionStore, public SettingsStore, public StatusSource {
 public:
  MemoryStore() : channels_(Journaling::off) {}

  /// With a journal: each channel keeps a list of its changes, and `on_change` is called when one that had none gets
  /// some. It is called with that channel locked, by any thread, so it must be quick.
  explicit MemoryStore(std::function<void()> on_change) : on_change_(std::move(on_change)), channels_(Journaling::on) {}

  [[nodiscard]] Stores stores() { return {*this, *this, *this, *this}; }

  [[nodiscard]] ChannelTable& channels() { return channels_; }

  Awaitable<Result<std::vector<core::Arm>>> read_arms(std::string_view channel,
                                                      std::vector<std::string> providers) override;
  Awaitable<Result<BreakerChange>> change_breaker(std::string_view channel, std::string_view provider,
                                                  core::BreakerSettings settings, core::BreakerEvent event,
                                                  TimeMs now) override;
  Awaitable<Result<Done>> remove_provider(std::string_view channel, std::string_view provider) override;
  Awaitable<Result<bool>> claim_sweep(std::string_view channel, DurationMs interval, TimeMs now) override;
  Awaitable<Result<Done>> publish_weights(std::string_view channel, std::vector<ProviderWeight> weights,
                                          TimeMs now) override;
  Awaitable<Result<std::vector<HistoryPoint>>> history(std::string_view channel, std::string_view provider,
                                                       std::size_t limit) override;

  Awaitable<Result<Recording>> finish(FinalReport report) override;
  Awaitable<Result<Recording>> begin_pending(AttemptKey attempt, PendingTransaction pending, TimeMs now) override;
  Awaitable<Result<std::vector<PendingTransaction>>> due(std::string_view channel, TimeMs now,
                                                         std::size_t limit) override;
  Awaitable<Result<std::vector<PendingTransaction>>> pending(std::string_view channel, std::size_t limit) override;
  Awaitable<Result<std::size_t>> pending_count(std::string_view channel) override;
  Awaitable<Result<RememberedChoice>> remember_choice(std::string_view channel, std::uint64_t key,
                                                      std::string_view proposal, DurationMs keep_for,
                                                      TimeMs now) override;
  Awaitable<Result<Done>> replace_choice(std::string_view channel, std::uint64_t key, std::string_view provider,
                                         DurationMs keep_for, TimeMs now) override;

  Awaitable<Result<std::map<std::string, Overrides>>> all_overrides() override;
  Awaitable<Result<Overrides>> overrides(std::string_view channel) override;
  Awaitable<Result<Done>> change_overrides(std::string_view channel, OverrideChanges changes,
                                           AuditEntry entry) override;
  Awaitable<Result<Done>> append_audit(std::string_view channel, AuditEntry entry) override;
  Awaitable<Result<std::vector<AuditEntry>>> audit(std::string_view channel, std::size_t limit) override;
  Awaitable<Result<Done>> remove_channel(std::string_view channel) override;

  [[nodiscard]] StoreStatus status() const override;

 private:
  /// The result of `change` on the channel's state, which is created when missing.
  template <class Change>
  auto change_channel(std::string_view name, const Change& change);
  /// The result of `read` on the channel's state, or an empty result when there is no such channel.
  template <class Read>
  auto read_channel(std::string_view name, const Read& read) const;

  std::function<void()> on_change_;
  ChannelTable channels_;
};

}  // namespace turnout::store
