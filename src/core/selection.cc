#include "core/selection.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/assert.h"

namespace turnout::core {
namespace {

constexpr double kLargestDraw = 1 - 0x1.0p-53;

bool is_draw(double draw) { return draw >= 0 && draw < 1; }

bool is_weight(double weight) { return weight > 0 && weight <= std::numeric_limits<double>::max(); }

/// Makes the weights the leaves of a binary tree of sums, padded to `leaves` with zeros: the children of node i are 2i
/// and 2i + 1, the root is 1. A draw and a removal each touch one path. Sums are never corrected by subtraction: taking
/// a dominant weight away would leave mostly rounding error.
void grow_sum_tree(std::vector<double>& weights, std::size_t leaves) {
  weights.insert(weights.begin(), leaves, 0.0);
  weights.resize(2 * leaves, 0.0);
  for (std::size_t node = leaves - 1; node > 0; --node) weights[node] = weights[2 * node] + weights[2 * node + 1];
}

/// choose_weighted over the leaves that are left.
Choice choose_leaf(const std::vector<double>& tree, std::size_t leaves, double draw) {
  double target = draw * tree[1];
  std::size_t node = 1;
  while (node < leaves) {
    const double left = tree[2 * node];
    // Arithmetic in place of a branch that would be mispredicted every other time.
    const std::size_t goes_right = target >= left ? 1 : 0;
    target -= left * static_cast<double>(goes_right);
    node = 2 * node + goes_right;
  }
  // Rounding may carry the target past the last leaf that is left.
  while (tree[node] == 0) --node;
  return {node - leaves, std::min(target / tree[node], kLargestDraw)};
}

void remove_leaf(std::vector<double>& tree, std::size_t leaf) {
  tree[leaf] = 0;
  double sum = 0;
  for (std::size_t node = leaf; node > 1; node /= 2) {
    sum += tree[node ^ 1];
    tree[node / 2] = sum;
  }
}

}  // namespace

Choice choose_weighted(std::span<const double> weights, double total, double draw) {
  TURNOUT_ASSERT(!weights.empty() && is_weight(total) && is_draw(draw));
  TURNOUT_ASSERT(std::all_of(weights.begin(), weights.end(), is_weight));
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

void draw_order(std::vector<ProviderIndex>& candidates, std::vector<double>& weights, double draw,
                std::vector<ProviderIndex>& out) {
  TURNOUT_ASSERT(candidates.size() == weights.size() && is_draw(draw));
  TURNOUT_ASSERT(std::all_of(weights.begin(), weights.end(), is_weight));
  const std::size_t leaves = std::bit_ceil(candidates.size());
  grow_sum_tree(weights, leaves);
  TURNOUT_ASSERT(candidates.empty() || is_weight(weights[1]));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Choice choice = choose_leaf(weights, leaves, draw);
    out.push_back(candidates[choice.position]);
    remove_leaf(weights, leaves + choice.position);
    draw = choice.remainder;
  }
}

}  // namespace turnout::core
