#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "config/listen_address.h"
#include "core/channel_settings.h"

namespace turnout::config {

/// What the bearer of a token may do.
enum class Scope : std::uint8_t { route, report, budgets, read, admin };

/// One entry of [[server.tokens]].
struct Token {
  std::string name;                   ///< who it belongs to, for logs and the audit list; an id, unique
  std::string sha256;                 ///< of the token, 64 lower-case hexadecimal digits
  std::vector<Scope> scopes;          ///< at least one, in the order of Scope, none twice
  std::vector<std::string> channels;  ///< the channels it is limited to; empty: all

  friend bool operator==(const Token&, const Token&) = default;
};

/// [server]
struct ServerSettings {
  ListenAddress listen;
  std::uint32_t threads = 0;      ///< 0: one per core
  std::vector<Token> tokens;      ///< empty: nobody needs one
  std::string tls_cert;           ///< PEM file with the certificate and its chain; empty: no TLS
  std::string tls_key;            ///< PEM file; given if and only if tls_cert is
  bool insecure_no_auth = false;  ///< the operator's word that an open address without tokens is meant
  std::uint32_t max_connections = 10'000;
  DurationMs idle_timeout_ms = kMinute;          ///< between two requests of a connection
  DurationMs request_timeout_ms = 10 * kSecond;  ///< from the first byte of a request to its last
  DurationMs write_timeout_ms = 30 * kSecond;    ///< for the client to take an answer

  friend bool operator==(const ServerSettings&, const ServerSettings&) = default;
};

enum class StoreKind : std::uint8_t { memory, file, redis };
enum class Selection : std::uint8_t { snapshot, script };

/// [store]. Redis and the script are words that are understood and refused: this version has no Redis store.
struct StoreSettings {
  StoreKind kind = StoreKind::memory;
  std::string path;  ///< folder of the file store; given if and only if kind is file
  std::string redis_url;
  Selection selection = Selection::snapshot;
  DurationMs max_staleness_ms = 100;  ///< oldest snapshot a decision reads; the embedded stores are never that late

  friend bool operator==(const StoreSettings&, const StoreSettings&) = default;
};

/// [decision_log]
struct DecisionLogSettings {
  std::string directory;  ///< empty: decisions are not written
  std::int64_t max_file_bytes = std::int64_t{256} << 20;
  std::uint32_t max_files = 8;  ///< full files kept beside the current one

  friend bool operator==(const DecisionLogSettings&, const DecisionLogSettings&) = default;
};

enum class LogLevel : std::uint8_t { trace, debug, info, warn, error };

/// [log]
struct LogSettings {
  LogLevel level = LogLevel::info;

  friend bool operator==(const LogSettings&, const LogSettings&) = default;
};

/// All that is configured, checked: a value that config::load returned without problems can be put in force as it is.
struct Settings {
  ServerSettings server;
  StoreSettings store;
  DecisionLogSettings decision_log;
  LogSettings log;
  std::map<std::string, core::ChannelSettings, std::less<>> channels;

  friend bool operator==(const Settings&, const Settings&) = default;
};

}  // namespace turnout::config
