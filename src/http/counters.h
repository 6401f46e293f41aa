#pragma once

#include <atomic>
#include <cstdint>

namespace turnout::http {

/// What happened on a listener since it was opened.
struct CounterValues {
  std::uint64_t connections_open = 0;  ///< now
  std::uint64_t connections_accepted = 0;
  std::uint64_t connections_refused = 0;  ///< for max_connections
  std::uint64_t requests = 0;             ///< given to the handler
  std::uint64_t request_errors = 0;       ///< answered by the server itself: malformed, too large, too slow
  std::uint64_t bytes_received = 0;       ///< without TLS's own
  std::uint64_t bytes_sent = 0;

  CounterValues& operator+=(const CounterValues& other);
};

/// A number with one writing thread and any readers. Cheaper than an atomic addition, which locks the bus.
class Counter {
 public:
  void add(std::uint64_t amount) noexcept { value_.store(get() + amount, std::memory_order_relaxed); }
  void subtract(std::uint64_t amount) noexcept { value_.store(get() - amount, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// The counters of one listener, written by its thread only. On a cache line of their own, since others read them.
struct alignas(64) Counters {
  Counter connections_open;
  Counter connections_accepted;
  Counter connections_refused;
  Counter requests;
  Counter request_errors;
  Counter bytes_received;
  Counter bytes_sent;

  /// Safe from any thread. Each number is right, all of them together need not be of one moment.
  [[nodiscard]] CounterValues read() const noexcept;
};

}  // namespace turnout::http
