#include "store/memory/memory_store.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace turnout::store {

template <class Change>
auto MemoryStore::change_channel(std::string_view name, const Change& change) {
  LockedChannel& channel = channels_.get(name);
  const std::lock_guard lock(channel.mutex);
  const bool changed_before = channel.state.changed();
  auto result = change(channel.state);
  if (!changed_before && channel.state.changed()) on_change_();
  return result;
}

template <class Read>
auto MemoryStore::read_channel(std::string_view name, const Read& read) const {
  using Answer = std::invoke_result_t<Read, const ChannelState&>;
  LockedChannel* channel = channels_.find(name);
  if (!channel) return Answer{};
  const std::lock_guard lock(channel->mutex);
  return read(std::as_const(channel->state));
}

Awaitable<Result<std::vector<core::Arm>>> MemoryStore::read_arms(std::string_view channel,
                                                                 std::vector<std::string> providers) {
  std::vector<core::Arm> arms = read_channel(channel, [&](const ChannelState& state) {
    std::vector<core::Arm> found;
    found.reserve(providers.size());
    for (const std::string& provider : providers) found.push_back(state.arm(provider));
    return found;
  });
  arms.resize(providers.size());
  co_return arms;
}

Awaitable<Result<BreakerChange>> MemoryStore::change_breaker(std::string_view channel, std::string_view provider,
                                                             core::BreakerSettings settings, core::BreakerEvent event,
                                                             TimeMs now) {
  co_return change_channel(channel,
                           [&](ChannelState& state) { return state.change_breaker(provider, settings, event, now); });
}

Awaitable<Result<Done>> MemoryStore::remove_provider(std::string_view channel, std::string_view provider) {
  co_return change_channel(channel, [&](ChannelState& state) { return state.remove_provider(provider), Done{}; });
}

Awaitable<Result<bool>> MemoryStore::claim_sweep(std::string_view channel, DurationMs interval, TimeMs now) {
  co_return change_channel(channel, [&](ChannelState& state) { return state.claim_sweep(interval, now); });
}

Awaitable<Result<Done>> MemoryStore::publish_weights(std::string_view channel, std::vector<ProviderWeight> weights,
                                                     TimeMs now) {
  co_return change_channel(channel, [&](ChannelState& state) { return state.publish_weights(weights, now), Done{}; });
}

Awaitable<Result<std::vector<HistoryPoint>>> MemoryStore::history(std::string_view channel, std::string_view provider,
                                                                  std::size_t limit) {
  co_return read_channel(channel, [&](const ChannelState& state) { return state.history(provider, limit); });
}

Awaitable<Result<Recording>> MemoryStore::finish(FinalReport report) {
  co_return change_channel(report.attempt.channel, [&](ChannelState& state) { return state.finish(report); });
}

Awaitable<Result<Recording>> MemoryStore::begin_pending(AttemptKey attempt, PendingTransaction pending, TimeMs now) {
  co_return change_channel(attempt.channel,
                           [&](ChannelState& state) { return state.begin_pending(attempt, std::move(pending), now); });
}

Awaitable<Result<std::vector<PendingTransaction>>> MemoryStore::due(std::string_view channel, TimeMs now,
                                                                    std::size_t limit) {
  co_return read_channel(channel, [&](const ChannelState& state) { return state.pending().first(limit, now); });
}

Awaitable<Result<std::vector<PendingTransaction>>> MemoryStore::pending(std::string_view channel, std::size_t limit) {
  constexpr TimeMs kAnyTime = std::numeric_limits<TimeMs>::max();
  co_return read_channel(channel, [&](const ChannelState& state) { return state.pending().first(limit, kAnyTime); });
}

Awaitable<Result<std::size_t>> MemoryStore::pending_count(std::string_view channel) {
  co_return read_channel(channel, [](const ChannelState& state) { return state.pending().size(); });
}

Awaitable<Result<RememberedChoice>> MemoryStore::remember_choice(std::string_view channel, std::uint64_t key,
                                                                 std::string_view proposal, DurationMs keep_for,
                                                                 TimeMs now) {
  co_return change_channel(channel,
                           [&](ChannelState& state) { return state.remember_choice(key, proposal, keep_for, now); });
}

Awaitable<Result<Done>> MemoryStore::replace_choice(std::string_view channel, std::uint64_t key,
                                                    std::string_view provider, DurationMs keep_for, TimeMs now) {
  co_return change_channel(
      channel, [&](ChannelState& state) { return state.replace_choice(key, provider, keep_for, now), Done{}; });
}

Awaitable<Result<std::map<std::string, Overrides>>> MemoryStore::all_overrides() {
  std::map<std::string, Overrides> overrides;
  for (LockedChannel* channel : channels_.all()) {
    const std::lock_guard lock(channel->mutex);
    if (!channel->state.overrides().empty()) overrides.emplace(channel->name, channel->state.overrides());
  }
  co_return overrides;
}

Awaitable<Result<Overrides>> MemoryStore::overrides(std::string_view channel) {
  co_return read_channel(channel, [](const ChannelState& state) { return Overrides(state.overrides()); });
}

Awaitable<Result<Done>> MemoryStore::change_overrides(std::string_view channel, OverrideChanges changes,
                                                      AuditEntry entry) {
  co_return change_channel(
      channel, [&](ChannelState& state) { return state.change_overrides(changes, std::move(entry)), Done{}; });
}

Awaitable<Result<Done>> MemoryStore::append_audit(std::string_view channel, AuditEntry entry) {
  co_return change_channel(channel, [&](ChannelState& state) { return state.append_audit(std::move(entry)), Done{}; });
}

Awaitable<Result<std::vector<AuditEntry>>> MemoryStore::audit(std::string_view channel, std::size_t limit) {
  co_return read_channel(channel, [&](const ChannelState& state) { return state.audit(limit); });
}

Awaitable<Result<Done>> MemoryStore::remove_channel(std::string_view channel) {
  co_return change_channel(channel, [](ChannelState& state) { return state.remove(), Done{}; });
}

StoreStatus MemoryStore::status() const {
  StoreStatus status;
  status.kind = "memory";
  for (LockedChannel* channel : channels_.all()) {
    const std::lock_guard lock(channel->mutex);
    const ExpiringFingerprints& finals = channel->state.final_fingerprints();
    status.remembered += finals.size();
    status.remembered_bytes += finals.bytes();
    status.forgotten_early += finals.dropped_early();
  }
  return status;
}

}  // namespace turnout::store
