#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace turnout {
namespace {

/// Key bytes 00..0f, as in the reference vectors of SipHash-2-4.
constexpr HashKey kReferenceKey{0x0706050403020100U, 0x0f0e0d0c0b0a0908U};

/// The bytes 00, 01, 02, … of a reference input.
std::string counting_bytes(std::size_t length) {
  std::string bytes;
  for (std::size_t i = 0; i < length; ++i) bytes.push_back(static_cast<char>(i));
  return bytes;
}

TEST(SipHash, GivesTheReferenceVectors) {
  struct Row {
    std::size_t length;
    std::uint64_t hash;
  };
  // The reference lists the bytes of each hash from the lowest up: 31 0e 0e dd 47 db 6f 72 for the empty input.
  constexpr Row kRows[] = {
      {0, 0x726fdb47dd0e0e31U},  {1, 0x74f839c593dc67fdU},  {7, 0xab0200f58b01d137U},  {8, 0x93f5f5799a932462U},
      {15, 0xa129ca6149be45e5U}, {16, 0x3f2acc7f57c29bdbU}, {63, 0x958a324ceb064572U},
  };
  for (const Row& row : kRows) EXPECT_EQ(sip_hash(kReferenceKey, counting_bytes(row.length)), row.hash) << row.length;
}

TEST(SipHash, DependsOnEveryByteAndOnBothHalvesOfTheKey) {
  std::set<std::uint64_t> hashes;
  const std::string text = counting_bytes(20);
  hashes.insert(sip_hash(kReferenceKey, text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    hashes.insert(sip_hash(kReferenceKey, changed));
  }
  hashes.insert(sip_hash({kReferenceKey.low ^ 1, kReferenceKey.high}, text));
  hashes.insert(sip_hash({kReferenceKey.low, kReferenceKey.high ^ 1}, text));
  EXPECT_EQ(hashes.size(), text.size() + 3);
}

TEST(SipHash, ReadsBytesAboveAsciiAsUnsigned) {
  EXPECT_NE(sip_hash(kReferenceKey, "\xff"), sip_hash(kReferenceKey, "\x7f"));
  EXPECT_NE(sip_hash(kReferenceKey, "\xff\x01"), sip_hash(kReferenceKey, "\xff\xff"));
}

}  // namespace
}  // namespace turnout
