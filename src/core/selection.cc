#include "core/selection.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "base/assert.h"
#include "base/split_mix64.h"

namespace turnout::core {
namespace {

constexpr double kLargestDraw = 1 - 0x1.0p-53;

bool is_draw(double draw) { return draw >= 0 && draw < 1; }

constexpr double kLargest = std::numeric_limits<double>::max();

/// Whether all are > 0 and finite, given that their sum is `total`.
bool are_weights(std::span<const double> weights, double total) {
  const auto is_weight = [](double weight) { return weight > 0 && weight <= kLargest; };
  return total <= kLargest && std::all_of(weights.begin(), weights.end(), is_weight);
}

/// The low bits of a key hold the candidate's position, so that keys need no companion when they are sorted and no two
/// are alike. The 36 bits of fraction above decide.
constexpr std::uint64_t kPositionBits = std::numeric_limits<ProviderIndex>::max();

ProviderIndex position_of(double key) {
  return static_cast<ProviderIndex>(std::bit_cast<std::uint64_t>(key) & kPositionBits);
}

/// The time at which the candidate arrives when arrivals have the rate `weight`: exponential, from 52 bits of `random`.
double arrival_key(double weight, std::size_t position, std::uint64_t random) {
  const double uniform = static_cast<double>(random >> 12) * 0x1.0p-52 + 0x1.0p-53;  // never 0 or 1
  const double arrival = std::min(-std::log(uniform) / weight, kLargest);
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(arrival) & ~kPositionBits) | position);
}

/// Few keys are sorted by insertion of one after the other through all before it: quadratic, but without a branch that
/// would be mispredicted every other time, and twice as fast as std::sort for twenty.
void sort_keys(std::span<double> keys) {
  constexpr std::size_t kFew = 40;
  if (keys.size() > kFew) return std::sort(keys.begin(), keys.end());
  for (std::size_t end = 1; end < keys.size(); ++end) {
    for (std::size_t i = end; i > 0; --i) {
      const double low = std::min(keys[i - 1], keys[i]);
      keys[i] = std::max(keys[i - 1], keys[i]);
      keys[i - 1] = low;
    }
  }
}

}  // namespace

Choice choose_weighted(std::span<const double> weights, double total, double draw) {
  TURNOUT_ASSERT(!weights.empty() && are_weights(weights, total) && is_draw(draw));
  const double target = draw * total;
  double before = 0;
  std::size_t position = 0;
  for (;; ++position) {
    const double cumulative = before + weights[position];
    if (cumulative > target || position + 1 == weights.size()) break;
    before = cumulative;
  }
  return {position, std::clamp((target - before) / weights[position], 0.0, kLargestDraw)};
}

Choice choose_uniform(std::size_t n, double draw) {
  TURNOUT_ASSERT(n > 0 && is_draw(draw));
  const double scaled = draw * static_cast<double>(n);
  const std::size_t position = std::min(static_cast<std::size_t>(scaled), n - 1);
  return {position, std::clamp(scaled - static_cast<double>(position), 0.0, kLargestDraw)};
}

void draw_order(std::span<const ProviderIndex> candidates, std::vector<double>& weights, double draw,
                std::vector<ProviderIndex>& out) {
  TURNOUT_ASSERT(candidates.size() == weights.size() && is_draw(draw));
  if (candidates.empty()) return;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const Choice first = choose_weighted(weights, total, draw);
  auto seed = std::bit_cast<std::uint64_t>(draw);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = arrival_key(weights[i], i, split_mix64(seed));
  weights[first.position] = -std::bit_cast<double>(std::uint64_t{first.position});  // before every other
  sort_keys(weights);
  const std::size_t before = out.size();
  out.resize(before + weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) out[before + i] = candidates[position_of(weights[i])];
}

}  // namespace turnout::core
