#include "config/keys.h"

#include <array>

#include "base/text.h"

namespace turnout::config {
namespace {

using Value = core::FieldValue;
using Present = std::optional<core::FieldValue>;
using core::read_boolean;
using core::read_duration;
using core::read_integer;
using core::store;

constexpr DurationMs kShortest = 100;

/// Paths and URLs. A NUL would cut them off in the operating system's calls.
std::optional<std::string> read_line(const Value& value) {
  constexpr std::size_t kLongest = 4096;
  const auto* const text = std::get_if<std::string>(&value);
  if (text == nullptr || text->size() > kLongest || text->find('\0') != std::string::npos) return std::nullopt;
  return *text;
}

std::optional<ListenAddress> read_listen_address(const Value& value) {
  const auto* const text = std::get_if<std::string>(&value);
  return text == nullptr ? std::nullopt : parse_listen_address(*text);
}

/// The enumerator whose word `value` is; `words` are in the order of the enumerators.
template <class Enum, std::size_t count>
std::optional<Enum> read_word(const Value& value, const std::array<std::string_view, count>& words) {
  const auto* const text = std::get_if<std::string>(&value);
  if (text == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    if (words[i] == *text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

template <class Enum, std::size_t count>
Present word(Enum value, const std::array<std::string_view, count>& words) {
  return std::string(words[static_cast<std::size_t>(value)]);
}

Present duration(DurationMs value) { return format_duration(value); }
Present integer(std::int64_t value) { return value; }

constexpr std::array<std::string_view, 3> kStoreKinds = {"memory", "file", "redis"};
constexpr std::array<std::string_view, 2> kSelections = {"snapshot", "script"};
constexpr std::array<std::string_view, 5> kLogLevels = {"trace", "debug", "info", "warn", "error"};

constexpr Key kKeys[] = {
    {"server.listen", "an address and a port such as \"127.0.0.1:8080\" or \"[::1]:8080\"",
     [](Settings& s, const Value& v) { return store(s.server.listen, read_listen_address(v)); },
     [](const Settings& s) { return Present(format_listen_address(s.server.listen)); }},
    {"server.threads", "an integer from 0 to 1024",
     [](Settings& s, const Value& v) { return store(s.server.threads, read_integer(v, 0, 1024)); },
     [](const Settings& s) { return integer(s.server.threads); }},
    {"server.tls_cert", "the path of a PEM file",
     [](Settings& s, const Value& v) { return store(s.server.tls_cert, read_line(v)); },
     [](const Settings& s) { return Present(s.server.tls_cert); }},
    {"server.tls_key", "the path of a PEM file",
     [](Settings& s, const Value& v) { return store(s.server.tls_key, read_line(v)); },
     [](const Settings& s) { return Present(s.server.tls_key); }},
    {"server.insecure_no_auth", "true or false",
     [](Settings& s, const Value& v) { return store(s.server.insecure_no_auth, read_boolean(v)); },
     [](const Settings& s) { return Present(s.server.insecure_no_auth); }},
    {"server.max_connections", "an integer from 1 to 1000000",
     [](Settings& s, const Value& v) { return store(s.server.max_connections, read_integer(v, 1, 1'000'000)); },
     [](const Settings& s) { return integer(s.server.max_connections); }},
    {"server.idle_timeout", "a duration such as \"60s\", from 100ms to 1d",
     [](Settings& s, const Value& v) { return store(s.server.idle_timeout_ms, read_duration(v, kShortest, kDay)); },
     [](const Settings& s) { return duration(s.server.idle_timeout_ms); }},
    {"server.request_timeout", "a duration such as \"10s\", from 100ms to 1h",
     [](Settings& s, const Value& v) { return store(s.server.request_timeout_ms, read_duration(v, kShortest, kHour)); },
     [](const Settings& s) { return duration(s.server.request_timeout_ms); }},
    {"server.write_timeout", "a duration such as \"30s\", from 100ms to 1h",
     [](Settings& s, const Value& v) { return store(s.server.write_timeout_ms, read_duration(v, kShortest, kHour)); },
     [](const Settings& s) { return duration(s.server.write_timeout_ms); }},
    {"store.kind", "\"memory\" or \"file\"",
     [](Settings& s, const Value& v) { return store(s.store.kind, read_word<StoreKind>(v, kStoreKinds)); },
     [](const Settings& s) { return word(s.store.kind, kStoreKinds); }},
    {"store.path", "the path of a folder",
     [](Settings& s, const Value& v) { return store(s.store.path, read_line(v)); },
     [](const Settings& s) { return Present(s.store.path); }},
    {"store.redis_url", "a URL", [](Settings& s, const Value& v) { return store(s.store.redis_url, read_line(v)); },
     [](const Settings& s) { return Present(s.store.redis_url); }},
    {"store.selection", "\"snapshot\"",
     [](Settings& s, const Value& v) { return store(s.store.selection, read_word<Selection>(v, kSelections)); },
     [](const Settings& s) { return word(s.store.selection, kSelections); }},
    {"store.max_staleness", "a duration such as \"100ms\", from 1ms to 1m",
     [](Settings& s, const Value& v) { return store(s.store.max_staleness_ms, read_duration(v, 1, kMinute)); },
     [](const Settings& s) { return duration(s.store.max_staleness_ms); }},
    {"decision_log.directory", "the path of a folder",
     [](Settings& s, const Value& v) { return store(s.decision_log.directory, read_line(v)); },
     [](const Settings& s) { return Present(s.decision_log.directory); }},
    {"decision_log.max_file_bytes", "an integer from 4096 to 1099511627776",
     [](Settings& s, const Value& v) {
       return store(s.decision_log.max_file_bytes, read_integer(v, 4096, std::int64_t{1} << 40));
     },
     [](const Settings& s) { return integer(s.decision_log.max_file_bytes); }},
    {"decision_log.max_files", "an integer from 0 to 10000",
     [](Settings& s, const Value& v) { return store(s.decision_log.max_files, read_integer(v, 0, 10'000)); },
     [](const Settings& s) { return integer(s.decision_log.max_files); }},
    {"log.level", "\"trace\", \"debug\", \"info\", \"warn\" or \"error\"",
     [](Settings& s, const Value& v) { return store(s.log.level, read_word<LogLevel>(v, kLogLevels)); },
     [](const Settings& s) { return word(s.log.level, kLogLevels); }},
};

}  // namespace

std::span<const Key> keys() { return kKeys; }

std::vector<std::string_view> keys_that_differ(const Settings& one, const Settings& other) {
  std::vector<std::string_view> names;
  for (const Key& key : keys()) {
    if (key.get(one) != key.get(other)) names.push_back(key.name);
  }
  if (one.server.tokens != other.server.tokens) names.emplace_back("server.tokens");
  return names;
}

}  // namespace turnout::config
