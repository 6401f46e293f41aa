#include "store/file/file_store.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "store/contract.h"
#include "store/file/sqlite_database.h"
#include "support/temporary_directory.h"

namespace turnout::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class FileStoreTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return directory.path() / "turnout.db"; }

  [[nodiscard]] Error error_of_open() const { return error_of_open(directory.path()); }
  [[nodiscard]] static Error error_of_open(const std::filesystem::path& path) {
    const auto store = FileStore::open(path);
    return store ? Error{Error::Code::invalid, "no error"} : store.error();
  }

  void execute(const std::string& sql) { ASSERT_TRUE(SqliteDatabase::open(file()).value().execute(sql).ok()); }

  TemporaryDirectory directory;
};

TEST_F(FileStoreTest, MakesADirectoryThatIsMissing) {
  const auto missing = directory.path() / "a" / "b";
  ASSERT_TRUE(FileStore::open(missing).ok());
  EXPECT_TRUE(std::filesystem::exists(missing / "turnout.db"));
}

TEST_F(FileStoreTest, CallsItselfAFile) {
  const auto store = FileStore::open(directory.path()).value();
  EXPECT_EQ(store->status().kind, "file");
  EXPECT_TRUE(store->status().available);
}

TEST_F(FileStoreTest, OneProcessAtATime) {
  auto store = FileStore::open(directory.path());
  ASSERT_TRUE(store.ok());
  const Error error = error_of_open();
  EXPECT_EQ(error.code, Error::Code::unavailable);
  EXPECT_THAT(error.message, AllOf(HasSubstr(directory.path().string()), HasSubstr("in use by another process")));
  store->reset();
  EXPECT_TRUE(FileStore::open(directory.path()).ok());
}

TEST_F(FileStoreTest, RefusesAPathThatIsNoDirectory) {
  const auto path = directory.path() / "file";
  std::ofstream(path) << "text";
  EXPECT_EQ(error_of_open(path).code, Error::Code::unavailable);
  EXPECT_EQ(error_of_open(path / "below").code, Error::Code::unavailable);
  EXPECT_THAT(error_of_open(path).message, HasSubstr(path.string()));
}

TEST_F(FileStoreTest, RefusesADirectoryThatIsNotWritable) {
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0555));
  // The superuser may write everywhere, so it has to be somebody else for a moment.
  const uid_t user = ::geteuid();
  ASSERT_EQ(user != 0 || ::seteuid(65534) == 0, true);
  const Error error = error_of_open();
  const Error below = error_of_open(directory.path() / "below");
  ASSERT_EQ(::seteuid(user), 0);
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
  EXPECT_EQ(error.code, Error::Code::unavailable);
  EXPECT_THAT(error.message, AllOf(HasSubstr(file().string()), HasSubstr("Permission denied")));
  EXPECT_THAT(below.message, HasSubstr("Permission denied"));
}

TEST_F(FileStoreTest, RefusesAFileThatIsNotWritable) {
  ASSERT_TRUE(FileStore::open(directory.path()).ok());
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(file(), std::filesystem::perms(0444));
  const uid_t user = ::geteuid();
  ASSERT_EQ(user != 0 || ::seteuid(65534) == 0, true);
  const Error error = error_of_open();
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_EQ(error.code, Error::Code::unavailable);
  EXPECT_THAT(error.message, AllOf(HasSubstr(file().string()), HasSubstr("not writable")));
}

TEST_F(FileStoreTest, RefusesADirectoryInPlaceOfTheFile) {
  std::filesystem::create_directory(file());
  const Error error = error_of_open();
  EXPECT_EQ(error.code, Error::Code::unavailable);
  EXPECT_THAT(error.message, AllOf(HasSubstr(file().string()), HasSubstr("it is a folder")));
}

TEST_F(FileStoreTest, RefusesAFileThatIsNoDatabase) {
  std::ofstream(file()) << std::string(5000, 'x');
  const Error error = error_of_open();
  EXPECT_EQ(error.code, Error::Code::corrupt);
  EXPECT_THAT(error.message, AllOf(HasSubstr(file().string()), HasSubstr("not a database")));
}

TEST_F(FileStoreTest, RefusesTheDatabaseOfAnotherProgram) {
  execute("CREATE TABLE recipes (name TEXT)");
  const Error error = error_of_open();
  EXPECT_EQ(error.code, Error::Code::invalid);
  EXPECT_THAT(error.message, HasSubstr("another program"));
}

TEST_F(FileStoreTest, RefusesTheFileOfANewerVersion) {
  ASSERT_TRUE(FileStore::open(directory.path()).ok());
  execute("PRAGMA user_version = 99");
  const Error error = error_of_open();
  EXPECT_EQ(error.code, Error::Code::invalid);
  EXPECT_THAT(error.message, AllOf(HasSubstr(file().string()), HasSubstr("newer version"), HasSubstr("99")));
}

