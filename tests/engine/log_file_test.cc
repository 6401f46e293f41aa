#include "engine/log_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "support/temporary_directory.h"

// The files of the decision log, and what becomes of lines that cannot be written.

namespace turnout::engine {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class LogFileTest : public ::testing::Test {
 protected:
  LogFileTest() { spdlog::set_level(spdlog::level::off); }

  std::unique_ptr<LogFile> open(std::uint64_t max_file_bytes = 1 << 20, std::size_t max_files = 2) {
    return std::make_unique<LogFile>(LogFileOptions{directory.path() / "log", max_file_bytes, max_files});
  }
  [[nodiscard]] std::filesystem::path path(const std::string& name = "decisions.ndjson") const {
    return directory.path() / "log" / name;
  }
  /// One line in a write of its own.
  static void write(LogFile& file, const std::string& line) {
    file.append_line(line);
    file.flush();
  }

  TemporaryDirectory directory;
};

TEST_F(LogFileTest, MakesItsDirectoryAndGoesOnWhereItStopped) {
  write(*open(), "one");
  write(*open(), "two");
  EXPECT_THAT(lines_of(path()), ElementsAre("one", "two"));
}

TEST_F(LogFileTest, WritesWhatIsBufferedAtTheEnd) {
  open()->append_line("one");
  EXPECT_THAT(lines_of(path()), ElementsAre("one"));
}

TEST_F(LogFileTest, AFullFileGetsANumberAndTheOldestGoes) {
  const auto file = open(10);
  for (const char* line : {"aaaaaaa", "bbbbbbb", "ccccccc", "ddddddd", "eeeeeee"}) write(*file, line);
  EXPECT_THAT(lines_of(path()), ElementsAre("eeeeeee"));
  EXPECT_THAT(lines_of(path("decisions.1.ndjson")), ElementsAre("ddddddd"));
  EXPECT_THAT(lines_of(path("decisions.2.ndjson")), ElementsAre("ccccccc"));
  EXPECT_FALSE(std::filesystem::exists(path("decisions.3.ndjson")));
  EXPECT_EQ(file->dropped(), 0U);
}

TEST_F(LogFileTest, HoldsAsMuchAsItMay) {
  const auto file = open(16);
  for (const char* line : {"aaaaaaa", "bbbbbbb", "ccccccc"}) write(*file, line);
  EXPECT_THAT(lines_of(path()), ElementsAre("ccccccc"));
  EXPECT_THAT(lines_of(path("decisions.1.ndjson")), ElementsAre("aaaaaaa", "bbbbbbb"));
}

TEST_F(LogFileTest, MayKeepNoneButTheCurrentOne) {
  const auto file = open(10, 0);
  for (const char* line : {"aaaaaaa", "bbbbbbb"}) write(*file, line);
  EXPECT_THAT(lines_of(path()), ElementsAre("bbbbbbb"));
  EXPECT_FALSE(std::filesystem::exists(path("decisions.1.ndjson")));
}

TEST_F(LogFileTest, CountsWhatWasThereBeforeTowardsTheSize) {
  write(*open(10), "aaaaaaa");
  write(*open(10), "bbbbbbb");
  EXPECT_THAT(lines_of(path()), ElementsAre("bbbbbbb"));
}

TEST_F(LogFileTest, EndsALineThatALossOfPowerHasCut) {
  write(*open(), "one");
  std::ofstream(path(), std::ios::app) << "{\"kind\":\"deci";
  write(*open(), "two");
  EXPECT_THAT(lines_of(path()), ElementsAre("one", "{\"kind\":\"deci", "two"));
}

TEST_F(LogFileTest, APlaceThatCannotBeUsedAtTheStartCostsLinesUntilItCan) {
  std::ofstream(directory.path() / "log") << "a file, not a directory";
  const auto file = open();
  write(*file, "one");
  EXPECT_EQ(file->dropped(), 1U);
  std::filesystem::remove(directory.path() / "log");
  write(*file, "two");
  EXPECT_EQ(file->dropped(), 1U);
  EXPECT_THAT(lines_of(path()), ElementsAre("two"));
}

TEST_F(LogFileTest, ADirectoryThatGoesAwayCostsLinesUntilItIsBack) {
  const auto file = open(10);
  write(*file, "aaaaaaa");
  std::filesystem::remove_all(directory.path() / "log");
  write(*file, "bbbbbbb");  // rotates, and finds no place for a new file
  file->append_line("ccccccc");
  file->append_line("ddddddd");
  file->flush();
  EXPECT_EQ(file->dropped(), 3U);
  std::filesystem::create_directory(directory.path() / "log");
  write(*file, "eeeeeee");
  EXPECT_THAT(lines_of(path()), ElementsAre("eeeeeee"));
  EXPECT_EQ(file->dropped(), 3U);
}

/// Runs `work` in a process that can write no file beyond `limit` bytes, as on a full disk. True when it returns true.
template <class Work>
bool with_full_disk(rlim_t limit, const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit size{limit, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &size);
    ::_exit(work() ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(LogFileTest, OnAFullDiskTheCutLineIsTakenBackAndTheLostOnesAreCounted) {
  const bool done = with_full_disk(20, [&] {
    const auto file = open();
    write(*file, "aaaaaaa");  // 8 bytes
    for (const char* line : {"bbbbbbb", "ccccccc", "ddddddd"}) file->append_line(line);
    file->flush();  // 12 of 24 bytes fit: one line and half of the next
    const bool counted = file->dropped() == 2;
    rlimit size{};
    ::getrlimit(RLIMIT_FSIZE, &size);
    size.rlim_cur = RLIM_INFINITY;
    ::setrlimit(RLIMIT_FSIZE, &size);
    write(*file, "eeeeeee");  // there is room again
    return counted && file->dropped() == 2;
  });
  EXPECT_TRUE(done);
  EXPECT_THAT(lines_of(path()), ElementsAre("aaaaaaa", "bbbbbbb", "eeeeeee"));
}

TEST_F(LogFileTest, OnADiskWithNoRoomAtAllEveryLineIsCounted) {
  EXPECT_TRUE(with_full_disk(0, [&] {
    const auto file = open();
    for (int i = 0; i < 10; ++i) write(*file, "a line");
    return file->dropped() == 10;
  }));
}

}  // namespace
}  // namespace turnout::engine
