#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "engine/engine.h"
#include "engine/metrics.h"

// Several threads, each with its own worker, on one channel, while others change settings and sweep. What matters most
// is that the thread sanitizer is content; the sums must be right besides.

namespace turnout::engine {
namespace {

constexpr std::size_t kTraders = 3;

class Race : public ::testing::Test {
 protected:
  /// Runs `trade(index)` in a thread for each worker but the first, and `beside(round)` in this one meanwhile.
  void run(const std::function<void(std::size_t)>& trade, const std::function<void(int)>& beside) {
    std::atomic<std::size_t> trading{kTraders};
    std::barrier start(kTraders + 1);
    std::vector<std::thread> threads;
    for (std::size_t index = 1; index <= kTraders; ++index) {
      threads.emplace_back([&, index] {
        start.arrive_and_wait();
        trade(index);
        trading -= 1;
      });
    }
    start.arrive_and_wait();
    for (int round = 0; trading > 0; ++round) beside(round);
    for (auto& thread : threads) thread.join();
  }

  store::MemoryStore memory;
  Engine engine{memory.stores(), kTraders + 1, nullptr, 1 << 15};
};

TEST_F(Race, NothingIsLostWhileSettingsChangeAndSweepsRun) {
  constexpr int kPayments = 1500;
  auto settings = channel_of({"stripe", "adyen", "klarna"});
  settings.breaker.failure_threshold = 3;
  settings.sweep_interval_ms = kSecond;
  engine.configure(settings);
  engine.log.start();
  std::atomic<int> decided{0};
  std::atomic<int> recorded{0};
  const auto trade = [&](std::size_t index) {
    for (int i = 0; i < kPayments; ++i) {
      const std::string id = std::to_string(index) + "-" + std::to_string(i);
      const Decided answer = engine.route(id, {}, index);
      if (answer.provider.empty()) continue;
      decided += 1;
      const auto outcome = i % 5 == 0 ? failure() : success(100);
      const auto report = engine.report(id, answer.provider, outcome, answer.answer.decision_id, index);
      if (report.verdict == store::Verdict::recorded) recorded += 1;
      engine.report(id, answer.provider, outcome, {}, index);  // a retry counts nothing
    }
  };
  const auto subscription = engine.events.subscribe();
  const SystemClock clock;
  Metrics metrics(engine.channels, memory, engine.log, clock, {engine.workers[1].get(), engine.workers[2].get()});
  const auto beside = [&](int round) {
    const std::string text = round % 2 == 0 ? "0.1" : "0.2";
    (void)await(engine.operations.patch_channel(engine.channel(), {{"epsilon", text}}, "ann", kStart)).value();
    await([&]() -> Awaitable<Done> {
      co_await engine.sweeper->step(kStart + round);
      co_return Done{};
    }());
    engine.log.recent("payments", 10);
    subscription->take();
    EXPECT_FALSE(metrics.Collect().empty());
  };
  run(trade, beside);
  engine.log.stop();

  EXPECT_EQ(decided, static_cast<int>(kTraders) * kPayments);
  EXPECT_EQ(recorded, decided);
  std::uint64_t decisions = 0;
  std::uint64_t outcomes = 0;
  double total = 0;
  std::uint64_t in_flight = 0;
  for (const char* provider : {"stripe", "adyen", "klarna"}) {
    const auto& activity = engine.activity(provider);
    for (std::size_t i = 0; i < kReasons; ++i) decisions += activity.decisions(static_cast<core::Reason>(i));
    for (std::size_t kind = 0; kind < kOutcomeKinds; ++kind) outcomes += activity.outcomes(kind);
    total += engine.arm(provider).sums.total;
    in_flight += activity.in_flight(kStart, settings.webhook_timeout_ms);
    EXPECT_EQ(engine.view(provider).revision, engine.arm(provider).revision) << "the snapshot is the newest state";
    EXPECT_EQ(engine.view(provider).breaker, engine.arm(provider).breaker);
  }
  EXPECT_EQ(decisions, static_cast<std::uint64_t>(decided));
  EXPECT_EQ(outcomes, static_cast<std::uint64_t>(decided));
  EXPECT_EQ(total, decided);
  EXPECT_EQ(in_flight, 0U);
  EXPECT_EQ(engine.channel()->duplicates(), static_cast<std::uint64_t>(decided));
}

TEST_F(Race, OneProbeIsOutHoweverManyAskForIt) {
  engine.configure(channel_of({"stripe", "adyen"}));
  for (int round = 0; round < 20; ++round) {
    const std::string number = std::to_string(round) + "-";
    for (int i = 0; i < 5; ++i) engine.report(number + "f" + std::to_string(i), "stripe", failure());
    engine.now += 40 * kSecond;
    std::atomic<int> probes{0};
    run(
        [&](std::size_t index) {
          for (int i = 0; i < 20; ++i) {
            const std::string id = number + std::to_string(index) + "-" + std::to_string(i);
            if (engine.route(id, {}, index).provider == "stripe") probes += 1;
          }
        },
        [](int) { std::this_thread::yield(); });
    ASSERT_EQ(probes, 1);
    ASSERT_EQ(engine.arm("stripe").breaker.lease_count, 1U);
    engine.order("stripe", CircuitAction::close);
  }
}

TEST_F(Race, AThresholdReachedByAllAtOnceIsOneTransition) {
  engine.configure(channel_of({"stripe"}));
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t generation = engine.arm("stripe").breaker.generation;
    for (int i = 0; i < 4; ++i) engine.report(std::to_string(round) + "f" + std::to_string(i), "stripe", failure());
    run(
        [&](std::size_t index) {
          engine.report(std::to_string(round) + "-" + std::to_string(index), "stripe", failure(), {}, index);
        },
        [](int) { std::this_thread::yield(); });
    ASSERT_EQ(engine.arm("stripe").breaker.generation, generation + 1);
    ASSERT_EQ(engine.activity("stripe").transitions(core::Circuit::open), static_cast<std::uint64_t>(round) + 1);
    engine.order("stripe", CircuitAction::close);
  }
}

TEST_F(Race, ARepeatedTransactionGetsOneProviderFromAllThreads) {
  auto settings = channel_of({"stripe", "adyen", "klarna"});
  settings.stable_per_transaction = true;
  engine.configure(settings);
  constexpr std::size_t kTransactions = 200;
  std::vector<std::vector<std::string>> chosen(kTraders + 1, std::vector<std::string>(kTransactions));
  run(
      [&](std::size_t index) {
        for (std::size_t i = 0; i < kTransactions; ++i) {
          chosen[index][i] = engine.route(std::to_string(i), {}, index).provider;
        }
      },
      [](int) { std::this_thread::yield(); });
  for (std::size_t index = 2; index <= kTraders; ++index) EXPECT_EQ(chosen[index], chosen[1]);
}

TEST_F(Race, ChannelsComeAndGoUnderTraffic) {
  const auto settings = channel_of({"stripe"});
  engine.configure(settings);
  std::atomic<int> unexpected{0};
  run(
      [&](std::size_t index) {
        for (int i = 0; i < 2000; ++i) {
          const std::string id = std::to_string(index) + "-" + std::to_string(i);
          RouteRequest request;
          request.channel = "by-hand";
          request.transaction_id = id;
          const auto answer = await(engine.router.route(*engine.workers[index], request, kStart));
          if (answer.status == RouteAnswer::Status::no_provider) unexpected += 1;
          ReportRequest report;
          report.channel = "by-hand";
          report.transaction_id = id;
          report.provider = "stripe";
          report.outcome = success();
          const auto reported = await(engine.router.report(*engine.workers[index], report, kStart));
          if (reported.status == ReportAnswer::Status::unknown_provider) unexpected += 1;
        }
      },
      [&](int round) {
        const auto done = round % 2 == 0 ? await(engine.operations.put_channel("by-hand", settings, "ann", kStart))
                                         : await(engine.operations.remove_channel("by-hand"));
        if (!done) unexpected += 1;
      });
  EXPECT_EQ(unexpected, 0);
}

}  // namespace
}  // namespace turnout::engine
