#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace turnout {
namespace {

TEST(Result, HoldsAValue) {
  Result<std::string> result = std::string("value");
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result.value(), "value");
  EXPECT_EQ(result->size(), 5U);
  result->push_back('s');
  EXPECT_EQ(*result, "values");
}

TEST(Result, HoldsAnError) {
  const Result<int> result = Error{Error::Code::unavailable, "no store"};
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error(), (Error{Error::Code::unavailable, "no store"}));
}

TEST(Result, GivesAwayAValueThatOnlyMoves) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

TEST(Result, DoneIsAValueToo) {
  const Result<Done> result = Done{};
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(*result, Done{});
}

TEST(ResultDeathTest, AssertsThatTheRightSideIsAskedFor) {
  const Result<int> error = Error{};
  const Result<int> value = 1;
  EXPECT_DEATH((void)error.value(), "assertion failed");
  EXPECT_DEATH((void)value.error(), "assertion failed");
}

TEST(AssertDeathTest, NamesTheConditionAndItsPlace) {
  TURNOUT_ASSERT(true);
  EXPECT_DEATH(TURNOUT_ASSERT(1 > 2), "assertion failed: 1 > 2 \\(.*result_test.cc:[0-9]+\\)");
}

}  // namespace
}  // namespace turnout
