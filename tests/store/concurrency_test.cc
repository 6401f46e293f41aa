#include <array>
#include <atomic>
#include <barrier>
#include <thread>

#include "store/contract.h"

namespace turnout::store {
namespace {

/// Several threads, as several instances would, do the same things at once.
class ConcurrencyContract : public StoreContract {
 protected:
  static constexpr int kThreads = 4;

  /// Runs `work(thread, user)` in all threads at once.
  void race(const std::function<void(int, StoreUser&)>& work) {
    std::barrier start(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        StoreUser user(*backend);
        user.settings = store.settings;
        start.arrive_and_wait();
        work(i, user);
      });
    }
    for (auto& thread : threads) thread.join();
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, ConcurrencyContract, ::testing::ValuesIn(backend_kinds()), name_of_kind);

TEST_P(ConcurrencyContract, ExactlyOneOfSeveralReportsCounts) {
  constexpr int kAttempts = 2000;
  std::array<std::atomic<int>, kAttempts> recorded{};
  race([&](int, StoreUser& user) {
    for (int i = 0; i < kAttempts; ++i) {
      const Recording recording = user.report("stripe", std::to_string(i), true, kStart);
      if (recording.verdict == Verdict::recorded) recorded[static_cast<std::size_t>(i)] += 1;
    }
  });
  for (const auto& count : recorded) ASSERT_EQ(count.load(), 1);
  EXPECT_EQ(store.arm("stripe").sums.total, kAttempts);
  EXPECT_EQ(store.arm("stripe").revision, static_cast<std::uint64_t>(kAttempts));
  EXPECT_EQ(store.status().remembered, static_cast<std::uint64_t>(kAttempts));
}

TEST_P(ConcurrencyContract, WebhookOrTimeOutEndsAPendingTransactionOnce) {
  constexpr int kAttempts = 500;
  for (int i = 0; i < kAttempts; ++i) store.begin_pending("stripe", std::to_string(i), kStart);
  std::atomic<int> recorded = 0;
  race([&](int thread, StoreUser& user) {
    for (int i = 0; i < kAttempts; ++i) {
      const std::string id = std::to_string(i);
      const Recording recording = thread % 2 == 0 ? user.webhook("stripe", id, true, kStart + 120 * kSecond)
                                                  : user.time_out("stripe", id, kStart + 120 * kSecond);
      if (recording.verdict != Verdict::recorded) continue;
      recorded += 1;
      EXPECT_EQ(recording.counted->resolved, user.pending_of("stripe", id, kStart));
    }
  });
  EXPECT_EQ(recorded, kAttempts);
  EXPECT_EQ(store.pending_count(), 0U);
  EXPECT_EQ(store.arm("stripe").sums.total, kAttempts);
}

TEST_P(ConcurrencyContract, SeveralThatReachTheThresholdMakeOneTransition) {
  for (int round = 0; round < 50; ++round) {
    const std::string provider = "provider-" + std::to_string(round);
    for (int i = 0; i < 4; ++i) store.report(provider, std::to_string(i), false, kStart);
    std::atomic<int> transitions = 0;
    race([&](int thread, StoreUser& user) {
      const Recording recording = user.report(provider, "racing-" + std::to_string(thread), false, kStart);
      if (recording.counted->arm.breaker.generation != recording.counted->breaker_before.generation) transitions += 1;
    });
    ASSERT_EQ(transitions, 1);
    const core::Breaker breaker = store.arm(provider).breaker;
    ASSERT_EQ(breaker.circuit, core::Circuit::open);
    ASSERT_EQ(breaker.generation, 1U);
    ASSERT_EQ(breaker.consecutive_failures, 4U + kThreads);
  }
}

TEST_P(ConcurrencyContract, OneOfSeveralGetsTheProbe) {
  const TimeMs half_open = kStart + 30 * kSecond;
  for (int round = 0; round < 50; ++round) {
    const std::string provider = "provider-" + std::to_string(round);
    for (int i = 0; i < 5; ++i) store.report(provider, std::to_string(i), false, kStart);
    std::atomic<int> leases = 0;
    race([&](int thread, StoreUser& user) {
      const auto attempt = static_cast<std::uint64_t>(thread + 1);
      const auto change = user.change_breaker(provider, core::TakeProbe{attempt, Uuid{attempt, 0}}, half_open);
      if (core::holds_probe(change.arm.breaker, attempt, half_open)) leases += 1;
    });
    ASSERT_EQ(leases, 1);
    ASSERT_EQ(store.arm(provider).breaker.lease_count, 1);
  }
}

TEST_P(ConcurrencyContract, OneOfSeveralSweeps) {
  constexpr int kIntervals = 50;
  std::atomic<int> sweeps = 0;
  std::barrier same_moment(kThreads);
  race([&](int thread, StoreUser& user) {
    for (int i = 0; i < kIntervals * 10; ++i) {
      // Their clocks differ a little.
      if (user.claim_sweep(kStart + i * user.settings.sweep_interval_ms / 10 - thread)) sweeps += 1;
      same_moment.arrive_and_wait();
    }
  });
  // A claim by a clock that is behind puts the next one off by as much.
  EXPECT_LE(sweeps, kIntervals);
  EXPECT_GE(sweeps, kIntervals * 9 / 10);
}

TEST_P(ConcurrencyContract, ChannelsComeAndGoWhileOthersAreUsed) {
  race([&](int thread, StoreUser& user) {
    for (int i = 0; i < 200; ++i) {
      StoreUser own(*backend, "channel-" + std::to_string((thread + i) % 7));
      own.report("stripe", std::to_string(i), true, kStart);
      own.publish({{"stripe", 0.5}}, kStart + i);
      if (i % 10 == 0) own.remove_channel();
      user.report("adyen", std::to_string(thread) + "/" + std::to_string(i), true, kStart);
      (void)own.all_overrides();
      (void)own.status();
    }
  });
  EXPECT_EQ(store.arm("adyen").sums.total, 200 * kThreads);
}

}  // namespace
}  // namespace turnout::store