TEST_F(FileStoreTest, NamesADamagedRow) {
  ASSERT_TRUE(FileStore::open(directory.path()).ok());
  execute("INSERT INTO arms VALUES ('payments', 'stripe', x'0102')");
  const Error error = error_of_open();
  EXPECT_EQ(error.code, Error::Code::corrupt);
  EXPECT_THAT(error.message, AllOf(HasSubstr("provider stripe of channel payments"), HasSubstr("damaged")));
  execute(
      "DELETE FROM arms; INSERT INTO buckets VALUES (1, 'payments', 0, 1, 1);"
      "INSERT INTO fingerprints VALUES (1 << 32, x'0102')");
  EXPECT_EQ(error_of_open().code, Error::Code::corrupt);
}

TEST_F(FileStoreTest, RefusesADamagedFile) {
  {
    const auto store = FileStore::open(directory.path()).value();
    StoreUser user(store->stores());
    for (int i = 0; i < 200; ++i) user.begin_pending("stripe", std::to_string(i), kStart);
  }
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(file()));
  std::fstream damage(file(), std::ios::in | std::ios::out | std::ios::binary);
  for (std::streamoff page = 4096; page < size; page += 4096) damage.seekp(page) << std::string(512, '\x5a');
  damage.close();
  EXPECT_EQ(error_of_open().code, Error::Code::corrupt);
}

/// While it exists no file can be written to, as on a full disk.
class NoFileWrites {
 public:
  NoFileWrites() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  ~NoFileWrites() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  NoFileWrites(const NoFileWrites&) = delete;
  NoFileWrites& operator=(const NoFileWrites&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(FileStoreTest, GoesOnWhileNothingCanBeWrittenAndCatchesUp) {
  auto store = FileStore::open(directory.path()).value();
  StoreUser user(store->stores());
  user.report("stripe", "before", true, kStart);
  ASSERT_TRUE(store->flush().ok());
  bool all_recorded = true;
  std::vector<bool> written;
  StoreStatus status;
  {
    // Nothing may be printed in here, since standard output may be a file.
    const NoFileWrites disk_is_full;
    for (int i = 0; i < 10; ++i) {
      const std::string id = std::to_string(i);
      all_recorded &= user.report("stripe", id, true, kStart).verdict == Verdict::recorded;
      all_recorded &= user.begin_pending("stripe", "pending-" + id, kStart).verdict == Verdict::recorded;
      all_recorded &= user.report("stripe", id, true, kStart).verdict == Verdict::duplicate;
      user.publish({{"stripe", 0.5}}, kStart + i);
      written.push_back(store->flush().ok());
    }
    status = user.status();
  }
  EXPECT_TRUE(all_recorded);
  EXPECT_THAT(written, ::testing::Each(false));
  EXPECT_FALSE(status.available);
  EXPECT_THAT(status.problem, HasSubstr(file().string()));
  EXPECT_GE(status.failed_writes, 10U);

  EXPECT_TRUE(store->flush().ok());
  EXPECT_TRUE(user.status().available);
  EXPECT_EQ(user.status().problem, "");
  EXPECT_GE(user.status().failed_writes, 10U);
  store.reset();
  store = FileStore::open(directory.path()).value();
  StoreUser again(store->stores());
  EXPECT_EQ(again.arm("stripe").sums.total, 11);
  EXPECT_EQ(again.status().remembered, 11U);
  EXPECT_EQ(again.pending_count(), 10U);
  EXPECT_EQ(again.history("stripe").size(), 10U);
}

TEST_F(FileStoreTest, RefusesToStartOnAFullDisk) {
  Error error;
  {
    const NoFileWrites disk_is_full;
    error = error_of_open();
  }
  EXPECT_EQ(error.code, Error::Code::unavailable);
  EXPECT_THAT(error.message, HasSubstr(file().string()));
  EXPECT_TRUE(FileStore::open(directory.path()).ok());
}

TEST_F(FileStoreTest, ForgottenAttemptsLeaveTheFile) {
  const auto rows = [this](const char* table) {
    return SqliteDatabase::open(file()).value().integer("SELECT count(*) FROM " + std::string(table)).value();
  };
  const auto store = FileStore::open(directory.path()).value();
  StoreUser user(store->stores());
  for (int i = 0; i < 1500; ++i) {
    user.report("stripe", std::to_string(i), true, kStart);
    ASSERT_TRUE(store->flush().ok());
  }
  EXPECT_EQ(rows("fingerprints"), 1500);
  user.report("stripe", "later", true, kStart + 3 * kDay);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(store->flush().ok());
  EXPECT_EQ(rows("fingerprints"), 1);
  EXPECT_EQ(rows("buckets"), 1);
}

TEST_F(FileStoreTest, FlushesFromSeveralThreadsWhileOthersReport) {
  auto store = FileStore::open(directory.path()).value();
  std::vector<std::thread> threads;
  constexpr int kThreads = 3;
  constexpr int kReports = 500;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&store, thread] {
      StoreUser user(store->stores(), "channel-" + std::to_string(thread % 2));
      for (int i = 0; i < kReports; ++i) {
        user.report("stripe", std::to_string(thread) + "/" + std::to_string(i), true, kStart + i);
        if (i % 50 == 0) {
          EXPECT_TRUE(store->flush().ok());
        }
        (void)user.status();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  store.reset();
  store = FileStore::open(directory.path()).value();
  EXPECT_EQ(store->status().remembered, static_cast<std::uint64_t>(kThreads * kReports));
}

}  // namespace
}  // namespace turnout::store
