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
  /// Where the draw fell within the chosen part, rescaled to [0, 1): uniform and independent of the choice, so it may
  /// decide the next one. (The raw draw is not: it is known to lie in the chosen part.)
  double remainder = 0;
};

/// The cumulative walk: the first position whose cumulative weight exceeds draw × total. `weights` are > 0, finite and
/// not empty, `total` is their sum and finite, `draw` is in [0, 1); anything else is a bug of the caller and asserts.
/// Rounding cannot fall off the end: then the last position is chosen.
/// Example: weights .5 .3 .2: draw .49999 → 0, .5 → 1, .8 → 2. Draw .65 → 1 with remainder (.65 − .5) / .3 = .5.
Choice choose_weighted(std::span<const double> weights, double total, double draw);

/// Every position alike: floor(draw × n), for n > 0 and a draw in [0, 1).
/// Example: n 3, draw .34 → 1, remainder .02.
Choice choose_uniform(std::size_t n, double draw);

/// Orders all of `candidates` by drawing without replacement, each place proportional to the weights among those left.
/// The first place is the cumulative walk with `draw`. The others are a race: every candidate arrives at an exponential
/// time of rate w, −ln(u) / w, and the order of arrival has the wanted distribution (Efraimidis, Spirakis 2006,
/// "Weighted random sampling with a reservoir"); the u are SplitMix64's, seeded with all bits of the draw.
/// O(n log n). Appends to `out`; `weights` (as many as candidates, > 0, finite, also in sum) are
/// working space and hold nothing of use afterwards. Allocates only what `out` grows.
/// Example: candidates 7 8 9, weights .5 .3 .2, draw .65: 8 first; then 7 with probability .5 / .7, else 9.
void draw_order(std::span<const ProviderIndex> candidates, std::vector<double>& weights, double draw,
                std::vector<ProviderIndex>& out);

}  // namespace turnout::core
