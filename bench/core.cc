#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "core/arm.h"
#include "core/decide.h"
#include "core/feedback.h"
#include "core/selection.h"

namespace turnout::core {
namespace {

constexpr TimeMs kNow = 1'700'000'000'000;

/// Weights between 0.1 and 1, as providers in one channel have them.
std::vector<double> some_weights(std::size_t n) {
  Random random(1);
  std::vector<double> weights(n);
  for (auto& weight : weights) weight = 0.1 + 0.9 * random.next_draw();
  return weights;
}

ChannelSettings channel_of(std::size_t n) {
  ChannelSettings channel;
  for (std::size_t i = 0; i < n; ++i) channel.providers.push_back({"provider-" + std::to_string(i)});
  return channel;
}

/// An arm after a busy hour: latencies around 400 ms with a long tail.
Arm busy_arm(const ChannelSettings& channel, std::uint64_t seed) {
  Random random(seed);
  Arm arm;
  for (int i = 0; i < 10'000; ++i) {
    const double tail = random.next_draw();
    const auto latency_ms = static_cast<DurationMs>(200 + 200 / (1.001 - tail));
    apply_outcome(arm, channel,
                  {.success = random.next_draw() < 0.9, .latency_ms = std::min<DurationMs>(latency_ms, 120'000)},
                  static_cast<std::uint64_t>(i), kNow);
  }
  arm.breaker = {};
  return arm;
}

std::vector<ProviderView> views_of(const ChannelSettings& channel) {
  std::vector<ProviderView> views;
  for (std::size_t i = 0; i < channel.providers.size(); ++i) {
    views.push_back(view_of(busy_arm(channel, i), channel.providers[i], channel, kNow));
  }
  return views;
}

void select_weighted(benchmark::State& state) {
  const auto weights = some_weights(static_cast<std::size_t>(state.range(0)));
  Random random(2);
  for (auto _ : state) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    benchmark::DoNotOptimize(choose_weighted(weights, total, random.next_draw()));
  }
}
BENCHMARK(select_weighted)->Arg(20)->Arg(1000);

void order_fallbacks(benchmark::State& state) {
  const auto weights = some_weights(static_cast<std::size_t>(state.range(0)));
  std::vector<ProviderIndex> candidates(weights.size());
  std::iota(candidates.begin(), candidates.end(), ProviderIndex{0});
  std::vector<ProviderIndex> candidates_left;
  std::vector<double> weights_left;
  std::vector<ProviderIndex> order;
  Random random(3);
  for (auto _ : state) {
    candidates_left = candidates;
    weights_left = weights;
    order.clear();
    draw_order(candidates_left, weights_left, random.next_draw(), order);
    benchmark::DoNotOptimize(order.data());
  }
}
BENCHMARK(order_fallbacks)->Arg(20)->Arg(1000);

void decide_with_fallbacks(benchmark::State& state) {
  const ChannelSettings channel = channel_of(static_cast<std::size_t>(state.range(0)));
  const auto views = views_of(channel);
  DecisionBuffer buffer;
  Random random(4);
  for (auto _ : state) {
    const Draws draws{random.next_draw(), random.next_draw()};
    benchmark::DoNotOptimize(decide({}, channel, views, kNow, draws, buffer));
  }
}
BENCHMARK(decide_with_fallbacks)->Arg(3)->Arg(20)->Arg(1000);

void make_view(benchmark::State& state) {
  ChannelSettings channel = channel_of(1);
  if (state.range(0) != 0) channel.forgetting = {Forgetting::Kind::half_life, 6 * kHour};
  const Arm arm = busy_arm(channel, 5);
  TimeMs now = kNow;
  for (auto _ : state) benchmark::DoNotOptimize(view_of(arm, channel.providers[0], channel, ++now));
}
BENCHMARK(make_view)->ArgName("half_life")->Arg(0)->Arg(1);

void record_outcome(benchmark::State& state) {
  ChannelSettings channel = channel_of(1);
  if (state.range(0) != 0) channel.forgetting = {Forgetting::Kind::half_life, 6 * kHour};
  Arm arm = busy_arm(channel, 6);
  Random random(7);
  TimeMs now = kNow;
  for (auto _ : state) {
    const auto latency_ms = static_cast<DurationMs>(random.next() % 4096);
    apply_outcome(arm, channel, {.success = random.next_draw() < 0.9, .latency_ms = latency_ms}, random.next(), ++now);
  }
  benchmark::DoNotOptimize(arm);
}
BENCHMARK(record_outcome)->ArgName("half_life")->Arg(0)->Arg(1);

}  // namespace
}  // namespace turnout::core
