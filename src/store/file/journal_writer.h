#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "store/file/schema.h"
#include "store/file/sqlite_database.h"
#include "store/memory/channel_changes.h"

namespace turnout::store {

/// The changes of one channel.
struct NamedChanges {
  std::string channel;
  ChannelChanges changes;
};

/// Writes changes into the tables of store/file/schema.h. Not thread-safe.
class JournalWriter {
 public:
  /// `database`, which outlives the writer, has the schema.
  explicit JournalWriter(SqliteDatabase& database) : database_(database) {}

  /// Writes all changes in one transaction, or nothing of them.
  Result<Done> write(const std::vector<NamedChanges>& batch);

  /// Deletes a part of what dropped buckets left behind: little enough not to delay the next write. True while there is
  /// more.
  Result<bool> delete_some_dropped();

 private:
  struct Bucket {
    std::int64_t id = 0;
    std::int64_t next_row = 0;
  };
  using BucketName = std::tuple<std::string, FingerprintKind, std::uint64_t>;

  void write_channel(SqliteTransaction& transaction, std::string_view channel, const ChannelChanges& changes);
  void remove_channel(SqliteTransaction& transaction, std::string_view channel);
  void write_provider(SqliteTransaction& transaction, std::string_view channel, const ProviderChanges& changes);
  void write_pending(SqliteTransaction& transaction, std::string_view channel, const PendingChanges& changes);
  void write_fingerprints(SqliteTransaction& transaction, std::string_view channel, FingerprintKind kind,
                          const FingerprintChanges& changes);
  Bucket& bucket(SqliteTransaction& transaction, std::string_view channel, FingerprintKind kind,
                 const BucketWords& words);
  void write_audit(SqliteTransaction& transaction, std::string_view channel, const std::vector<AuditEntry>& entries);

  SqliteDatabase& database_;
  std::map<BucketName, Bucket> buckets_;  ///< those that were written to
  bool dropped_ = true;  ///< whether there may be dropped buckets; an earlier process may have left some
};

}  // namespace turnout::store
