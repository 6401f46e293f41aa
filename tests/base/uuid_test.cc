#include "base/uuid.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace turnout {
namespace {

std::string text_of(const Uuid& uuid) {
  const auto characters = uuid.text();
  return {characters.begin(), characters.end()};
}

TEST(Uuid, IsWrittenAsInTheExampleOfTheRfc) {
  // RFC 9562, appendix A.6: 2022-02-22 19:22:22 UTC, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F.
  const Uuid uuid = Uuid::make(0x017F22E279B0, 0xCC3, 0x18C4DC0C0C07398FU << 2);
  EXPECT_EQ(text_of(uuid), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
  EXPECT_EQ(uuid.time_ms(), 1645557742000);
}

TEST(Uuid, ReadsEitherCaseAndNothingElse) {
  const Uuid uuid{0x017f22e279b07cc3U, 0x98c4dc0c0c07398fU};
  EXPECT_EQ(Uuid::parse("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), uuid);
  EXPECT_EQ(Uuid::parse("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"), uuid);
  for (const char* wrong : {
           "",
           "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
           "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
           "017f22e279b07cc398c4dc0c0c07398f",
           "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}",
           "017f22e2 79b0-7cc3-98c4-dc0c0c07398f",
           "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
           "017f22e2-79b0-7cc3-98c4-dc0c0c07398 ",
           "-17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
           "017f22e27-9b0-7cc3-98c4-dc0c0c07398f",
       }) {
    EXPECT_EQ(Uuid::parse(wrong), std::nullopt) << wrong;
  }
}

RC_GTEST_PROP(Uuid, EveryUuidIsReadBackFromItsText, (std::uint64_t high, std::uint64_t low)) {
  const Uuid uuid{high, low};
  RC_ASSERT(Uuid::parse(text_of(uuid)) == uuid);
}

RC_GTEST_PROP(Uuid, MakeKeepsTheMomentAndSetsVersionAndVariant, (std::uint64_t random_high, std::uint64_t random_low)) {
  const TimeMs now = *rc::gen::inRange<TimeMs>(0, TimeMs{1} << 48);
  const Uuid uuid = Uuid::make(now, random_high, random_low);
  RC_ASSERT(uuid.time_ms() == now);
  RC_ASSERT(((uuid.high >> 12) & 0xf) == 7U);
  RC_ASSERT((uuid.low >> 62) == 2U);
  RC_ASSERT((uuid.high & 0xfff) == (random_high & 0xfff));
}

TEST(Uuid, LaterMomentsSortAfterEarlierOnes) {
  const std::string earlier = text_of(Uuid::make(1000, ~0ULL, ~0ULL));
  const std::string later = text_of(Uuid::make(1001, 0, 0));
  EXPECT_LT(earlier, later);
}

}  // namespace
}  // namespace turnout
