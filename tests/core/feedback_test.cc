#include "core/feedback.h"

#include <gtest/gtest.h>

#include <string>

#include "core/builders.h"

namespace turnout::core {
namespace {

/// 96 of 100 counted, then 4 failures in a row.
Arm arm_with_four_failures(const ChannelSettings& channel) {
  Arm arm;
  for (std::uint64_t attempt = 0; attempt < 96; ++attempt) apply_outcome(arm, channel, success(200), attempt, kStart);
  for (std::uint64_t attempt = 96; attempt < 100; ++attempt) apply_outcome(arm, channel, failure(), attempt, kStart);
  return arm;
}

TEST(ApplyOutcome, AttributesByKind) {
  struct Case {
    std::string name;
    Outcome outcome;
    double successes;
    double total;
    std::uint32_t consecutive_failures;
    Circuit circuit;
    bool latency_counts;
  };
  const Case cases[] = {
      {"success", success(90'000), 97, 101, 0, Circuit::closed, true},
      {"provider", failure(FailureKind::provider, 90'000), 96, 101, 5, Circuit::open, true},
      {"issuer", failure(FailureKind::issuer, 90'000), 96, 101, 4, Circuit::closed, true},
      {"customer", failure(FailureKind::customer, 90'000), 96, 100, 4, Circuit::closed, false},
      {"success without latency", success(), 97, 101, 0, Circuit::closed, false},
  };
  const ChannelSettings channel;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Arm arm = arm_with_four_failures(channel);
    ASSERT_EQ(arm.breaker.consecutive_failures, 4U);
    apply_outcome(arm, channel, c.outcome, 1000, kStart + 1);
    const EffectiveCounts counts = effective_counts(arm.sums, kStart + 1);
    EXPECT_EQ(counts.successes, c.successes);
    EXPECT_EQ(counts.total, c.total);
    EXPECT_EQ(arm.breaker.consecutive_failures, c.consecutive_failures);
    EXPECT_EQ(arm.breaker.circuit, c.circuit);
    EXPECT_EQ(arm.breaker.generation, c.circuit == Circuit::open ? 1U : 0U);
    EXPECT_EQ(arm.sums.latency.quantile(1).value() > 80'000, c.latency_counts);
  }
}

TEST(ApplyOutcome, TheFailureKindDefaultsToProvider) {
  const ChannelSettings channel;
  Arm arm = arm_with_four_failures(channel);
  apply_outcome(arm, channel, Outcome{}, 1000, kStart);
  EXPECT_EQ(arm.breaker.circuit, Circuit::open);
  EXPECT_EQ(arm.breaker.half_open_at_ms, kStart + 30 * kSecond);
}

TEST(ApplyOutcome, CountsInTheStatisticsWhateverTheBreaker) {
  const ChannelSettings channel;
  const Breaker states[] = {open_until(kStart + kHour), half_open_since(kStart), manually_open()};
  for (const Breaker& state : states) {
    Arm arm;
    arm.breaker = state;
    apply_outcome(arm, channel, success(100), 1, kStart);
    EXPECT_EQ(effective_counts(arm.sums, kStart).successes, 1);
    EXPECT_TRUE(p95_ms(arm.sums, kStart));
    EXPECT_EQ(arm.breaker.circuit, state.circuit);
    EXPECT_EQ(arm.breaker.generation, state.generation);
  }
}

TEST(ApplyOutcome, KeepsTheBreakerThroughAWindowReset) {
  const ChannelSettings channel;
  Arm arm = arm_with_four_failures(channel);
  EXPECT_EQ(effective_counts(arm.sums, kStart + 59 * kMinute).total, 100);
  EXPECT_EQ(effective_counts(arm.sums, kStart + 61 * kMinute).total, 0);
  EXPECT_EQ(arm.breaker.consecutive_failures, 4U);
  apply_outcome(arm, channel, failure(), 1000, kStart + 61 * kMinute);
  EXPECT_EQ(effective_counts(arm.sums, kStart + 61 * kMinute).total, 1);
  EXPECT_EQ(arm.breaker.circuit, Circuit::open) << "the fifth failure in a row";
}

TEST(ApplyOutcome, WorksWithAClockThatStepsBack) {
  for (const auto kind : {Forgetting::Kind::window, Forgetting::Kind::half_life}) {
    ChannelSettings channel;
    channel.forgetting = {kind, kHour};
    Arm arm = arm_with_four_failures(channel);
    apply_outcome(arm, channel, failure(FailureKind::provider, 300), 1000, kStart - kHour);
    EXPECT_DOUBLE_EQ(effective_counts(arm.sums, kStart - kHour).total, 101);
    EXPECT_EQ(arm.breaker.circuit, Circuit::open);
    EXPECT_EQ(arm.breaker.half_open_at_ms, kStart - kHour + 30 * kSecond);
  }
}

TEST(ViewOf, ReducesAnArmToItsWeight) {
  ChannelSettings channel;
  Arm arm;
  for (std::uint64_t attempt = 0; attempt < 100; ++attempt) {
    const DurationMs latency_ms = attempt < 90 ? 800 : 2250;
    const auto outcome = attempt < 3 ? failure(FailureKind::issuer, latency_ms) : success(latency_ms);
    apply_outcome(arm, channel, outcome, attempt, kStart);
  }
  arm.revision = 12;
  const ProviderView view = view_of(arm, {.id = "a", .business_multiplier = 1.2}, channel, kStart);
  EXPECT_DOUBLE_EQ(view.factors.success_rate, 100.0 / 105);
  EXPECT_NEAR(view.p95_ms.value(), 2250, 2250 * 0.03);
  EXPECT_NEAR(view.factors.latency_penalty, latency_penalty(channel.latency, view.p95_ms), 1e-15);
  EXPECT_NEAR(view.weight_without_circuit, 0.693178, 0.693178 * 0.03);
  EXPECT_EQ(view.weight_without_circuit, view.weight_at(kStart));
  EXPECT_EQ(view.counts.total, 100);
  EXPECT_EQ(view.revision, 12U);
  EXPECT_TRUE(view.enabled);
}

TEST(ViewOf, ANewProviderStartsAtItsPrior) {
  ChannelSettings channel;
  const ProviderView view = view_of({}, {.id = "new"}, channel, kStart);
  EXPECT_EQ(view.factors, (WeightFactors{0.6, 1, 1}));
  EXPECT_FALSE(view.p95_ms);
  EXPECT_DOUBLE_EQ(view.weight_at(kStart), 0.6);
  channel.prior = {5, 1};
  EXPECT_DOUBLE_EQ(view_of({}, {.id = "new", .business_multiplier = 3}, channel, kStart).weight_at(kStart), 2.5);
  EXPECT_FALSE(view_of({}, {.id = "off", .enabled = false}, channel, kStart).enabled);
}

TEST(ViewOf, AllAtTheTargetCostsNothing) {
  ChannelSettings channel;
  channel.latency.k = 1.7;
  for (const DurationMs target :
       {1, 2, 7, 50, 100, 133, 400, 777, 1033, 1500, 2000, 2999, 3000, 5000, 10'000, 90'001}) {
    channel.latency.p95_target_ms = target;
    Arm at_target;
    Arm above;
    for (std::uint64_t attempt = 0; attempt < 20; ++attempt) {
      apply_outcome(at_target, channel, success(target), attempt, kStart);
      apply_outcome(above, channel, success(target + target / 8 + 2), attempt, kStart);
    }
    EXPECT_EQ(view_of(at_target, {.id = "a"}, channel, kStart).factors.latency_penalty, 1) << target;
    EXPECT_LT(view_of(above, {.id = "a"}, channel, kStart).factors.latency_penalty, 1) << target;
  }
}

TEST(ViewOf, TheWeightFollowsTheCircuit) {
  const ChannelSettings channel;
  Arm arm;
  arm.breaker = open_until(kStart + 30'000);
  const ProviderView view = view_of(arm, {.id = "a"}, channel, kStart);
  EXPECT_EQ(view.weight_at(kStart + 29'999), 0);
  EXPECT_DOUBLE_EQ(view.weight_at(kStart + 30'000), 0.012);
  EXPECT_DOUBLE_EQ(view.weight_without_circuit, 0.6);
}

TEST(ViewOf, AgesWithTheMomentAsked) {
  ChannelSettings channel;
  channel.forgetting = {Forgetting::Kind::half_life, 6 * kHour};
  Arm arm;
  for (std::uint64_t attempt = 0; attempt < 100; ++attempt) apply_outcome(arm, channel, success(), attempt, kStart);
  EXPECT_DOUBLE_EQ(view_of(arm, {.id = "a"}, channel, kStart).factors.success_rate, 103.0 / 105);
  EXPECT_DOUBLE_EQ(view_of(arm, {.id = "a"}, channel, kStart + 6 * kHour).factors.success_rate, 53.0 / 55);
}

}  // namespace
}  // namespace turnout::core
