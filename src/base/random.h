#pragma once

#include <cstdint>

#include "base/split_mix64.h"

namespace turnout {

/// xoshiro256++ (Blackman, Vigna 2019): the same numbers from the same seed on every compiler. Not for secrets.
/// Not thread-safe; give each thread its own.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept {
    for (auto& word : state_) word = split_mix64(seed);
  }

  /// Uniform over all 64-bit values.
  constexpr std::uint64_t next() noexcept {
    const std::uint64_t result = rotate_left(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate_left(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1), a multiple of 2^-53: never exactly 1.
  constexpr double next_draw() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  static constexpr std::uint64_t rotate_left(std::uint64_t x, int k) noexcept { return (x << k) | (x >> (64 - k)); }

  std::uint64_t state_[4]{};
};

}  // namespace turnout
