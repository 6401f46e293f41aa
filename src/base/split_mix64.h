#pragma once

#include <cstdint>

namespace turnout {

/// The next state and output of SplitMix64 (Steele, Lea, Flood 2014); spreads a seed over many numbers that look
/// independent. Pure. Example: split_mix64 with state 0 gives 0xe220a8397b1dcdaf first.
constexpr std::uint64_t split_mix64(std::uint64_t& state) noexcept {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace turnout
