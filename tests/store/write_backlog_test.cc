#include "store/file/write_backlog.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace turnout::store {
namespace {

using std::chrono::milliseconds;

constexpr int kMoreThanAnyLimit = 20'000;

class WriteBacklogTest : public ::testing::Test {
 protected:
  static WriteBacklog::Clock::time_point ago(milliseconds time) { return WriteBacklog::Clock::now() - time; }

  void write(std::size_t rows, milliseconds took = milliseconds(0)) {
    backlog.begin_write(ago(took), ago(took));
    backlog.end_write(rows);
  }

  /// How many rows are taken until one has to wait.
  int rows_until_behind() {
    for (int rows = 0; rows < kMoreThanAnyLimit; ++rows) {
      if (backlog.far_behind_with_another_row()) return rows;
    }
    return kMoreThanAnyLimit;
  }

  /// Begins to wait; `released` tells the end of that.
  void wait() {
    boost::asio::co_spawn(io, backlog.written(), [this](const std::exception_ptr&) { released = true; });
    io.poll();
  }

  int asked_to_write = 0;
  WriteBacklog backlog{[this] { asked_to_write += 1; }};
  boost::asio::io_context io{1};
  bool released = false;
};

TEST_F(WriteBacklogTest, IsBehindWhileAWriteWithOldChangesIsUnderWay) {
  EXPECT_FALSE(backlog.far_behind());
  backlog.begin_write(ago(milliseconds(60)));
  EXPECT_TRUE(backlog.far_behind());
  backlog.end_write(1);
  EXPECT_FALSE(backlog.far_behind());
  backlog.begin_write(ago(milliseconds(-1000)));
  EXPECT_FALSE(backlog.far_behind()) << "its changes are not old yet";
}

TEST_F(WriteBacklogTest, AWriteThatIsStuckOrFailsMakesNobodyWait) {
  backlog.begin_write(ago(milliseconds(1200)), ago(milliseconds(1100)));
  EXPECT_FALSE(backlog.far_behind());
  EXPECT_EQ(rows_until_behind(), kMoreThanAnyLimit);
  backlog.fail_write();
  EXPECT_FALSE(backlog.far_behind());
  backlog.begin_write(ago(milliseconds(60)));
  EXPECT_FALSE(backlog.far_behind()) << "the last write failed";
  EXPECT_EQ(rows_until_behind(), kMoreThanAnyLimit);
  backlog.end_write(1);
  backlog.begin_write(ago(milliseconds(60)));
  EXPECT_TRUE(backlog.far_behind()) << "writing works again";
}

TEST_F(WriteBacklogTest, TakesAsManyRowsAsCanBeWrittenInTime) {
  const int at_first = rows_until_behind();
  EXPECT_GT(at_first, 0);
  EXPECT_EQ(asked_to_write, 1) << "before anybody had to wait";
  EXPECT_TRUE(backlog.far_behind_with_another_row());
  for (int i = 0; i < 20; ++i) write(1000, milliseconds(1000));
  const int slow_disk = rows_until_behind();
  for (int i = 0; i < 20; ++i) write(1000, milliseconds(10));
  const int fast_disk = rows_until_behind();
  EXPECT_LE(slow_disk, 64);
  EXPECT_GT(slow_disk, 10);
  EXPECT_GT(fast_disk, 500);
  EXPECT_LE(fast_disk, 3000);
}

TEST_F(WriteBacklogTest, RowsCountUntilTheyAreWritten) {
  const int limit = rows_until_behind();
  backlog.begin_write(ago(milliseconds(0)));
  EXPECT_TRUE(backlog.far_behind_with_another_row()) << "none is written yet";
  backlog.end_write(0);
  EXPECT_EQ(rows_until_behind(), limit - 1) << "one came after the write had begun";
}

TEST_F(WriteBacklogTest, WaitsForAWriteThatBeginsAfterTheChange) {
  backlog.begin_write(ago(milliseconds(60)));
  wait();
  EXPECT_EQ(asked_to_write, 1);
  backlog.end_write(1);
  backlog.begin_write(ago(milliseconds(0)));
  io.run_one();
  EXPECT_FALSE(released);
  backlog.end_write(1);
  io.run();
  EXPECT_TRUE(released);
}

TEST_F(WriteBacklogTest, AFailureReleasesWhoeverWaits) {
  backlog.begin_write(ago(milliseconds(60)));
  wait();
  EXPECT_FALSE(released);
  backlog.fail_write();
  io.run();
  EXPECT_TRUE(released);
}

}  // namespace
}  // namespace turnout::store
