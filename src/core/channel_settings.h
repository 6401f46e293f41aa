#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/breaker.h"
#include "core/forgetting.h"
#include "core/weights.h"

namespace turnout::core {

/// How a decision is made among the eligible providers.
enum class Policy : std::uint8_t { weighted };

/// What a decision does when nobody is eligible.
enum class AllOpen : std::uint8_t {
  best_effort,  ///< choose the provider that only an automatic breaker holds back and that reopens first
  reject,       ///< choose nobody
};

/// One provider of a channel, as configured.
struct ProviderSettings {
  std::string id;                  ///< base/text.h is_id
  double business_multiplier = 1;  ///< the operator's factor of the weight, 0 … 1e6
  bool enabled = true;

  friend bool operator==(const ProviderSettings&, const ProviderSettings&) = default;
};

/// Everything an operator may set for a channel, with its default. core/channel_fields.h has names, ranges and texts.
struct ChannelSettings {
  Policy policy = Policy::weighted;
  double epsilon = 0.05;  ///< share of decisions that explore, 0 … 1
  Prior prior;
  Forgetting forgetting;
  LatencyTarget latency;
  BreakerSettings breaker;
  AllOpen all_open = AllOpen::best_effort;
  bool stable_per_transaction = false;  ///< a repeated route call gets the same provider
  DurationMs sweep_interval_ms = 10 * kSecond;
  DurationMs webhook_timeout_ms = 120 * kSecond;
  DurationMs dedupe_for_ms = kDay;
  std::int64_t dedupe_max = 20'000'000;     ///< final attempts remembered at most
  std::vector<ProviderSettings> providers;  ///< in the order of the cumulative walk

  friend bool operator==(const ChannelSettings&, const ChannelSettings&) = default;
};

}  // namespace turnout::core
