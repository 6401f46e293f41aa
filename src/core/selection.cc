#include "core/selection.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"

namespace turnout::core {
namespace {

constexpr double kLargestDraw = 1 - 0x1.0p-53;

bool is_draw(double draw) { return draw >= 0 && draw < 1; }

}  // namespace

Choice choose_weighted(std::span<const double> weights, double total, double draw) {
  TURNOUT_ASSERT(!weights.empty() && total > 0 && is_draw(draw));
  const double target = draw * total;
  double before = 0;
  std::size_t position = 0;
  for (;; ++position) {
    TURNOUT_ASSERT(weights[position] > 0);
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

void draw_order(std::vector<ProviderIndex>& candidates, std::vector<double>& weights, double draw,
                std::vector<ProviderIndex>& out) {
  TURNOUT_ASSERT(candidates.size() == weights.size());
  double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  while (!candidates.empty()) {
    const Choice choice = choose_weighted(weights, total, draw);
    const auto offset = static_cast<std::ptrdiff_t>(choice.position);
    const double weight = weights[choice.position];
    out.push_back(candidates[choice.position]);
    candidates.erase(candidates.begin() + offset);
    weights.erase(weights.begin() + offset);
    // Subtracting a dominant weight would leave mostly rounding error, so then the rest is added up anew.
    total = weight > total / 2 ? std::accumulate(weights.begin(), weights.end(), 0.0) : total - weight;
    draw = choice.remainder;
  }
}

}  // namespace turnout::core
