#include "cli/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace turnout::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Printed {
  int status = 0;
  std::string out;
  std::string err;
};

Printed check_sources(const config::Sources& sources) {
  std::ostringstream out;
  std::ostringstream err;
  const int status = check(sources, out, err);
  return {status, out.str(), err.str()};
}

TEST(Check, AValidConfigurationIsSaidToBeSoWithAdvice) {
  const Printed printed = check_sources({.file = TURNOUT_SOURCE_DIR "/deploy/example.toml"});
  EXPECT_EQ(printed.status, 0);
  EXPECT_EQ(printed.err, "");
  EXPECT_THAT(printed.out, StartsWith("configuration is valid: 1 channel, 5 providers\n\n"
                                      "channel   setting                    now   advice\n"
                                      "payments  sweep_interval             10s   suits over 100 req/s"));
}

TEST(Check, AllProblemsArePrinted) {
  config::Sources sources;
  sources.environment["TURNOUT_LISTN"] = "x";
  sources.flags.set = {"channels.payments.epsilon=2", "log.level=loud"};
  const Printed printed = check_sources(sources);
  EXPECT_EQ(printed.status, 1);
  EXPECT_EQ(printed.out, "");
  EXPECT_EQ(printed.err,
            "TURNOUT_LISTN: unknown variable; did you mean TURNOUT_LISTEN?\n"
            "--set: log.level: expected \"trace\", \"debug\", \"info\", \"warn\" or \"error\", found \"loud\"\n"
            "--set: channels.payments.epsilon: expected a number from 0 to 1, found \"2\"\n"
            "3 problems\n");
}

TEST(Check, OneProblemIsCountedAsOne) {
  const Printed printed = check_sources({.file = "/nowhere/turnout.toml"});
  EXPECT_EQ(printed.status, 1);
  EXPECT_EQ(printed.err, "/nowhere/turnout.toml: cannot read it: No such file or directory\n1 problem\n");
}

TEST(Check, ManyChannelsShareALine) {
  config::Sources sources;
  sources.file = TURNOUT_SOURCE_DIR "/tests/cli/five_channels.toml";
  const Printed printed = check_sources(sources);
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("5 channels, 0 providers"));
  EXPECT_THAT(printed.out, HasSubstr("\na, b, c and 2 more  providers "));
}

}  // namespace
}  // namespace turnout::cli
