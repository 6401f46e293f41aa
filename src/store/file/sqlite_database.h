#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace turnout::store {

/// A parameter of a statement; std::monostate is NULL. Views must outlive the call they are passed to.
using SqliteValue = std::variant<std::monostate, std::int64_t, double, std::string_view, std::span<const std::byte>>;

/// The present row of a query, valid until its callback returns. Columns count from 0.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}

  [[nodiscard]] bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
  [[nodiscard]] double real(int column) const { return sqlite3_column_double(statement_, column); }
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::span<const std::byte> blob(int column) const;

 private:
  sqlite3_stmt* statement_;
};

/// One connection to a SQLite file. Statements are prepared once and kept by their text. Not thread-safe.
/// Errors: `corrupt` when the file is damaged or is none of SQLite's, otherwise `unavailable`; the message says what
/// SQLite says.
class SqliteDatabase {
 public:
  using OnRow = std::function<Result<Done>(const SqliteRow&)>;

  /// Opens the file for reading and writing; makes it when missing.
  static Result<SqliteDatabase> open(const std::filesystem::path& file);

  /// Runs any number of statements without parameters or results.
  Result<Done> execute(const std::string& sql);

  /// Runs one statement and ignores its rows.
  Result<Done> run(std::string_view sql, std::initializer_list<SqliteValue> values = {});

  /// Runs one query and hands over each row; an error of `on_row` ends it and is returned.
  Result<Done> for_each(std::string_view sql, std::initializer_list<SqliteValue> values, const OnRow& on_row);

  /// The first column of the first row of a query; nothing without a row or when it is NULL.
  Result<std::optional<std::int64_t>> integer(std::string_view sql, std::initializer_list<SqliteValue> values = {});

  /// The key of the row inserted last.
  [[nodiscard]] std::int64_t last_insert_id() const { return sqlite3_last_insert_rowid(connection_.get()); }

  /// Whether a transaction is open.
  [[nodiscard]] bool in_transaction() const { return sqlite3_get_autocommit(connection_.get()) == 0; }

  [[nodiscard]] bool read_only() const { return sqlite3_db_readonly(connection_.get(), "main") == 1; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };

  explicit SqliteDatabase(sqlite3* connection) : connection_(connection) {}

  Result<sqlite3_stmt*> prepared(std::string_view sql);
  [[nodiscard]] Error last_error() const;

  std::unique_ptr<sqlite3, Close> connection_;
  std::map<std::string, std::unique_ptr<sqlite3_stmt, Finalize>, std::less<>> statements_;
};

/// A transaction that is undone unless it is committed. The first statement that fails is remembered and the rest is
/// left out, so that a sequence of statements needs one check, at the end.
class SqliteTransaction {
 public:
  /// `database` outlives the transaction.
  explicit SqliteTransaction(SqliteDatabase& database);
  ~SqliteTransaction();
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;

  void run(std::string_view sql, std::initializer_list<SqliteValue> values = {});

  /// As SqliteDatabase::integer; nothing after a failure.
  std::optional<std::int64_t> integer(std::string_view sql, std::initializer_list<SqliteValue> values = {});

  /// Makes everything permanent, or returns the first error.
  Result<Done> commit();

 private:
  SqliteDatabase& database_;
  std::optional<Error> error_;
};

}  // namespace turnout::store
