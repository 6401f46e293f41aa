#include "store/file/file_store.h"

#include <spdlog/spdlog.h>

#include <system_error>
#include <utility>

#include "store/file/journal_reader.h"
#include "store/file/schema.h"

namespace turnout::store {
namespace {

using std::chrono::steady_clock;

/// From the first change to the write that takes it along: together with the write itself well below the 100 ms
/// promised, and long enough that a busy server writes large batches.
constexpr auto kGatherFor = std::chrono::milliseconds(40);

/// Between attempts while writing fails.
constexpr auto kRetryAfter = std::chrono::milliseconds(500);

/// Between log lines about the same trouble.
constexpr auto kLogEvery = std::chrono::seconds(10);

/// The error as an operator needs it. SQLite calls a full disk an I/O error when it is not the database itself that
/// cannot grow.
Error with_file(const std::filesystem::path& file, const Error& error) {
  constexpr std::uintmax_t kHardlyAny = 65'536;
  std::error_code failure;
  const auto space = std::filesystem::space(file.parent_path(), failure);
  const bool full = !failure && space.available < kHardlyAny;
  return {error.code, file.string() + ": " + error.message + (full ? " (no space left on the disk)" : "")};
}

}  // namespace

Result<std::unique_ptr<FileStore>> FileStore::open(const std::filesystem::path& directory) {
  auto lock = DirectoryLock::acquire(directory);
  if (!lock) return lock.error();
  const std::filesystem::path file = directory / "turnout.db";
  auto database = SqliteDatabase::open(file);
  if (!database) return with_file(file, database.error());
  if (auto done = prepare_schema(*database); !done) return with_file(file, done.error());

  std::unique_ptr<FileStore> store(new FileStore(file, std::move(lock).value(), std::move(database).value()));
  if (auto done = read_journal(store->database_, store->memory_.channels()); !done)
    return with_file(file, done.error());
  store->thread_ = std::thread([self = store.get()] { self->write_until_stopped(); });
  return store;
}

FileStore::FileStore(std::filesystem::path file, DirectoryLock lock, SqliteDatabase database)
    : file_(std::move(file)),
      lock_(std::move(lock)),
      memory_([this] { notice_change(); }),
      backlog_([this] { write_soon(); }),
      ports_(memory_, backlog_),
      database_(std::move(database)),
      writer_(database_) {}

FileStore::~FileStore() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(waking_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  if (auto done = flush(); !done) spdlog::error("the last changes are lost: {}", done.error().message);
}

void FileStore::notice_change() {
  {
    const std::lock_guard lock(waking_);
    changed_ = true;
    if (!oldest_change_) oldest_change_ = steady_clock::now();
  }
  wake_.notify_one();
}

void FileStore::write_soon() {
  {
    const std::lock_guard lock(waking_);
    if (soon_) return;
    soon_ = true;
  }
  wake_.notify_one();
}

void FileStore::write_until_stopped() {
  std::unique_lock lock(waking_);
  while (!stopping_) {
    wake_.wait(lock, [this] { return changed_ || soon_ || stopping_; });
    wake_.wait_for(lock, kGatherFor, [this] { return soon_ || stopping_; });
    if (stopping_) return;
    changed_ = false;
    soon_ = false;
    lock.unlock();
    bool ok = false;
    bool more = false;
    {
      const std::lock_guard writing(writing_);
      const auto outcome = write_changes();
      ok = outcome.ok();
      more = ok && *outcome;
    }
    lock.lock();
    if (!ok) wake_.wait_for(lock, kRetryAfter, [this] { return stopping_; });
    if (!ok || more) changed_ = true;
  }
}

Result<Done> FileStore::flush() {
  const std::lock_guard lock(writing_);
  const auto outcome = write_changes();
  if (!outcome) return outcome.error();
  return Done{};
}

Result<bool> FileStore::write_changes() {
  const auto started = steady_clock::now();
  auto outcome = [this]() -> Result<bool> {
    // What failed last time goes first, and alone: until it is written, changes gather in the channels, where they need
    // least room.
    if (!collected_.empty()) {
      if (auto done = write_collected(); !done) return done.error();
    }
    collect_changes();
    const std::size_t rows = collected_rows();
    if (auto done = write_collected(); !done) return done.error();
    backlog_.end_write(rows);
    return writer_.delete_some_dropped();
  }();
  if (!outcome) backlog_.fail_write();
  note_outcome(outcome, steady_clock::now() - started);
  return outcome;
}

Result<Done> FileStore::write_collected() {
  if (collected_.empty()) return Done{};
  auto done = writer_.write(collected_);
  if (done) collected_.clear();
  return done;
}

void FileStore::collect_changes() {
  {
    const std::lock_guard lock(waking_);
    backlog_.begin_write(std::exchange(oldest_change_, std::nullopt).value_or(steady_clock::now()));
  }
  for (LockedChannel* channel : memory_.channels().all()) {
    const std::lock_guard lock(channel->mutex);
    if (channel->state.changed()) collected_.push_back({channel->name, channel->state.take_changes()});
  }
}

std::size_t FileStore::collected_rows() const {
  std::size_t rows = 0;
  for (const auto& [name, changes] : collected_) rows += changes.pending.size();
  return rows;
}

void FileStore::note_outcome(const Result<bool>& outcome, steady_clock::duration took) {
  const std::lock_guard lock(reporting_);
  last_write_microseconds_ =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
  if (outcome) {
    if (!problem_.empty()) spdlog::info("writing to {} works again", file_.string());
    problem_.clear();
    return;
  }
  failed_writes_ += 1;
  const std::string problem = with_file(file_, outcome.error()).message;
  const auto now = steady_clock::now();
  if (problem_.empty() || now - logged_at_ >= kLogEvery) {
    logged_at_ = now;
    spdlog::error("cannot write to {}; routing goes on, changes are kept in memory", problem);
  }
  problem_ = problem;
}

StoreStatus FileStore::status() const {
  StoreStatus status = memory_.status();
  status.kind = "file";
  const std::lock_guard lock(reporting_);
  status.available = problem_.empty();
  status.problem = problem_;
  status.failed_writes = failed_writes_;
  status.last_write_microseconds = last_write_microseconds_;
  return status;
}

}  // namespace turnout::store
