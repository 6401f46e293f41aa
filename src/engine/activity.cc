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
  const auto second = static_cast<std::uint32_t>(now / kSecond);
  auto& slot = slots_[second % kSlots];
  const Slot seen = slot.load(kRelaxed);
  const Slot next{second, seen.second == second ? seen.count + 1 : 1};
  slot.store(next, kRelaxed);
}

std::uint64_t MinuteCounter::last_minute(TimeMs now) const {
  const auto second = static_cast<std::uint32_t>(now / kSecond);
  std::uint64_t sum = 0;
  for (const auto& slot : slots_) {
    const Slot seen = slot.load(kRelaxed);
    if (second - seen.second < 60) sum += seen.count;
  }
  return sum;
}

std::int64_t InFlightCounter::period_of(TimeMs at, DurationMs timeout) {
  return at / std::max<DurationMs>(1, timeout / (kSlots - 1));
}

void InFlightCounter::decided(TimeMs at, DurationMs timeout) {
  const std::int64_t period = period_of(at, timeout);
  auto& slot = slots_[static_cast<std::size_t>(period % kSlots)];
  Slot seen = slot.load(kRelaxed);
  Slot next;
  do {
    next = {static_cast<std::uint32_t>(period), seen.is_of(period) ? seen.count + 1 : 1};
  } while (!slot.compare_exchange_weak(seen, next, kRelaxed));
}

void InFlightCounter::resolved(TimeMs at, Moment moment, DurationMs timeout) {
  const std::int64_t period = period_of(at, timeout);
  auto& slot = slots_[static_cast<std::size_t>(period % kSlots)];
  Slot seen = slot.load(kRelaxed);
  Slot next;
  do {
    // A slot of another period: the decision has left the count already, or another process made it, or, when its
    // moment is a guess, it stands in a slot nearby.
    const bool older = static_cast<std::int32_t>(seen.period - static_cast<std::uint32_t>(period)) < 0;
    if (!seen.is_of(period) && (moment == Moment::exact || !older)) return;
    next = {static_cast<std::uint32_t>(period), seen.is_of(period) ? seen.count - 1 : -1};
  } while (!slot.compare_exchange_weak(seen, next, kRelaxed));
}

std::uint64_t InFlightCounter::count(TimeMs now, DurationMs timeout) const {
  const auto period = static_cast<std::uint32_t>(period_of(now, timeout));
  std::int64_t sum = 0;
  for (const auto& slot : slots_) {
    const Slot seen = slot.load(kRelaxed);
    if (period - seen.period < kSlots) sum += seen.count;
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, sum));
}

void ProviderActivity::decided(std::size_t worker, core::Reason reason, TimeMs now, DurationMs timeout) {
  Shard& shard = shards_[worker];
  increment(shard.decisions[static_cast<std::size_t>(reason)]);
  shard.minute.add(now);
  in_flight_.decided(now, timeout);
}

void ProviderActivity::outcome(std::size_t worker, const core::Outcome& outcome, TimeMs decided_at, Moment moment,
                               DurationMs timeout) {
  increment(shards_[worker].outcomes[outcome_kind(outcome)]);
  in_flight_.resolved(decided_at, moment, timeout);
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
