#include "store/file/schema.h"

#include <string>

namespace turnout::store {
namespace {

constexpr std::int64_t kSchemaVersion = 1;

/// "trno": marks the file as ours.
constexpr std::int64_t kApplicationId = 0x74726e6f;

constexpr auto kTables = R"sql(
CREATE TABLE arms (channel TEXT NOT NULL, provider TEXT NOT NULL, arm BLOB NOT NULL,
  PRIMARY KEY (channel, provider)) WITHOUT ROWID;
CREATE TABLE history (channel TEXT NOT NULL, provider TEXT NOT NULL, at_ms INTEGER NOT NULL, weight REAL NOT NULL,
  PRIMARY KEY (channel, provider, at_ms)) WITHOUT ROWID;
CREATE TABLE pending (channel TEXT NOT NULL, fingerprint INTEGER NOT NULL, transaction_id TEXT NOT NULL,
  provider TEXT NOT NULL, decision_high INTEGER, decision_low INTEGER, reported_at_ms INTEGER NOT NULL,
  deadline_ms INTEGER NOT NULL, latency_ms INTEGER, merchant_id TEXT NOT NULL, customer_id TEXT NOT NULL,
  payment_method TEXT NOT NULL, payment_method_type TEXT NOT NULL, PRIMARY KEY (channel, fingerprint)) WITHOUT ROWID;
CREATE TABLE buckets (id INTEGER PRIMARY KEY, channel TEXT, kind INTEGER NOT NULL, number INTEGER NOT NULL,
  end_ms INTEGER NOT NULL, UNIQUE (channel, kind, number));
CREATE TABLE fingerprints (id INTEGER PRIMARY KEY, words BLOB NOT NULL);
CREATE TABLE choice_providers (channel TEXT NOT NULL, number INTEGER NOT NULL, provider TEXT NOT NULL,
  PRIMARY KEY (channel, number)) WITHOUT ROWID;
CREATE TABLE overrides (channel TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (channel, name)) WITHOUT ROWID;
CREATE TABLE audit (id INTEGER PRIMARY KEY, channel TEXT NOT NULL, at_ms INTEGER NOT NULL, action TEXT NOT NULL,
  provider TEXT NOT NULL, author TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL);
CREATE INDEX audit_of_channel ON audit (channel, id);
)sql";

Error refused(std::string message) { return {Error::Code::invalid, std::move(message)}; }

/// The version of the file's tables, 0 for an empty file.
Result<std::int64_t> version_of(SqliteDatabase& database) {
  const auto tables = database.integer("SELECT count(*) FROM sqlite_master");
  if (!tables) return tables.error();
  const auto application = database.integer("PRAGMA application_id");
  if (!application) return application.error();
  const auto version = database.integer("PRAGMA user_version");
  if (!version) return version.error();
  if (*tables == 0) return std::int64_t{0};
  if (*application != kApplicationId) return refused("it is a database of another program");
  if (*version > kSchemaVersion) {
    return refused("it was written by a newer version of turnout (schema " + std::to_string(version->value_or(0)) +
                   ", this version knows " + std::to_string(kSchemaVersion) + ")");
  }
  return version->value_or(0);
}

}  // namespace

Result<Done> prepare_schema(SqliteDatabase& database) {
  if (database.read_only()) return Error{Error::Code::unavailable, "it is not writable"};
  const auto version = version_of(database);
  if (!version) return version.error();
  // A process that dies loses nothing that is committed; only the machine's end can take the last moments.
  // Keys of pending transactions are spread over their whole table, so its pages should stay in the cache (16 MiB).
  constexpr auto kPragmas = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384;";
  if (auto done = database.execute(kPragmas); !done) return done;

  const bool empty = *version == 0;
  // The marks are written every time, so that a disk that takes no writes shows at the start.
  const std::string marks = "PRAGMA application_id = " + std::to_string(kApplicationId) +
                            "; PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";";
  auto done = database.execute("BEGIN IMMEDIATE;" + std::string(empty ? kTables : "") + marks + "COMMIT;");
  if (!done && database.in_transaction()) (void)database.run("ROLLBACK");
  return done;
}

}  // namespace turnout::store
