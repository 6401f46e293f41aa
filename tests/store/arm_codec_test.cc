#include "store/file/arm_codec.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace turnout::store {
namespace {

core::Arm full_arm(std::size_t bins) {
  Random random(bins + 1);
  core::Arm arm;
  arm.sums.forgetting = {core::Forgetting::Kind::half_life, 6 * kHour};
  arm.sums.landmark_ms = 1'700'000'000'000;
  arm.sums.successes = 12.25;
  arm.sums.total = 0.1 + 0.2;
  for (std::size_t i = 0; i < bins; ++i) arm.sums.latency.bins()[i] = random.next_draw() + 0.001;
  arm.breaker.circuit = core::Circuit::half_open;
  arm.breaker.manual = true;
  arm.breaker.lease_count = 3;
  arm.breaker.consecutive_failures = 7;
  arm.breaker.generation = 1ULL << 40;
  arm.breaker.opened_at_ms = 1;
  arm.breaker.half_open_at_ms = 2;
  arm.breaker.last_probe_at_ms = -3;
  for (std::size_t i = 0; i < 3; ++i) arm.breaker.leases[i] = {random.next(), {random.next(), random.next()}, 99};
  arm.revision = random.next();
  return arm;
}

TEST(ArmCodec, ReadsWhatItWrote) {
  EXPECT_EQ(decode_arm(encode_arm({})), core::Arm{});
  for (const std::size_t bins : {std::size_t{0}, std::size_t{1}, core::LatencyHistogram::kBins}) {
    EXPECT_EQ(decode_arm(encode_arm(full_arm(bins))), full_arm(bins));
  }
}

TEST(ArmCodec, AFreshArmIsSmall) { EXPECT_LT(encode_arm({}).size(), 100U); }

TEST(ArmCodec, RefusesEveryCutAndAnythingBehind) {
  auto bytes = encode_arm(full_arm(5));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(decode_arm(std::span(bytes).first(size)), std::nullopt) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_EQ(decode_arm(bytes), std::nullopt);
}

TEST(ArmCodec, RefusesWhatCannotBe) {
  // Offsets by arm_codec.h: version 0, forgetting kind 1, number of bins 34, first bin's index 35.
  for (const std::size_t offset : {0U, 1U, 34U, 35U}) {
    auto bytes = encode_arm(full_arm(1));
    bytes[offset] = std::byte{250};
    EXPECT_EQ(decode_arm(bytes), std::nullopt) << offset;
  }
}

TEST(ArmCodec, SurvivesRandomDamage) {
  Random random(7);
  const auto whole = encode_arm(full_arm(20));
  for (int i = 0; i < 20'000; ++i) {
    auto bytes = whole;
    for (int flips = 0; flips < 3; ++flips) bytes[random.next() % bytes.size()] = std::byte(random.next() & 0xff);
    (void)decode_arm(bytes);
  }
}

}  // namespace
}  // namespace turnout::store
