#include "http/read_tally.h"

#include <gtest/gtest.h>

namespace turnout::http {
namespace {

/// How many of `looks` the tally lets happen when every one of them finds something, or none does.
int looks_made(ReadTally& tally, int looks, bool found) {
  int made = 0;
  for (int i = 0; i < looks; ++i) {
    if (tally.is_promising()) {
      ++made;
      tally.note(found);
    }
  }
  return made;
}

TEST(ReadTally, FollowsTheLoad) {
  ReadTally tally;
  EXPECT_EQ(looks_made(tally, 160, false), 10);
  looks_made(tally, 1000, true);
  EXPECT_EQ(looks_made(tally, 100, true), 100);
  tally.note(false);
  EXPECT_EQ(looks_made(tally, 100, true), 100);
  looks_made(tally, 1000, false);
  EXPECT_EQ(looks_made(tally, 160, false), 10);
}

}  // namespace
}  // namespace turnout::http
