#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <vector>

#include "store/contract.h"
#include "store/file/file_store.h"
#include "support/temporary_directory.h"

namespace turnout::store {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kPromisedMs = 100;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
}

/// What the process that will be killed says after each step.
struct Progress {
  std::int64_t steps = 0;
  std::int64_t at_ms = 0;
};

std::string id_of(std::int64_t step) { return "tx-" + std::to_string(step); }

/// Three steps that go together: one transaction becomes pending, another is reported, the first gets its webhook. So
/// the number of steps that a store has seen can be read from its state.
void take_step(StoreUser& user, std::int64_t step) {
  switch (step % 3) {
    case 0:
      user.begin_pending("stripe", id_of(step), kStart);
      return;
    case 1:
      user.report("stripe", id_of(step), true, kStart);
      return;
    default:
      user.webhook("stripe", id_of(step - 2), true, kStart);
  }
}

/// The steps behind a state; fails the test when no number of steps leads to it.
std::int64_t steps_seen(FileStore& store) {
  StoreUser user(store.stores());
  const auto finals = static_cast<std::int64_t>(store.status().remembered);
  EXPECT_EQ(user.arm("stripe").sums.total, static_cast<double>(finals)) << "counted and remembered differ";
  const auto pending = static_cast<std::int64_t>(user.pending_count());
  // finals pending → steps: 2k 0 → 3k, 2k 1 → 3k + 1, 2k + 1 1 → 3k + 2.
  EXPECT_TRUE(finals % 2 == 0 ? pending <= 1 : pending == 1) << finals << " final and " << pending << " pending";
  return finals / 2 * 3 + (finals % 2 == 0 ? pending : 2);
}

[[noreturn]] void report_forever(const std::filesystem::path& directory, int pipe) {
  auto store = FileStore::open(directory);
  if (!store) ::_exit(1);
  StoreUser user((*store)->stores());
  for (std::int64_t step = steps_seen(**store);; ++step) {
    take_step(user, step);
    const Progress progress{step + 1, now_ms()};
    if (::write(pipe, &progress, sizeof(progress)) != sizeof(progress)) ::_exit(2);
  }
}

std::vector<Progress> read_until(int pipe, std::int64_t end_ms) {
  std::vector<Progress> all;
  Progress progress;
  while (now_ms() < end_ms && ::read(pipe, &progress, sizeof(progress)) == sizeof(progress)) all.push_back(progress);
  return all;
}

/// Lets a process work on the directory for a while, kills it, and returns what it had said and when it was killed.
std::pair<std::vector<Progress>, std::int64_t> run_and_kill(const std::filesystem::path& directory,
                                                            std::int64_t for_ms) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    report_forever(directory, ends[1]);
  }
  ::close(ends[1]);
  Progress first;
  EXPECT_EQ(::read(ends[0], &first, sizeof(first)), static_cast<ssize_t>(sizeof(first)));
  auto progress = read_until(ends[0], now_ms() + for_ms);
  ::kill(child, SIGKILL);
  const std::int64_t killed_at_ms = now_ms();
  ::waitpid(child, nullptr, 0);
  const auto rest = read_until(ends[0], killed_at_ms + 60'000);
  progress.insert(progress.end(), rest.begin(), rest.end());
  ::close(ends[0]);
  return {progress, killed_at_ms};
}

/// The longest time in which the process got nowhere: on a busy machine its writer had to wait as well.
std::int64_t longest_stall_ms(const std::vector<Progress>& progress) {
  std::int64_t longest = 0;
  for (std::size_t i = 1; i < progress.size(); ++i) {
    longest = std::max(longest, progress[i].at_ms - progress[i - 1].at_ms);
  }
  return longest;
}

TEST(KilledFileStore, LosesNoMoreThanTheLastMomentsAndCountsNothingTwice) {
  const TemporaryDirectory directory;
  for (const std::int64_t for_ms : {350, 120, 433, 60, 271}) {
    SCOPED_TRACE("killed after " + std::to_string(for_ms) + " ms");
    const auto [progress, killed_at_ms] = run_and_kill(directory.path(), for_ms);
    ASSERT_FALSE(progress.empty());
    const std::int64_t safe_at_ms = killed_at_ms - kPromisedMs - 2 * longest_stall_ms(progress);
    std::int64_t safe_steps = 0;
    for (const Progress& step : progress) {
      if (step.at_ms <= safe_at_ms) safe_steps = step.steps;
    }

    const auto store = FileStore::open(directory.path()).value();
    const std::int64_t seen = steps_seen(*store);
    EXPECT_GE(seen, safe_steps);
    EXPECT_LE(seen, progress.back().steps + 1);
    StoreUser user(store->stores());
    for (std::int64_t step = std::max<std::int64_t>(0, seen - 3000); step < seen; ++step) {
      if (step % 3 == 1) {
        ASSERT_EQ(user.report("stripe", id_of(step), true, kStart).verdict, Verdict::duplicate);
      }
      if (step % 3 == 2) {
        ASSERT_EQ(user.webhook("stripe", id_of(step - 2), true, kStart).verdict, Verdict::late);
      }
    }
    EXPECT_EQ(steps_seen(*store), seen);
  }
}

}  // namespace
}  // namespace turnout::store
