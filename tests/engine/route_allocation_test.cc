#include <gtest/gtest.h>

#include "engine/engine.h"
#include "support/count_allocations.h"

namespace turnout::engine {
namespace {

class RouteAllocation : public ::testing::Test {
 protected:
  RouteAllocation() {
    engine.configure(channel_of({"a", "b", "c", "d", "e"}));
    engine.fail("e", 5);
  }

  /// Allocations of one call of `operation`, once everything has grown to its usual size.
  template <class Operation>
  std::size_t allocations_of(Operation operation) {
    constexpr std::size_t kCalls = 2000;
    return await([&]() -> Awaitable<std::size_t> {
      std::size_t before = 0;
      for (std::size_t i = 0; i < 2 * kCalls; ++i) {
        if (i == kCalls) before = allocations;
        expect_done(co_await operation(i));
        if (i % 32 == 31) engine.log.recent("", 0);  // what the log's thread does
      }
      co_return (allocations - before + kCalls / 2) / kCalls;
    }());
  }

  static void expect_done(const RouteAnswer& answer) { EXPECT_EQ(answer.status, RouteAnswer::Status::decided); }
  static void expect_done(const ReportAnswer& answer) { EXPECT_EQ(answer.verdict, store::Verdict::recorded); }

  store::MemoryStore memory;
  Engine engine{memory.stores(), 1, nullptr, 64};
};

TEST_F(RouteAllocation, CountsWhatIsAllocated) {
  const std::size_t before = allocations;
  const std::vector<int> one(1);
  EXPECT_EQ(allocations, before + 1) << one.size();
}

TEST_F(RouteAllocation, ADecisionAllocatesNothing) {
  const std::vector<std::string_view> exclude{"b"};
  const std::vector<std::string_view> eligible{"a", "b", "c", "e"};
  const auto count = allocations_of([&](std::size_t) {
    RouteRequest request;
    request.channel = "payments";
    request.transaction_id = "a transaction id of the usual length, such as a uuid";
    request.merchant_id = "a merchant whose id does not fit in a small string";
    request.exclude = exclude;
    request.eligible = eligible;
    return engine.router.route(*engine.workers[0], request, engine.now);
  });
  EXPECT_EQ(count, 0U);
}

TEST_F(RouteAllocation, AReportAllocatesLittleMoreThanTheNewSnapshot) {
  std::string id;
  const auto count = allocations_of([&](std::size_t i) {
    id = "transaction-" + std::to_string(1'000'000 + i);
    ReportRequest request;
    request.channel = "payments";
    request.transaction_id = id;
    request.provider = "a";
    request.outcome = success(100);
    return engine.router.report(*engine.workers[0], request, engine.now);
  });
  EXPECT_LE(count, 5U);
  RecordProperty("allocations", static_cast<int>(count));
}

}  // namespace
}  // namespace turnout::engine
