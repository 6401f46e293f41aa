#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace turnout::core {

/// Position of a provider in its channel's list.
using ProviderIndex = std::uint16_t;

/// A choice and what is left of the draw that made it.
struct Choice {
  std::size_t position = 0;
  /// Where the draw fell within the chosen part, rescaled to [0, 1): uniform and independent of the choice, so it may decide the
  /// next one. (The raw draw is not: it is known to lie in the chosen part.)
  double remainder = 0;
};

/// The cumulative walk: the first position whose cumulative weight exceeds draw × total. `weights` are > 0 and not empty, `total` is
/// their sum, `draw` is in [0, 1). Rounding cannot fall off the end: then the last position is chosen.
/// Example: weights .5 .3 .2: draw .49999 → 0, .5 → 1, .8 → 2.
Choice choose_weighted(std::span<const double> weights, double total, double draw);

/// Every position alike: floor(draw × n). Example: n 3, draw .34 → 1, remainder .02.
Choice choose_uniform(std::size_t n, double draw);

/// Orders all of `candidates` by drawing without replacement, each proportional to its weight among those left, from the
/// rescaled remainder of one draw. Appends to `out`. Both inputs are used up as working space. No allocation beyond `out`.
void draw_order(std::vector<ProviderIndex>& candidates, std::vector<double>& weights, double draw,
                std::vector<ProviderIndex>& out);

}  // namespace turnout::core
