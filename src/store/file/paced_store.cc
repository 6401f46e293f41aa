#include "store/file/paced_store.h"

#include <utility>

namespace turnout::store {
namespace {

template <class T>
Awaitable<T> answer_when_written(Awaitable<T> change, WriteBacklog& backlog) {
  T result = co_await std::move(change);
  co_await backlog.written();
  co_return result;
}

/// `change`, made and then answered at once or, when `wait`, once it is written.
template <class T>
Awaitable<T> paced(Awaitable<T> change, WriteBacklog& backlog, bool wait) {
  if (!wait) return change;
  return answer_when_written(std::move(change), backlog);
}

}  // namespace

Awaitable<Result<std::vector<core::Arm>>> PacedStore::read_arms(std::string_view channel,
                                                                std::vector<std::string> providers) {
  return memory_.read_arms(channel, std::move(providers));
}

Awaitable<Result<BreakerChange>> PacedStore::change_breaker(std::string_view channel, std::string_view provider,
                                                            core::BreakerSettings settings, core::BreakerEvent event,
                                                            TimeMs now) {
  return paced(memory_.change_breaker(channel, provider, settings, event, now), backlog_, backlog_.far_behind());
}

Awaitable<Result<Done>> PacedStore::remove_provider(std::string_view channel, std::string_view provider) {
  return paced(memory_.remove_provider(channel, provider), backlog_, backlog_.far_behind());
}

Awaitable<Result<bool>> PacedStore::claim_sweep(std::string_view channel, DurationMs interval, TimeMs now) {
  return memory_.claim_sweep(channel, interval, now);
}

Awaitable<Result<Done>> PacedStore::publish_weights(std::string_view channel, std::vector<ProviderWeight> weights,
                                                    TimeMs now) {
  return paced(memory_.publish_weights(channel, std::move(weights), now), backlog_, backlog_.far_behind());
}

Awaitable<Result<std::vector<HistoryPoint>>> PacedStore::history(std::string_view channel, std::string_view provider,
                                                                 std::size_t limit) {
  return memory_.history(channel, provider, limit);
}

Awaitable<Result<Recording>> PacedStore::finish(FinalReport report) {
  // A webhook or time-out deletes the row of the pending transaction.
  const bool wait = report.source == Source::report ? backlog_.far_behind() : backlog_.far_behind_with_another_row();
  return paced(memory_.finish(report), backlog_, wait);
}

Awaitable<Result<Recording>> PacedStore::begin_pending(AttemptKey attempt, PendingTransaction pending, TimeMs now) {
  return paced(memory_.begin_pending(attempt, std::move(pending), now), backlog_,
               backlog_.far_behind_with_another_row());
}

Awaitable<Result<std::vector<PendingTransaction>>> PacedStore::due(std::string_view channel, TimeMs now,
                                                                   std::size_t limit) {
  return memory_.due(channel, now, limit);
}

Awaitable<Result<std::vector<PendingTransaction>>> PacedStore::pending(std::string_view channel, std::size_t limit) {
  return memory_.pending(channel, limit);
}

Awaitable<Result<std::size_t>> PacedStore::pending_count(std::string_view channel) {
  return memory_.pending_count(channel);
}

Awaitable<Result<RememberedChoice>> PacedStore::remember_choice(std::string_view channel, std::uint64_t key,
                                                                std::string_view proposal, DurationMs keep_for,
                                                                TimeMs now) {
  return paced(memory_.remember_choice(channel, key, proposal, keep_for, now), backlog_, backlog_.far_behind());
}

Awaitable<Result<Done>> PacedStore::replace_choice(std::string_view channel, std::uint64_t key,
                                                   std::string_view provider, DurationMs keep_for, TimeMs now) {
  return paced(memory_.replace_choice(channel, key, provider, keep_for, now), backlog_, backlog_.far_behind());
}

Awaitable<Result<std::map<std::string, Overrides>>> PacedStore::all_overrides() { return memory_.all_overrides(); }

Awaitable<Result<Overrides>> PacedStore::overrides(std::string_view channel) { return memory_.overrides(channel); }

Awaitable<Result<Done>> PacedStore::change_overrides(std::string_view channel, OverrideChanges changes,
                                                     AuditEntry entry) {
  return paced(memory_.change_overrides(channel, std::move(changes), std::move(entry)), backlog_,
               backlog_.far_behind());
}

Awaitable<Result<Done>> PacedStore::append_audit(std::string_view channel, AuditEntry entry) {
  return paced(memory_.append_audit(channel, std::move(entry)), backlog_, backlog_.far_behind());
}

Awaitable<Result<std::vector<AuditEntry>>> PacedStore::audit(std::string_view channel, std::size_t limit) {
  return memory_.audit(channel, limit);
}

Awaitable<Result<Done>> PacedStore::remove_channel(std::string_view channel) {
  return paced(memory_.remove_channel(channel), backlog_, backlog_.far_behind());
}

}  // namespace turnout::store
