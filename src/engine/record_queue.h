#pragma once

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
  /// Never null. On the heap so that the decision log can keep a record by exchanging it for an old one, without a
  /// copy.
  std::unique_ptr<DecisionRecord> decision = std::make_unique<DecisionRecord>();
  OutcomeRecord outcome;
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
  void push() { head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

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

  /// True when more than half of the slots are taken.
  [[nodiscard]] bool crowded() const {
    return head_.load(std::memory_order_relaxed) - tail_.load(std::memory_order_relaxed) > slots_.size() / 2;
  }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::vector<QueuedRecord> slots_;
  alignas(64) std::atomic<std::uint64_t> head_{0};
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace turnout::engine
