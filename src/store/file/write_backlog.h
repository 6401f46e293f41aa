#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/awaitable.h"

namespace turnout::store {

/// How far the writer of a file is behind, and back pressure from that. An operation that makes a change asks first,
/// with one of the two questions below, whether it has to wait; if so, it makes its change, and is answered when that
/// is written. It has to while
/// - the oldest change of the write under way is more than 50 ms old, or
/// - more rows are unwritten than can be written in 30 ms, going by the writes so far.
/// Nobody waits while writing fails, nor for a write that has taken a second: then changes are kept in memory only.
///
/// Questions and wait: any thread. The rest: one writer at a time.
class WriteBacklog {
 public:
  using Clock = std::chrono::steady_clock;

  /// `write_soon`, called by any thread, has the writer begin as soon as it can.
  explicit WriteBacklog(std::function<void()> write_soon) : write_soon_(std::move(write_soon)) {}

  /// The question of a change that costs little to write. One load unless a write is under way.
  [[nodiscard]] bool far_behind() const {
    const Clock::rep late_after = late_after_.load(std::memory_order_relaxed);
    return late_after != kNever && Clock::now().time_since_epoch().count() > late_after && is_writing_well();
  }

  /// The question of a change that becomes a row of its own.
  [[nodiscard]] bool far_behind_with_another_row();

  /// Waits until all that was changed before the call is written or nobody waits any more. Suspends.
  Awaitable<void> written();

  /// A write begins, `now`, that will take along all changes made before, the first of them at `oldest`.
  void begin_write(Clock::time_point oldest, Clock::time_point now = Clock::now());

  /// It succeeded, and wrote `rows` rows.
  void end_write(std::size_t rows);

  /// It failed. Its changes will be part of the next one.
  void fail_write();

 private:
  static constexpr Clock::rep kNever = Clock::duration::max().count();

  [[nodiscard]] bool is_writing_well() const;
  void adapt_row_limit(std::size_t rows, Clock::duration took);

  const std::function<void()> write_soon_;
  std::atomic<Clock::rep> late_after_ = kNever;  ///< when the write under way is late; never: none is
  std::atomic<Clock::rep> stuck_after_ = kNever;
  std::atomic<bool> failing_ = false;
  std::atomic<std::int64_t> rows_ = 0;  ///< not written yet; a little more when some of them changed nothing
  std::atomic<std::int64_t> row_limit_ = 500;
  std::atomic<std::uint64_t> begun_ = 0;    ///< writes
  std::atomic<std::uint64_t> written_ = 0;  ///< the last of them that succeeded

  std::int64_t rows_of_write_ = 0;  ///< of the writer, as the next
  Clock::time_point write_began_;
};

}  // namespace turnout::store
