#include "store/memory/expiring_fingerprints.h"

#include <gmock/gmock.h>

#include <map>

#include "base/random.h"

namespace turnout::store {
namespace {

constexpr TimeMs kBegin = 1'000'000;
constexpr ExpiringFingerprints::Limits kLimits{8000, 1'000'000};

std::uint64_t fingerprint(std::uint64_t i) { return split_mix64(i) & ~std::uint64_t{3}; }

TEST(ExpiringFingerprints, KeepsEachAtLeastItsTimeAndLessThanAnEighthMore) {
  ExpiringFingerprints fingerprints(2, Journaling::off);
  Random random(1);
  std::map<std::uint64_t, TimeMs> put_at;
  TimeMs now = kBegin;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    now += static_cast<TimeMs>(random.next() % 20);
    fingerprints.apply(kLimits, now);
    fingerprints.put(fingerprint(i), i % 4, now);
    put_at[i] = now;
    const std::uint64_t other = random.next() % (i + 1);
    const DurationMs age = now - put_at[other];
    if (age < kLimits.keep_for_ms) {
      ASSERT_EQ(fingerprints.find(fingerprint(other), now), other % 4);
    }
    if (age >= kLimits.keep_for_ms * 9 / 8) {
      ASSERT_EQ(fingerprints.find(fingerprint(other), now), std::nullopt);
    }
  }
}

TEST(ExpiringFingerprints, AskingForgetsNothing) {
  ExpiringFingerprints fingerprints(2, Journaling::off);
  fingerprints.apply(kLimits, kBegin);
  fingerprints.put(fingerprint(1), 1, kBegin);
  EXPECT_EQ(fingerprints.find(fingerprint(1), kBegin + 9000), std::nullopt);
  EXPECT_EQ(fingerprints.find(fingerprint(1), kBegin), 1U);
}

TEST(ExpiringFingerprints, AClockSetBackForgetsNothing) {
  ExpiringFingerprints fingerprints(2, Journaling::off);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const TimeMs now = kBegin - static_cast<TimeMs>(i) * 1000;
    fingerprints.apply(kLimits, now);
    fingerprints.put(fingerprint(i), 0, now);
    ASSERT_TRUE(fingerprints.find(fingerprint(0), now));
  }
  EXPECT_EQ(fingerprints.size(), 1000U);
}

TEST(ExpiringFingerprints, TheLaterTagStands) {
  ExpiringFingerprints fingerprints(2, Journaling::off);
  fingerprints.apply(kLimits, kBegin);
  fingerprints.put(fingerprint(1), 1, kBegin);
  fingerprints.put(fingerprint(1), 2, kBegin + 1);
  EXPECT_EQ(fingerprints.find(fingerprint(1), kBegin + 1), 2U);
  EXPECT_EQ(fingerprints.size(), 1U);
  fingerprints.put(fingerprint(1), 3, kBegin + 5000);
  EXPECT_EQ(fingerprints.find(fingerprint(1), kBegin + 5000), 3U);
}

TEST(ExpiringFingerprints, DropsTheOldestBeyondTheMaximum) {
  for (const std::size_t max : {1U, 2U, 7U, 8U, 9U, 100U, 1000U}) {
    SCOPED_TRACE(max);
    ExpiringFingerprints fingerprints(2, Journaling::off);
    for (std::uint64_t i = 0; i < 3000; ++i) {
      fingerprints.apply({8000, max}, kBegin);
      fingerprints.put(fingerprint(i), 0, kBegin);
      ASSERT_LE(fingerprints.size(), max);
      ASSERT_EQ(fingerprints.size() + fingerprints.dropped_early(), i + 1);
      const std::size_t kept = std::min<std::size_t>(i + 1, max - max / 8);
      ASSERT_TRUE(fingerprints.find(fingerprint(i + 1 - kept), kBegin)) << i;
    }
  }
}

TEST(ExpiringFingerprints, GivesMemoryOfForgottenOnesBackLittleByLittle) {
  ExpiringFingerprints fingerprints(2, Journaling::off);
  fingerprints.apply(kLimits, kBegin);
  for (std::uint64_t i = 0; i < 100'000; ++i) fingerprints.put(fingerprint(i), 0, kBegin);
  const std::size_t full = fingerprints.bytes();
  fingerprints.apply(kLimits, kBegin + kDay);
  EXPECT_EQ(fingerprints.size(), 0U);
  EXPECT_GT(fingerprints.bytes(), full / 2);
  for (int i = 0; i < 1000; ++i) fingerprints.apply(kLimits, kBegin + kDay);
  EXPECT_EQ(fingerprints.bytes(), 0U);
}

TEST(ExpiringFingerprints, JournaledChangesBuildTheSameSet) {
  ExpiringFingerprints fingerprints(2, Journaling::on);
  std::map<std::uint64_t, BucketWords> stored;
  Random random(2);
  TimeMs now = kBegin;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    now += static_cast<TimeMs>(random.next() % 20);
    fingerprints.apply({8000, 900}, now);
    fingerprints.put(fingerprint(i), i % 4, now);
    if (random.next() % 100 != 0) continue;
    FingerprintChanges changes = fingerprints.take_changes();
    EXPECT_TRUE(fingerprints.take_changes().empty());
    for (const std::uint64_t bucket : changes.dropped) stored.erase(bucket);
    for (const BucketWords& added : changes.added) {
      BucketWords& bucket = stored[added.bucket];
      bucket.bucket = added.bucket;
      bucket.end_ms = added.end_ms;
      bucket.words.insert(bucket.words.end(), added.words.begin(), added.words.end());
    }
    ExpiringFingerprints copy(2, Journaling::on);
    for (const auto& [number, bucket] : stored) copy.restore(bucket);
    ASSERT_EQ(copy.size(), fingerprints.size());
    ASSERT_EQ(copy.find(fingerprint(i), now), i % 4);
    ASSERT_TRUE(copy.take_changes().empty());
  }
}

TEST(ExpiringFingerprints, WhatWasRestoredStaysUntilALimitIsKnown) {
  ExpiringFingerprints fingerprints(2, Journaling::off);
  FingerprintTable table(2);
  fingerprints.restore({5, kBegin, {table.put(table.place_of(fingerprint(1)), 1)}});
  EXPECT_EQ(fingerprints.find(fingerprint(1), kBegin + 30 * kDay), 1U);
  fingerprints.apply({kDay, 1000}, kBegin + kDay - 1);
  EXPECT_EQ(fingerprints.find(fingerprint(1), kBegin + kDay - 1), 1U);
  fingerprints.apply({kDay, 1000}, kBegin + kDay);
  EXPECT_EQ(fingerprints.size(), 0U);
}

}  // namespace
}  // namespace turnout::store
