#include "store/file/journal_writer.h"

#include <algorithm>
#include <span>
#include <utility>

#include "store/file/arm_codec.h"

namespace turnout::store {
namespace {

/// Rows of dropped buckets deleted at once, which takes a few milliseconds.
constexpr std::int64_t kRowsDeletedAtOnce = 1000;

constexpr int kRowBits = 32;

std::int64_t stored(std::uint64_t number) { return static_cast<std::int64_t>(number); }

SqliteValue stored(const std::optional<DurationMs>& duration) {
  return duration ? SqliteValue(*duration) : SqliteValue(std::monostate{});
}

}  // namespace

Result<Done> JournalWriter::write(const std::vector<NamedChanges>& batch) {
  SqliteTransaction transaction(database_);
  for (const auto& [channel, changes] : batch) write_channel(transaction, channel, changes);
  auto done = transaction.commit();
  // Rows that were undone must not be taken for written.
  if (!done) buckets_.clear();
  return done;
}

void JournalWriter::write_channel(SqliteTransaction& transaction, std::string_view channel,
                                  const ChannelChanges& changes) {
  if (changes.removed) remove_channel(transaction, channel);
  for (const std::string& provider : changes.removed_providers) {
    transaction.run("DELETE FROM arms WHERE channel = ? AND provider = ?", {channel, provider});
    transaction.run("DELETE FROM history WHERE channel = ? AND provider = ?", {channel, provider});
  }
  for (const ProviderChanges& provider : changes.providers) write_provider(transaction, channel, provider);
  write_fingerprints(transaction, channel, FingerprintKind::final_attempts, changes.final_attempts);
  write_pending(transaction, channel, changes.pending);
  for (const NumberedProvider& provider : changes.choices.new_providers) {
    transaction.run("REPLACE INTO choice_providers VALUES (?, ?, ?)",
                    {channel, stored(provider.number), provider.provider});
  }
  write_fingerprints(transaction, channel, FingerprintKind::choices, changes.choices.fingerprints);
  if (changes.overrides) {
    transaction.run("DELETE FROM overrides WHERE channel = ?", {channel});
    for (const auto& [name, text] : *changes.overrides) {
      transaction.run("INSERT INTO overrides VALUES (?, ?, ?)", {channel, name, text});
    }
  }
  write_audit(transaction, channel, changes.new_audit);
}

void JournalWriter::remove_channel(SqliteTransaction& transaction, std::string_view channel) {
  transaction.run("DELETE FROM arms WHERE channel = ?", {channel});
  transaction.run("DELETE FROM history WHERE channel = ?", {channel});
  transaction.run("DELETE FROM pending WHERE channel = ?", {channel});
  transaction.run("DELETE FROM choice_providers WHERE channel = ?", {channel});
  transaction.run("DELETE FROM overrides WHERE channel = ?", {channel});
  transaction.run("DELETE FROM audit WHERE channel = ?", {channel});
  transaction.run("UPDATE buckets SET channel = NULL WHERE channel = ?", {channel});
  std::erase_if(buckets_, [&](const auto& entry) { return std::get<std::string>(entry.first) == channel; });
  dropped_ = true;
}

void JournalWriter::write_provider(SqliteTransaction& transaction, std::string_view channel,
                                   const ProviderChanges& changes) {
  if (changes.arm) {
    const std::vector<std::byte> arm = encode_arm(*changes.arm);
    transaction.run("REPLACE INTO arms VALUES (?, ?, ?)", {channel, changes.provider, std::span<const std::byte>(arm)});
  }
  for (const HistoryPoint& point : changes.new_points) {
    transaction.run("REPLACE INTO history VALUES (?, ?, ?, ?)", {channel, changes.provider, point.at_ms, point.weight});
  }
  if (!changes.new_points.empty()) {
    transaction.run("DELETE FROM history WHERE channel = ? AND provider = ? AND at_ms < ?",
                    {channel, changes.provider, changes.oldest_point_ms.value_or(0)});
  }
}

void JournalWriter::write_pending(SqliteTransaction& transaction, std::string_view channel,
                                  const PendingChanges& changes) {
  // In the order of the table, so that neighbours share a page that is looked up, changed and logged once.
  std::vector<std::pair<std::int64_t, const std::optional<PendingTransaction>*>> sorted;
  sorted.reserve(changes.size());
  for (const auto& [fingerprint, change] : changes) sorted.emplace_back(stored(fingerprint), &change);
  std::ranges::sort(sorted);
  for (const auto& [fingerprint, change] : sorted) {
    const std::optional<PendingTransaction>& added = *change;
    if (!added) {
      transaction.run("DELETE FROM pending WHERE channel = ? AND fingerprint = ?", {channel, fingerprint});
      continue;
    }
    const auto& decision = added->decision_id;
    transaction.run("REPLACE INTO pending VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    {channel, fingerprint, added->transaction_id, added->provider,
                     decision ? SqliteValue(stored(decision->high)) : SqliteValue(std::monostate{}),
                     decision ? SqliteValue(stored(decision->low)) : SqliteValue(std::monostate{}),
                     added->reported_at_ms, added->deadline_ms, stored(added->latency_ms), added->merchant_id,
                     added->customer_id, added->payment_method, added->payment_method_type});
  }
}

