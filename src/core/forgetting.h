#pragma once

#include <cstdint>

#include "base/time.h"

namespace turnout::core {

/// How old outcomes lose their say. Both kinds use the same sums (core/sums.h); only these three functions tell them
/// apart.
struct Forgetting {
  enum class Kind : std::uint8_t {
    window,     ///< increments are 1; after `span_ms` the sums start again from zero
    half_life,  ///< exact exponential decay: an outcome counts half after every `span_ms`
  };

  Kind kind = Kind::window;
  DurationMs span_ms = kHour;  ///< > 0

  friend bool operator==(const Forgetting&, const Forgetting&) = default;
};

/// What an outcome at `now` adds to sums whose landmark is `landmark_ms`: 1 for a window, 2^((now − landmark) /
/// half_life) for a half-life (forward decay: Cormode, Shkapenyuk, Srivastava, Xu 2009). A `now` before the landmark is
/// treated as the landmark.
/// Example: half-life 6 h, 12 h after the landmark: 4.
double increment_at(const Forgetting& forgetting, TimeMs landmark_ms, TimeMs now);

/// What sums with that landmark are multiplied by to give effective counts at `now`: 0 for a window that has ended, 1
/// within it; 2^−((now − landmark) / half_life) for a half-life.
/// Example: half-life 6 h, sum 100 made at the landmark, 6 h later: 100 × 0.5 = 50. Window 1 h, 61 min after the
/// landmark: 0.
double scale_at(const Forgetting& forgetting, TimeMs landmark_ms, TimeMs now);

/// True when the sums must be multiplied by scale_at and get `now` as their landmark before more is added: the window
/// has ended, or the exponent of the half-life has reached 40 (2^40 leaves 13 bits of a double for the small end of the
/// sums).
bool needs_rebase(const Forgetting& forgetting, TimeMs landmark_ms, TimeMs now);

}  // namespace turnout::core
