#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "store/file/directory_lock.h"
#include "store/file/journal_writer.h"
#include "store/file/paced_store.h"
#include "store/file/sqlite_database.h"
#include "store/file/write_backlog.h"
#include "store/memory/memory_store.h"
#include "store/stores.h"

namespace turnout::store {

/// The embedded store with a memory that outlives the process: a MemoryStore whose changes a thread of its own writes
/// to the SQLite file `turnout.db` of a directory. Operations are those of the MemoryStore and do not wait for the
/// disk, unless the thread falls behind: see WriteBacklog.
///
/// Changes are written at most 100 ms after they were answered, those of one channel always of one instant: after
/// kill -9 at most the last 100 ms are missing, and no attempt is counted but not remembered or the reverse. When
/// writing fails, operations go on, status() says so, changes are kept in memory and written as soon as that works
/// again. Operations go on in the same way while a single write takes longer than a second. Thread-safe.
class FileStore final : public StatusSource {
 public:
  /// Opens the store of `directory`, which is made when missing, and reads what it holds. Errors name the file and what
  /// is the matter: not writable, in use by another process, not of this program or of a newer version of it
  /// (`invalid`), damaged (`corrupt`).
  static Result<std::unique_ptr<FileStore>> open(const std::filesystem::path& directory);

  /// Writes what is left.
  ~FileStore() override;
  FileStore(const FileStore&) = delete;
  FileStore& operator=(const FileStore&) = delete;

  [[nodiscard]] Stores stores() { return {ports_, ports_, ports_, *this}; }

  /// Writes all changes made so far before it returns. Waits for the disk: not for io threads.
  Result<Done> flush();

  [[nodiscard]] StoreStatus status() const override;

 private:
  FileStore(std::filesystem::path file, DirectoryLock lock, SqliteDatabase database);

  void notice_change();
  void write_soon();
  void write_until_stopped();
  /// Needs writing_. True while there is more to be deleted.
  Result<bool> write_changes();
  /// Needs writing_.
  Result<Done> write_collected();
  void collect_changes();
  [[nodiscard]] std::size_t collected_rows() const;
  void note_outcome(const Result<bool>& outcome, std::chrono::steady_clock::duration took);

  const std::filesystem::path file_;
  DirectoryLock lock_;
  MemoryStore memory_;
  WriteBacklog backlog_;
  PacedStore ports_;

  std::mutex writing_;  ///< guards the next three; held while writing
  SqliteDatabase database_;
  JournalWriter writer_;
  std::vector<NamedChanges> collected_;  ///< taken from the channels and not written yet

  mutable std::mutex waking_;  ///< guards the next four
  bool changed_ = false;
  bool soon_ = false;                                                   ///< write without gathering
  std::optional<std::chrono::steady_clock::time_point> oldest_change_;  ///< of those not collected yet
  bool stopping_ = false;
  std::condition_variable wake_;

  mutable std::mutex reporting_;  ///< guards the next four
  std::string problem_;           ///< empty: the last write succeeded
  std::uint64_t failed_writes_ = 0;
  std::uint64_t last_write_microseconds_ = 0;
  std::chrono::steady_clock::time_point logged_at_;

  std::thread thread_;
};

}  // namespace turnout::store
