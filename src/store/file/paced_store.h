#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/file/write_backlog.h"
#include "store/memory/memory_store.h"
#include "store/stores.h"

namespace turnout::store {

/// The ports of a MemoryStore, with changes answered at the pace of the WriteBacklog. What does not have to wait is the
/// memory store's own coroutine; only what has to wait suspends.
class PacedStore final : public ArmStore, public TransactionStore, public SettingsStore {
 public:
  /// Both outlive it.
  PacedStore(MemoryStore& memory, WriteBacklog& backlog) : memory_(memory), backlog_(backlog) {}

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

 private:
  MemoryStore& memory_;
  WriteBacklog& backlog_;
};

}  // namespace turnout::store
