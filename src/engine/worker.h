#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/random.h"
#include "core/decide.h"
#include "engine/channels.h"
#include "engine/record_queue.h"

namespace turnout::engine {

/// Durations in buckets, for a Prometheus histogram. Written by one thread, read by any.
class DurationHistogram {
 public:
  /// Upper bounds in seconds; one more bucket takes the rest.
  static constexpr std::array<double, 12> kBounds{1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 1e-3, 1e-2, 5e-2, 0.25, 1};

  void add(std::int64_t nanoseconds);
  [[nodiscard]] std::uint64_t count(std::size_t bucket) const {
    return counts_[bucket].load(std::memory_order_relaxed);
  }
  [[nodiscard]] double sum_seconds() const {
    return static_cast<double>(nanoseconds_.load(std::memory_order_relaxed)) * 1e-9;
  }

 private:
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts_{};
  std::atomic<std::int64_t> nanoseconds_{0};
};

/// What one thread of the server needs to decide without sharing: its generator, working space, the newest snapshots it
/// has seen and its queue to the decision log. Not thread-safe: used by its own thread only, except for the counters.
class Worker {
 public:
  /// A channel as this worker sees it now.
  struct View {
    std::shared_ptr<Channel> channel;
    std::shared_ptr<const Snapshot> snapshot;
  };

  /// `index` is below the number of workers that `channels` was made for.
  Worker(std::size_t index, const Channels& channels, std::uint64_t seed, std::size_t queue_capacity)
      : index_(index), channels_(channels), random_(seed), queue_(queue_capacity) {}

  /// The channel with its newest snapshot, or nothing. Valid until the next call: whoever waits for anything copies
  /// what it still needs.
  const View* view(std::string_view channel);

  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  Random& random() noexcept { return random_; }
  core::DecisionBuffer& buffer() noexcept { return buffer_; }
  RecordQueue& queue() noexcept { return queue_; }
  DurationHistogram& route_durations() noexcept { return route_durations_; }
  [[nodiscard]] const DurationHistogram& route_durations() const noexcept { return route_durations_; }
  DurationHistogram& report_durations() noexcept { return report_durations_; }
  [[nodiscard]] const DurationHistogram& report_durations() const noexcept { return report_durations_; }

  /// Indices of providers named in a request; working space.
  std::vector<core::ProviderIndex> excluded;
  std::vector<core::ProviderIndex> listed;

 private:
  struct Entry {
    View view;
    std::uint64_t version = 0;
  };

  const std::size_t index_;
  const Channels& channels_;
  Random random_;
  core::DecisionBuffer buffer_;
  RecordQueue queue_;
  DurationHistogram route_durations_;
  DurationHistogram report_durations_;
  std::uint64_t channels_version_ = 0;
  TextMap<Entry> entries_;
};

}  // namespace turnout::engine
