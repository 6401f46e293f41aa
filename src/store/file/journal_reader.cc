#include "store/file/journal_reader.h"

#include <cstring>
#include <string>
#include <utility>

#include "store/file/arm_codec.h"
#include "store/file/schema.h"

namespace turnout::store {
namespace {

Error damaged(std::string what) { return {Error::Code::corrupt, what.append(" is damaged")}; }

Result<Done> read_arms(SqliteDatabase& database, ChannelTable& channels) {
  return database.for_each("SELECT channel, provider, arm FROM arms", {}, [&](const SqliteRow& row) -> Result<Done> {
    const auto arm = decode_arm(row.blob(2));
    if (!arm) return damaged("the arm of provider " + row.text(1) + " of channel " + row.text(0));
    channels.get(row.text(0)).state.restore_arm(row.text(1), *arm);
    return Done{};
  });
}

Result<Done> read_history(SqliteDatabase& database, ChannelTable& channels) {
  return database.for_each("SELECT channel, provider, at_ms, weight FROM history ORDER BY channel, provider, at_ms", {},
                           [&](const SqliteRow& row) -> Result<Done> {
                             const HistoryPoint point{row.integer(2), row.real(3)};
                             channels.get(row.text(0)).state.restore_point(row.text(1), point);
                             return Done{};
                           });
}

Result<Done> read_pending(SqliteDatabase& database, ChannelTable& channels) {
  constexpr auto kQuery =
      "SELECT channel, fingerprint, transaction_id, provider, decision_high, decision_low, reported_at_ms, "
      "deadline_ms, "
      "latency_ms, merchant_id, customer_id, payment_method, payment_method_type FROM pending";
  return database.for_each(kQuery, {}, [&](const SqliteRow& row) -> Result<Done> {
    PendingTransaction pending;
    pending.transaction_id = row.text(2);
    pending.provider = row.text(3);
    if (!row.is_null(4)) {
      pending.decision_id =
          Uuid{static_cast<std::uint64_t>(row.integer(4)), static_cast<std::uint64_t>(row.integer(5))};
    }
    pending.reported_at_ms = row.integer(6);
    pending.deadline_ms = row.integer(7);
    pending.latency_ms = row.optional_integer(8);
    pending.merchant_id = row.text(9);
    pending.customer_id = row.text(10);
    pending.payment_method = row.text(11);
    pending.payment_method_type = row.text(12);
    const auto fingerprint = static_cast<std::uint64_t>(row.integer(1));
    channels.get(row.text(0)).state.restore_pending(fingerprint, std::move(pending));
    return Done{};
  });
}

/// The words of one row, put into `words`, whose memory is used again.
Result<Done> read_words(const SqliteRow& row, std::vector<std::uint64_t>& words) {
  const auto bytes = row.blob(0);
  if (bytes.size() % sizeof(std::uint64_t) != 0) return damaged("a row of fingerprints");
  words.resize(bytes.size() / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return Done{};
}

Result<Done> read_buckets(SqliteDatabase& database, ChannelTable& channels) {
  constexpr auto kBuckets =
      "SELECT id, channel, kind, number, end_ms FROM buckets WHERE channel IS NOT NULL ORDER BY channel, kind, number";
  BucketWords words;
  return database.for_each(kBuckets, {}, [&](const SqliteRow& bucket) -> Result<Done> {
    ChannelState& state = channels.get(bucket.text(1)).state;
    const bool final_attempts = bucket.integer(2) == static_cast<std::int64_t>(FingerprintKind::final_attempts);
    words.bucket = static_cast<std::uint64_t>(bucket.integer(3));
    words.end_ms = bucket.integer(4);
    const std::int64_t first = bucket.integer(0) << 32;
    constexpr auto kWords = "SELECT words FROM fingerprints WHERE id BETWEEN ? AND ? ORDER BY id";
    return database.for_each(kWords, {first, first + 0xffff'ffff}, [&](const SqliteRow& row) -> Result<Done> {
      if (auto done = read_words(row, words.words); !done) return done;
      final_attempts ? state.restore_final_attempts(words) : state.restore_choices(words);
      return Done{};
    });
  });
}

Result<Done> read_choice_providers(SqliteDatabase& database, ChannelTable& channels) {
  return database.for_each("SELECT channel, number, provider FROM choice_providers", {},
                           [&](const SqliteRow& row) -> Result<Done> {
                             const NumberedProvider provider{static_cast<std::uint64_t>(row.integer(1)), row.text(2)};
                             channels.get(row.text(0)).state.restore_choice_provider(provider);
                             return Done{};
                           });
}

Result<Done> read_overrides(SqliteDatabase& database, ChannelTable& channels) {
  return database.for_each("SELECT channel, name, text FROM overrides", {}, [&](const SqliteRow& row) -> Result<Done> {
    channels.get(row.text(0)).state.restore_override(row.text(1), row.text(2));
    return Done{};
  });
}

Result<Done> read_audit(SqliteDatabase& database, ChannelTable& channels) {
  return database.for_each("SELECT channel, at_ms, action, provider, author, reason, detail FROM audit ORDER BY id", {},
                           [&](const SqliteRow& row) -> Result<Done> {
                             AuditEntry entry;
                             entry.at_ms = row.integer(1);
                             entry.action = row.text(2);
                             entry.provider = row.text(3);
                             entry.author = row.text(4);
                             entry.reason = row.text(5);
                             entry.detail = row.text(6);
                             channels.get(row.text(0)).state.restore_audit(std::move(entry));
                             return Done{};
                           });
}

}  // namespace

Result<Done> read_journal(SqliteDatabase& database, ChannelTable& channels) {
  for (const auto read :
       {read_arms, read_history, read_pending, read_choice_providers, read_buckets, read_overrides, read_audit}) {
    if (auto done = read(database, channels); !done) return done;
  }
  return Done{};
}

}  // namespace turnout::store
