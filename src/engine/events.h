#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnout::engine {

/// One subscriber's events, waiting to be sent. Bounded: a slow reader loses the oldest. The texts are shared with the
/// other subscribers. Thread-safe.
class Subscription {
 public:
  /// Most bytes that wait; a single event that is larger waits alone.
  static constexpr std::size_t kCapacity = 1024 * 1024;
  /// Most bytes taken at once; a single event that is larger is taken alone.
  static constexpr std::size_t kMaxTaken = 64 * 1024;

  void offer(std::shared_ptr<const std::string> event);
  /// The oldest events that wait, whole, joined; nothing when there are none.
  std::optional<std::string> take();

 private:
  std::mutex mutex_;
  std::deque<std::shared_ptr<const std::string>> waiting_;
  std::size_t waiting_bytes_ = 0;
};

/// Hands events (transitions, weights, sampled decisions) to whoever listens to /v1/events. Thread-safe. Costs one
/// atomic load when nobody does.
class Events {
 public:
  /// Most listeners at once.
  static constexpr std::size_t kMaxSubscriptions = 100;

  /// Nothing when there are too many already.
  std::shared_ptr<Subscription> subscribe();

  [[nodiscard]] bool has_listeners() const noexcept;

  /// Sends `event: name`, `data: json` to all.
  void publish(std::string_view name, std::string_view json);

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<Subscription>> subscriptions_;
  std::atomic<std::size_t> listeners_{0};
};

}  // namespace turnout::engine
