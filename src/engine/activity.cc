#include "engine/activity.h"

#include <algorithm>

namespace turnout::engine {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

/// For counters with one writer: no locked instruction.
template <class Counter>
void increment(Counter& counter) {
  counter.store(counter.load(kRelaxed) + 1, kRelaxed);
}

}  // namespace

void MinuteCounter::add(TimeMs now) {
  const std::int64_t second = now / kSecond;
  Slot& slot = slots_[static_cast<std::size_t>(second) % kSlots];
  if (slot.second.load(kRelaxed) != second) {
    slot.count.store(0, kRelaxed);
    slot.second.store(second, kRelaxed);
  }
  increment(slot.count);
}

std::uint64_t MinuteCounter::last_minute(TimeMs now) const {
  const std::int64_t second = now / kSecond;
  std::uint64_t sum = 0;
  for (const Slot& slot : slots_) {
    const std::int64_t age = second - slot.second.load(kRelaxed);
    if (age >= 0 && age < 60) sum += slot.count.load(kRelaxed);
  }
  return sum;
}

std::int64_t InFlightCounter::period_of(TimeMs at, DurationMs timeout) {
  return at / std::max<DurationMs>(1, timeout / (kSlots - 1));
}

void InFlightCounter::decided(TimeMs at, DurationMs timeout) {
  const std::int64_t period = period_of(at, timeout);
  Slot& slot = slots_[static_cast<std::size_t>(period % kSlots)];
  std::int64_t seen = slot.period.load(kRelaxed);
  if (seen != period && slot.period.compare_exchange_strong(seen, period, kRelaxed)) slot.count.store(0, kRelaxed);
  slot.count.fetch_add(1, kRelaxed);
}

void InFlightCounter::resolved(TimeMs at, DurationMs timeout) {
  const std::int64_t period = period_of(at, timeout);
  Slot& slot = slots_[static_cast<std::size_t>(period % kSlots)];
  if (slot.period.load(kRelaxed) == period) slot.count.fetch_sub(1, kRelaxed);
}

std::uint64_t InFlightCounter::count(TimeMs now, DurationMs timeout) const {
  const std::int64_t period = period_of(now, timeout);
  std::int64_t sum = 0;
  for (const Slot& slot : slots_) {
    const std::int64_t age = period - slot.period.load(kRelaxed);
    if (age >= 0 && age < kSlots) sum += std::max(0, slot.count.load(kRelaxed));
  }
  return static_cast<std::uint64_t>(sum);
}

void ProviderActivity::decided(std::size_t worker, core::Reason reason, TimeMs now, DurationMs timeout) {
  Shard& shard = shards_[worker];
  increment(shard.decisions[static_cast<std::size_t>(reason)]);
  shard.minute.add(now);
  in_flight_.decided(now, timeout);
}

void ProviderActivity::outcome(std::size_t worker, const core::Outcome& outcome, TimeMs decided_at,
                               DurationMs timeout) {
  increment(shards_[worker].outcomes[outcome_kind(outcome)]);
  in_flight_.resolved(decided_at, timeout);
}

void ProviderActivity::transition(core::Circuit to) {
  transitions_[static_cast<std::size_t>(to)].fetch_add(1, kRelaxed);
}

std::uint64_t ProviderActivity::decisions(core::Reason reason) const {
  std::uint64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.decisions[static_cast<std::size_t>(reason)].load(kRelaxed);
  return sum;
}

std::uint64_t ProviderActivity::outcomes(std::size_t kind) const {
  std::uint64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.outcomes[kind].load(kRelaxed);
  return sum;
}

std::uint64_t ProviderActivity::transitions(core::Circuit to) const {
  return transitions_[static_cast<std::size_t>(to)].load(kRelaxed);
}

std::uint64_t ProviderActivity::decisions_last_minute(TimeMs now) const {
  std::uint64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.minute.last_minute(now);
  return sum;
}

}  // namespace turnout::engine
