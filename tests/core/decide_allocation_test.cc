#include <gtest/gtest.h>

#include "base/random.h"
#include "core/builders.h"
#include "core/feedback.h"
#include "support/count_allocations.h"

namespace turnout::core {
namespace {

std::vector<ProviderView> mixed_providers(std::size_t n) {
  std::vector<ProviderView> providers;
  for (std::size_t i = 0; i < n; ++i) {
    providers.push_back(provider_of(0.1 + static_cast<double>(i % 7)));
    if (i % 5 == 1) providers.back().breaker = open_until(kStart + kMinute);
    if (i % 5 == 2) providers.back().breaker = half_open_since(kStart);
  }
  return providers;
}

TEST(DecideAllocation, CountsWhatIsAllocated) {
  const std::size_t before = allocations;
  const std::vector<int> one(1);
  EXPECT_EQ(allocations, before + 1) << one.size();
}

TEST(DecideAllocation, IsNoneOnceTheBufferHasSeenTheLargestChannel) {
  const ChannelSettings channel;
  const std::vector<std::vector<ProviderView>> channels{
      mixed_providers(1000),
      mixed_providers(1),
      mixed_providers(20),
      {provider_of(1, open_until(kStart + kMinute)), provider_of(1, open_until(kStart + kHour))},
      {provider_of(0)}};
  const std::vector<ProviderIndex> excluded{0};
  DecisionBuffer buffer;
  Random random(1);
  decide({}, channel, providers_of(std::vector<double>(1000, 1.0)), kStart, {.explore = .5, .select = .5}, buffer);
  const std::size_t before = allocations;
  for (int i = 0; i < 200; ++i) {
    for (const auto& providers : channels) {
      const Draws draws{.explore = random.next_draw(), .select = random.next_draw()};
      decide({excluded, std::nullopt, std::nullopt}, channel, providers, kStart + i * kSecond, draws, buffer);
    }
  }
  EXPECT_EQ(allocations, before);
}

TEST(DecideAllocation, NorDoOutcomesAndViews) {
  ChannelSettings channel;
  channel.forgetting = {Forgetting::Kind::half_life, kMinute};
  const ProviderSettings provider{.id = "a"};
  Arm arm;
  const std::size_t before = allocations;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const TimeMs now = kStart + static_cast<TimeMs>(i) * 10 * kSecond;
    apply_outcome(arm, channel, i % 7 < 6 ? failure() : success(300), i, now);
    const ProviderView view = view_of(arm, provider, channel, now);
    EXPECT_GE(view.weight_at(now), 0);
  }
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace turnout::core
