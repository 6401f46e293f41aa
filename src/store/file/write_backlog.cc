#include "store/file/write_backlog.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace turnout::store {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

constexpr milliseconds kLateAfter{50};
constexpr milliseconds kStuckAfter{1000};

/// Two writes, one under way and the next, must fit well into the 100 ms that FileStore promises.
constexpr milliseconds kWriteFor{30};

/// Below, the fixed cost of a write says nothing about that of a row.
constexpr std::int64_t kLeastRows = 64;
constexpr std::int64_t kMostRows = 10'000;

/// Between looks at whether it is written: a fraction of a write.
constexpr milliseconds kStep{3};

}  // namespace

bool WriteBacklog::far_behind_with_another_row() {
  const std::int64_t limit = row_limit_.load(std::memory_order_relaxed);
  const std::int64_t rows = rows_.fetch_add(1, std::memory_order_relaxed) + 1;
  // Early enough that a writer that keeps up is done before anybody has to wait.
  if (rows == limit / 2) write_soon_();
  return rows > limit ? is_writing_well() : far_behind();
}

bool WriteBacklog::is_writing_well() const {
  return !failing_ && Clock::now().time_since_epoch().count() <= stuck_after_;
}

Awaitable<void> WriteBacklog::written() {
  // A write that has begun may have passed by the change already.
  const std::uint64_t needed = begun_ + 1;
  write_soon_();
  asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor> timer(co_await asio::this_coro::executor);
  while (written_ < needed && is_writing_well()) {
    timer.expires_after(kStep);
    const auto [error] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable_t<Executor>{}));
    if (error) co_return;
  }
}

void WriteBacklog::begin_write(Clock::time_point oldest, Clock::time_point now) {
  write_began_ = now;
  rows_of_write_ = rows_;
  begun_ += 1;
  if (failing_) return;
  stuck_after_ = (now + kStuckAfter).time_since_epoch().count();
  late_after_ = (oldest + kLateAfter).time_since_epoch().count();
}

void WriteBacklog::end_write(std::size_t rows) {
  late_after_ = kNever;
  stuck_after_ = kNever;
  failing_ = false;
  rows_ -= rows_of_write_;
  adapt_row_limit(rows, Clock::now() - write_began_);
  written_ = begun_.load();
}

void WriteBacklog::fail_write() {
  failing_ = true;
  late_after_ = kNever;
  stuck_after_ = kNever;
}

void WriteBacklog::adapt_row_limit(std::size_t rows, Clock::duration took) {
  const auto written = static_cast<std::int64_t>(rows);
  if (written < kLeastRows || took <= Clock::duration::zero()) return;
  const std::int64_t fitting = written * Clock::duration(kWriteFor).count() / took.count();
  row_limit_ = std::clamp((row_limit_ + fitting) / 2, kLeastRows, kMostRows);
}

}  // namespace turnout::store
