#include "core/latency_histogram.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace turnout::core {
namespace {

constexpr double kRelativeError = 0.0292;
constexpr DurationMs kLargestLatency = 120'000;

LatencyHistogram histogram_of(const std::vector<DurationMs>& latencies) {
  LatencyHistogram histogram;
  for (const DurationMs latency : latencies) histogram.add(latency, 1);
  return histogram;
}

/// Latencies spread evenly over the magnitudes.
rc::Gen<DurationMs> a_latency() {
  return rc::gen::map(rc::gen::inRange(0, 1'000'001),
                      [](int exponent) { return static_cast<DurationMs>(std::pow(120'000.0, exponent / 1e6)); });
}

TEST(LatencyHistogram, KeepsEveryMillisecondWithinThreePercent) {
  double largest_error = 0;
  for (DurationMs latency = 1; latency <= kLargestLatency; ++latency) {
    LatencyHistogram histogram;
    histogram.add(latency, 1);
    const double read = histogram.quantile(0.95).value();
    largest_error =
        std::max(largest_error, std::abs(read - static_cast<double>(latency)) / static_cast<double>(latency));
  }
  EXPECT_LE(largest_error, kRelativeError);
}

TEST(LatencyHistogram, TakesWhatLiesOutsideToTheNearestEnd) {
  EXPECT_NEAR(histogram_of({0}).quantile(0.95).value(), 1, kRelativeError);
  for (const DurationMs latency : {DurationMs{120'001}, DurationMs{600'000}, DurationMs{1} << 50}) {
    EXPECT_NEAR(histogram_of({latency}).quantile(0.95).value(), 120'000, 120'000 * kRelativeError) << latency;
  }
}

TEST(LatencyHistogram, KnowsNothingWhenEmpty) {
  LatencyHistogram histogram;
  EXPECT_FALSE(histogram.quantile(0.95));
  histogram.add(100, 0);
  EXPECT_FALSE(histogram.quantile(0.95));
  histogram.add(100, 5);
  histogram.scale(0);
  EXPECT_FALSE(histogram.quantile(0.5));
}

TEST(LatencyHistogram, ReadsQuantilesByNearestRank) {
  struct Case {
    std::vector<std::pair<int, DurationMs>> samples;
    double q;
    double expected;
  };
  const Case cases[] = {
      {{{96, 100}, {4, 2000}}, 0.95, 100},  // the example
      {{{96, 100}, {4, 2000}}, 0.99, 2000},
      {{{95, 100}, {5, 2000}}, 0.95, 100},
      {{{94, 100}, {6, 2000}}, 0.95, 2000},
      {{{19, 100}, {1, 2000}}, 0.95, 100},
      {{{18, 100}, {2, 2000}}, 0.95, 2000},
      {{{1, 100}, {1, 2000}}, 0.5, 100},
      {{{55, 100}, {45, 2000}}, 0.55, 100},  // 0.55 × 100 is a little more than 55
      {{{1, 100}, {1, 2000}}, 0.51, 2000},
      {{{1, 7}, {1, 100}, {1, 2000}}, 1, 2000},
      {{{1, 7}, {1, 100}, {1, 2000}}, 1e-9, 7},
      {{{1'000'000, 100}, {1, 90'000}}, 1, 90'000},
      {{{950'000, 100}, {50'000, 90'000}}, 0.95, 100},
  };
  for (const auto& c : cases) {
    LatencyHistogram histogram;
    for (const auto& [count, latency] : c.samples) {
      for (int i = 0; i < count; ++i) histogram.add(latency, 1);
    }
    EXPECT_NEAR(histogram.quantile(c.q).value(), c.expected, c.expected * kRelativeError) << "q " << c.q;
  }
}

RC_GTEST_PROP(LatencyHistogramProperty, QuantilesAgreeWithTheSortedSamples, ()) {
  auto latencies = *rc::gen::nonEmpty(rc::gen::container<std::vector<DurationMs>>(a_latency()));
  const int percent = *rc::gen::inRange(1, 101);
  const auto histogram = histogram_of(latencies);
  std::sort(latencies.begin(), latencies.end());
  const std::size_t rank = (latencies.size() * static_cast<std::size_t>(percent) + 99) / 100;
  const auto expected = static_cast<double>(std::max<DurationMs>(latencies[rank - 1], 1));
  const double read = histogram.quantile(percent / 100.0).value();
  RC_ASSERT(std::abs(read - expected) <= kRelativeError * expected);
}

RC_GTEST_PROP(LatencyHistogramProperty, MergingEqualsAddingAll, ()) {
  const auto first = *rc::gen::container<std::vector<DurationMs>>(a_latency());
  const auto second = *rc::gen::container<std::vector<DurationMs>>(a_latency());
  auto merged = histogram_of(first);
  merged.merge(histogram_of(second));
  auto all = first;
  all.insert(all.end(), second.begin(), second.end());
  RC_ASSERT(merged == histogram_of(all));
}

RC_GTEST_PROP(LatencyHistogramProperty, ScalingLeavesQuantilesAlone, ()) {
  auto histogram = histogram_of(*rc::gen::nonEmpty(rc::gen::container<std::vector<DurationMs>>(a_latency())));
  const auto before = histogram.quantile(0.95);
  histogram.scale(std::exp2(*rc::gen::inRange(-200, 200)));
  RC_ASSERT(histogram.quantile(0.95) == before);
}

TEST(LatencyHistogram, CanBeReadBackFromItsBins) {
  const auto original = histogram_of({1, 20, 300, 4000, 50'000, 600'000});
  LatencyHistogram copy;
  std::copy(original.bins().begin(), original.bins().end(), copy.bins().begin());
  EXPECT_EQ(copy, original);
  EXPECT_EQ(copy.quantile(0.95), original.quantile(0.95));
}

TEST(LatencyHistogramDeathTest, RefusesTheCallersBugs) {
  LatencyHistogram histogram;
  EXPECT_DEATH(histogram.add(-1, 1), "assertion failed");
  EXPECT_DEATH(histogram.add(1, -1), "assertion failed");
  EXPECT_DEATH(histogram.add(1, std::nan("")), "assertion failed");
  EXPECT_DEATH((void)histogram.quantile(0), "assertion failed");
  EXPECT_DEATH((void)histogram.quantile(1.01), "assertion failed");
}

}  // namespace
}  // namespace turnout::core
