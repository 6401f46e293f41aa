#include "store/file/sqlite_database.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace turnout::store {
namespace {

/// Binds one parameter; what it views must outlive the statement's run.
struct Bind {
  sqlite3_stmt* statement;
  int index;

  int operator()(std::monostate) const { return sqlite3_bind_null(statement, index); }
  int operator()(std::int64_t value) const { return sqlite3_bind_int64(statement, index, value); }
  int operator()(double value) const { return sqlite3_bind_double(statement, index, value); }
  int operator()(std::string_view text) const {
    // A null pointer would be bound as NULL.
    const char* data = text.data() != nullptr ? text.data() : "";
    return sqlite3_bind_text64(statement, index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  int operator()(std::span<const std::byte> bytes) const {
    return bytes.empty() ? sqlite3_bind_zeroblob(statement, index, 0)
                         : sqlite3_bind_blob64(statement, index, bytes.data(), bytes.size(), SQLITE_STATIC);
  }
};

/// Makes the statement ready for its next run, whatever became of this one.
class ResetLater {
 public:
  explicit ResetLater(sqlite3_stmt* statement) : statement_(statement) {}
  ~ResetLater() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  ResetLater(const ResetLater&) = delete;
  ResetLater& operator=(const ResetLater&) = delete;

 private:
  sqlite3_stmt* statement_;
};

Error error_of(int code, std::string message) {
  const int primary = code & 0xff;
  const bool damaged = primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB;
  return {damaged ? Error::Code::corrupt : Error::Code::unavailable, std::move(message)};
}

/// SQLite tries in several ways to open a file and keeps the reason of the last one, which says nothing about the
/// first.
std::string why_not_open(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return " (it is a folder)";
  const auto needed = std::filesystem::exists(file, ignored) ? file : file.parent_path();
  if (::faccessat(AT_FDCWD, needed.c_str(), R_OK | W_OK, AT_EACCESS) == 0) return {};
  return " (" + std::generic_category().message(errno) + ")";
}

}  // namespace

std::optional<std::int64_t> SqliteRow::optional_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

std::string SqliteRow::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::span<const std::byte> SqliteRow::blob(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Result<SqliteDatabase> SqliteDatabase::open(const std::filesystem::path& file) {
  sqlite3* connection = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(file.c_str(), &connection, kFlags, nullptr);
  SqliteDatabase database(connection);
  if (code == SQLITE_OK) return database;
  if (connection == nullptr) return error_of(code, sqlite3_errstr(code));
  Error error = database.last_error();
  if ((code & 0xff) == SQLITE_CANTOPEN) error.message += why_not_open(file);
  return error;
}

Error SqliteDatabase::last_error() const {
  return error_of(sqlite3_errcode(connection_.get()), sqlite3_errmsg(connection_.get()));
}

Result<Done> SqliteDatabase::execute(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return last_error();
  return Done{};
}

Result<sqlite3_stmt*> SqliteDatabase::prepared(std::string_view sql) {
  const auto known = statements_.find(sql);
  if (known != statements_.end()) return known->second.get();
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return last_error();
  statements_.emplace(sql, statement);
  return statement;
}

Result<Done> SqliteDatabase::run(std::string_view sql, std::initializer_list<SqliteValue> values) {
  return for_each(sql, values, [](const SqliteRow&) { return Done{}; });
}

Result<Done> SqliteDatabase::for_each(std::string_view sql, std::initializer_list<SqliteValue> values,
                                      const OnRow& on_row) {
  const Result<sqlite3_stmt*> statement = prepared(sql);
  if (!statement) return statement.error();
  const ResetLater reset(*statement);
  int index = 0;
  for (const SqliteValue& value : values) {
    if (std::visit(Bind{*statement, ++index}, value) != SQLITE_OK) return last_error();
  }
  for (;;) {
    const int code = sqlite3_step(*statement);
    if (code == SQLITE_DONE) return Done{};
    if (code != SQLITE_ROW) return last_error();
    if (auto handled = on_row(SqliteRow(*statement)); !handled) return handled;
  }
}

Result<std::optional<std::int64_t>> SqliteDatabase::integer(std::string_view sql,
                                                            std::initializer_list<SqliteValue> values) {
  std::optional<std::int64_t> first;
  bool seen = false;
  const auto done = for_each(sql, values, [&](const SqliteRow& row) -> Result<Done> {
    if (!std::exchange(seen, true)) first = row.optional_integer(0);
    return Done{};
  });
  if (!done) return done.error();
  return first;
}

SqliteTransaction::SqliteTransaction(SqliteDatabase& database) : database_(database) { run("BEGIN IMMEDIATE"); }

SqliteTransaction::~SqliteTransaction() {
  // Some errors have undone it already.
  if (database_.in_transaction()) (void)database_.run("ROLLBACK");
}

void SqliteTransaction::run(std::string_view sql, std::initializer_list<SqliteValue> values) {
  if (error_) return;
  if (auto done = database_.run(sql, values); !done) error_ = done.error();
}

std::optional<std::int64_t> SqliteTransaction::integer(std::string_view sql,
                                                       std::initializer_list<SqliteValue> values) {
  if (error_) return std::nullopt;
  auto value = database_.integer(sql, values);
  if (value) return *value;
  error_ = value.error();
  return std::nullopt;
}

Result<Done> SqliteTransaction::commit() {
  run("COMMIT");
  if (error_) return *error_;
  return Done{};
}

}  // namespace turnout::store
