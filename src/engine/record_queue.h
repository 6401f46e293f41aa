#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/records.h"

namespace turnout::engine {

/// One record on its way from a worker to the decision log.
struct QueuedRecord {
  enum class Kind : std::uint8_t { decision, outcome };
  Kind kind = Kind::decision;
  /// Neither is null. On the heap so that the decision log can keep a record by exchanging it for an old one, and that
  /// the slots are close together: the way to a record that has left the processor's cache is one miss, not two.
  std::unique_ptr<DecisionRecord> decision = std::make_unique<DecisionRecord>();
  std::unique_ptr<OutcomeRecord> outcome = std::make_unique<OutcomeRecord>();
};

/// A bounded queue from one worker to the log's thread. Producing never waits and, once the slots have grown to their
/// usual size, never allocates: a full queue drops the record and counts it.
class RecordQueue {
 public:
  explicit RecordQueue(std::size_t capacity) : slots_(capacity) {}

  /// The slot for the next record, or nothing when the queue is full. Only the worker's thread. Fill it, then push().
  QueuedRecord* reserve() {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) == slots_.size()) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
    return &slots_[head % slots_.size()];
  }
  void push() {
    const std::uint64_t head = head_.load(std::memory_order_relaxed) + 1;
    head_.store(head, std::memory_order_release);
    fetch_early(*slots_[head % slots_.size()].decision);
  }

  /// The oldest record, or nothing. Only one consumer at a time. Use it, then pop().
  QueuedRecord* front() {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    return tail == head_.load(std::memory_order_acquire) ? nullptr : &slots_[tail % slots_.size()];
  }
  void pop() { tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  /// Records that wait now; more may come meanwhile. Only the consumer.
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(head_.load(std::memory_order_acquire) - tail_.load(std::memory_order_relaxed));
  }

  /// True when the log's thread should take what waits. Long before the queue is full: the rest of the slots must last
  /// until that thread has its turn, and where it shares the worker's core, a short turn keeps fewer requests waiting.
  [[nodiscard]] bool crowded() const {
    constexpr std::size_t kManyRecords = 512;
    const std::size_t taken = head_.load(std::memory_order_relaxed) - tail_.load(std::memory_order_relaxed);
    return taken > std::min(slots_.size() / 2, kManyRecords);
  }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  /// Most records are of decisions. By the time of the next one this one's place has left the cache.
  static void fetch_early(const DecisionRecord& record) {
    constexpr std::size_t kCacheLine = 64;
    const char* const bytes = reinterpret_cast<const char*>(&record);
    for (std::size_t i = 0; i < sizeof record; i += kCacheLine) __builtin_prefetch(bytes + i, 1);
  }

  std::vector<QueuedRecord> slots_;
  alignas(64) std::atomic<std::uint64_t> head_{0};
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace turnout::engine
