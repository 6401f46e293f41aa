#include "base/random.h"

#include <gtest/gtest.h>

#include <array>

namespace turnout {
namespace {

TEST(SplitMix64, GivesThePublishedNumbers) {
  std::uint64_t state = 0;
  EXPECT_EQ(split_mix64(state), 0xe220a8397b1dcdafU);
  EXPECT_EQ(split_mix64(state), 0x6e789e6aa1b965f4U);
  state = 1234567;
  EXPECT_EQ(split_mix64(state), 6457827717110365317U);
  EXPECT_EQ(split_mix64(state), 3203168211198807973U);
  EXPECT_EQ(split_mix64(state), 9817491932198370423U);
}

TEST(Random, GivesTheNumbersOfXoshiro256PlusPlusSeededBySplitMix64) {
  Random random(0);
  for (const std::uint64_t expected : {5987356902031041503U, 7051070477665621255U, 6633766593972829180U,
                                       211316841551650330U, 9136120204379184874U, 379361710973160858U}) {
    EXPECT_EQ(random.next(), expected);
  }
  Random other(42);
  for (const std::uint64_t expected : {0xd0764d4f4476689fU, 0x519e4174576f3791U, 0xfbe07cfb0c24ed8cU}) {
    EXPECT_EQ(other.next(), expected);
  }
}

TEST(Random, CanRunAtCompileTime) {
  constexpr std::uint64_t first = [] {
    Random random(0);
    return random.next();
  }();
  static_assert(first == 5987356902031041503U);
}

TEST(Random, DrawsAreTheTopBitsAndBelowOne) {
  Random bits(7);
  Random draws(7);
  for (int i = 0; i < 1000; ++i) {
    const double draw = draws.next_draw();
    EXPECT_EQ(draw, static_cast<double>(bits.next() >> 11) / 9007199254740992.0);
    EXPECT_GE(draw, 0.0);
    EXPECT_LT(draw, 1.0);
  }
}

TEST(Random, DrawsFillTheirRangeEvenly) {
  constexpr int kDraws = 100'000;
  std::array<int, 10> counts{};
  Random random(1);
  for (int i = 0; i < kDraws; ++i) ++counts[static_cast<std::size_t>(random.next_draw() * 10)];
  // Five standard deviations of a binomial count: sqrt(100000 * 0.1 * 0.9) is 95.
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 10, 475);
}

}  // namespace
}  // namespace turnout
