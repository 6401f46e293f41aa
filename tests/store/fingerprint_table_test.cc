#include "store/memory/fingerprint_table.h"

#include <gtest/gtest.h>

#include <unordered_map>

#include "base/random.h"

namespace turnout::store {
namespace {

TEST(FingerprintTable, StartsEmpty) {
  const FingerprintTable table(2);
  EXPECT_EQ(table.size(), 0U);
  for (const std::uint64_t fingerprint : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    EXPECT_EQ(table.find(table.place_of(fingerprint)), std::nullopt);
  }
}

TEST(FingerprintTable, KeepsEveryTagOfEveryFingerprint) {
  FingerprintTable table(2);
  for (const std::uint64_t fingerprint :
       {std::uint64_t{0}, std::uint64_t{8}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    for (const std::uint64_t tag : {0U, 1U, 2U, 3U}) {
      table.put(table.place_of(fingerprint), tag);
      EXPECT_EQ(table.find(table.place_of(fingerprint)), tag);
    }
  }
  EXPECT_EQ(table.size(), 4U);
}

TEST(FingerprintTable, DoesNotLookAtTheBitsOfTheTag) {
  FingerprintTable table(16);
  table.put(table.place_of(0xabcd'0000), 7);
  EXPECT_EQ(table.find(table.place_of(0xabcd'ffff)), 7U);
  EXPECT_EQ(table.find(table.place_of(0xabce'0000)), std::nullopt);
  table.put(table.place_of(0), 0);
  EXPECT_EQ(table.find(table.place_of(65'535)), 0U);
}

/// Fingerprints of hashes, and such as nobody would call random.
TEST(FingerprintTable, AgreesWithAMap) {
  for (const bool random_fingerprints : {true, false}) {
    FingerprintTable table(2);
    std::unordered_map<std::uint64_t, std::uint64_t> map;
    Random random(1);
    for (std::uint64_t i = 0; i < 100'000; ++i) {
      const std::uint64_t fingerprint = random_fingerprints ? random.next() & ~3U : i * 4;
      const std::uint64_t tag = random.next() % 4;
      table.put(table.place_of(fingerprint), tag);
      map[fingerprint == 0 ? 4 : fingerprint] = tag;
    }
    ASSERT_EQ(table.size(), map.size());
    for (const auto& [fingerprint, tag] : map) ASSERT_EQ(table.find(table.place_of(fingerprint)), tag);
    for (int i = 0; i < 100'000; ++i)
      ASSERT_EQ(table.find(table.place_of(random.next() | 1ULL << 62)).has_value(), false);
  }
}

TEST(FingerprintTable, WordsCanBePutIntoAnotherTable) {
  FingerprintTable table(2);
  FingerprintTable copy(2);
  Random random(2);
  std::unordered_map<std::uint64_t, std::uint64_t> map;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t fingerprint = random.next() & ~3U;
    copy.put_word(table.put(table.place_of(fingerprint), fingerprint >> 62));
    map[fingerprint] = fingerprint >> 62;
  }
  ASSERT_EQ(copy.size(), table.size());
  for (const auto& [fingerprint, tag] : map) ASSERT_EQ(copy.find(copy.place_of(fingerprint)), tag);
}

TEST(FingerprintTable, NeedsLittleMemoryAtEverySize) {
  FingerprintTable table(2);
  Random random(3);
  for (std::size_t size = 1; size <= 1'000'000; ++size) {
    table.put(table.place_of(random.next()), 0);
    if (size >= 5000) {
      ASSERT_LE(table.bytes(), size * 20) << "at " << size;
    }
  }
  EXPECT_LE(table.bytes(), table.size() * 16);
}

TEST(FingerprintTable, GivesItsMemoryBackInParts) {
  FingerprintTable table(2);
  Random random(4);
  for (int i = 0; i < 10'000; ++i) table.put(table.place_of(random.next()), 0);
  std::size_t bytes = table.bytes();
  while (table.release_some()) {
    ASSERT_LT(table.bytes(), bytes);
    bytes = table.bytes();
  }
  EXPECT_EQ(table.bytes(), 0U);
}

}  // namespace
}  // namespace turnout::store