void JournalWriter::write_fingerprints(SqliteTransaction& transaction, std::string_view channel, FingerprintKind kind,
                                       const FingerprintChanges& changes) {
  for (const std::uint64_t number : changes.dropped) {
    transaction.run("UPDATE buckets SET channel = NULL WHERE channel = ? AND kind = ? AND number = ?",
                    {channel, static_cast<std::int64_t>(kind), stored(number)});
    buckets_.erase({std::string(channel), kind, number});
    dropped_ = true;
  }
  for (const BucketWords& added : changes.added) {
    Bucket& target = bucket(transaction, channel, kind, added);
    transaction.run("INSERT INTO fingerprints VALUES (?, ?)",
                    {(target.id << kRowBits) | target.next_row, std::as_bytes(std::span(added.words))});
    target.next_row += 1;
  }
}

JournalWriter::Bucket& JournalWriter::bucket(SqliteTransaction& transaction, std::string_view channel,
                                             FingerprintKind kind, const BucketWords& words) {
  const auto [entry, is_new] = buckets_.try_emplace({std::string(channel), kind, words.bucket});
  Bucket& bucket = entry->second;
  if (!is_new) return bucket;
  const auto kind_number = static_cast<std::int64_t>(kind);
  transaction.run("INSERT OR IGNORE INTO buckets (channel, kind, number, end_ms) VALUES (?, ?, ?, ?)",
                  {channel, kind_number, stored(words.bucket), words.end_ms});
  const auto id = transaction.integer("SELECT id FROM buckets WHERE channel = ? AND kind = ? AND number = ?",
                                      {channel, kind_number, stored(words.bucket)});
  bucket.id = id.value_or(0);
  const auto last_row = transaction.integer("SELECT max(id) FROM fingerprints WHERE id BETWEEN ? AND ?",
                                            {bucket.id << kRowBits, ((bucket.id + 1) << kRowBits) - 1});
  bucket.next_row = last_row ? *last_row - (bucket.id << kRowBits) + 1 : 0;
  return bucket;
}

void JournalWriter::write_audit(SqliteTransaction& transaction, std::string_view channel,
                                const std::vector<AuditEntry>& entries) {
  for (const AuditEntry& entry : entries) {
    transaction.run("INSERT INTO audit VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)",
                    {channel, entry.at_ms, entry.action, entry.provider, entry.author, entry.reason, entry.detail});
  }
  if (entries.empty()) return;
  const auto newest_too_many =
      transaction.integer("SELECT id FROM audit WHERE channel = ? ORDER BY id DESC LIMIT 1 OFFSET ?",
                          {channel, static_cast<std::int64_t>(SettingsStore::kAuditLimit)});
  if (newest_too_many) transaction.run("DELETE FROM audit WHERE channel = ? AND id <= ?", {channel, *newest_too_many});
}

Result<bool> JournalWriter::delete_some_dropped() {
  if (!dropped_) return false;
  SqliteTransaction transaction(database_);
  const auto id = transaction.integer("SELECT min(id) FROM buckets WHERE channel IS NULL");
  if (id) {
    transaction.run(
        "DELETE FROM fingerprints WHERE id IN (SELECT id FROM fingerprints WHERE id BETWEEN ? AND ? LIMIT ?)",
        {*id << kRowBits, ((*id + 1) << kRowBits) - 1, kRowsDeletedAtOnce});
    const auto deleted = transaction.integer("SELECT changes()");
    if (deleted.value_or(0) < kRowsDeletedAtOnce) transaction.run("DELETE FROM buckets WHERE id = ?", {*id});
  }
  if (auto done = transaction.commit(); !done) return done.error();
  dropped_ = id.has_value();
  return dropped_;
}

}  // namespace turnout::store
