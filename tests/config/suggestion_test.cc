#include "config/suggestion.h"

#include <gtest/gtest.h>

#include <vector>

namespace turnout::config {
namespace {

const std::vector<std::string> kNames = {"epsilon", "policy", "breaker.open_for", "breaker.max_open_for",
                                         "window",  "k"};

TEST(Closest, Table) {
  const char* const rows[][2] = {{"epsilom", "epsilon"},
                                 {"epslion", "epsilon"},
                                 {"epsilon_", "epsilon"},
                                 {"polcy", "policy"},
                                 {"windwo", "window"},
                                 {"open_for", "breaker.open_for"},
                                 {"breaker.open_fro", "breaker.open_for"},
                                 {"max_open_for", "breaker.max_open_for"},
                                 {"x", "k"},
                                 {"", ""},
                                 {"unlike", ""},
                                 {"eps", ""},
                                 {"en_for", ""}};
  for (const auto& [name, expected] : rows) EXPECT_EQ(closest(name, kNames), expected) << name;
  EXPECT_EQ(closest(std::string(100'000, 'e'), kNames), "");
  EXPECT_EQ(closest("epsilon", {}), "");
}

TEST(Unknown, NamesTheCandidateIfThereIsOne) {
  EXPECT_EQ(unknown("key", "epsilom", kNames), "unknown key; did you mean epsilon?");
  EXPECT_EQ(unknown("variable", "unlike", kNames), "unknown variable");
}

}  // namespace
}  // namespace turnout::config
