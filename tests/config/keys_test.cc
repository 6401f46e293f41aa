#include "config/keys.h"

#include <gtest/gtest.h>

namespace turnout::config {
namespace {

using core::FieldValue;

FieldValue text(const char* value) { return std::string(value); }

/// What one key accepts, each reading back as it was given, and what it does not.
struct KeyRow {
  std::string_view name;
  std::vector<FieldValue> accepted;
  std::vector<FieldValue> refused;
};

KeyRow integers(std::string_view name, std::int64_t lowest, std::int64_t highest) {
  return {name, {lowest, highest}, {lowest - 1, highest + 1, 1.0, true, text("1")}};
}

KeyRow durations(std::string_view name, const char* lowest, const char* highest, const char* below, const char* above) {
  return {
      name, {text(lowest), text(highest)}, {text(below), text(above), text(""), text("60"), std::int64_t{60}, false}};
}

KeyRow paths(std::string_view name) {
  return {name, {text("./a b"), text("")}, {std::string("a\0b", 3), std::string(4097, 'a'), std::int64_t{1}, true}};
}

std::vector<KeyRow> key_rows() {
  return {
      {"server.listen", {text("127.0.0.1:8080"), text("[::1]:0")}, {text("8080"), text(""), std::int64_t{8080}, true}},
      integers("server.threads", 0, 1024),
      paths("server.tls_cert"),
      paths("server.tls_key"),
      {"server.insecure_no_auth", {true, false}, {text("true"), std::int64_t{1}}},
      integers("server.max_connections", 1, 1'000'000),
      durations("server.idle_timeout", "100ms", "1d", "99ms", "25h"),
      durations("server.request_timeout", "100ms", "1h", "99ms", "61m"),
      durations("server.write_timeout", "100ms", "1h", "99ms", "61m"),
      {"store.kind", {text("memory"), text("file"), text("redis")}, {text("sqlite"), text(""), text("File"), true}},
      paths("store.path"),
      paths("store.redis_url"),
      {"store.selection", {text("snapshot"), text("script")}, {text("lua"), std::int64_t{0}}},
      durations("store.max_staleness", "1ms", "1m", "0ms", "61s"),
      paths("decision_log.directory"),
      integers("decision_log.max_file_bytes", 4096, 1'099'511'627'776),
      integers("decision_log.max_files", 0, 10'000),
      {"log.level",
       {text("trace"), text("debug"), text("info"), text("warn"), text("error")},
       {text("loud"), text("")}},
  };
}

TEST(Keys, EveryKeyHasItsRow) {
  std::vector<std::string_view> expected;
  std::vector<std::string_view> names;
  for (const KeyRow& row : key_rows()) expected.push_back(row.name);
  for (const Key& key : keys()) names.push_back(key.name);
  EXPECT_EQ(names, expected);
}

TEST(Keys, WhatIsAcceptedReadsBackAndWhatIsRefusedChangesNothing) {
  const auto rows = key_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Key& key = keys()[i];
    for (const FieldValue& value : rows[i].accepted) {
      Settings settings;
      EXPECT_TRUE(key.set(settings, value).ok()) << key.name << " = " << core::to_text(value);
      EXPECT_EQ(key.get(settings), value) << key.name;
    }
    for (const FieldValue& value : rows[i].refused) {
      Settings settings;
      EXPECT_FALSE(key.set(settings, value).ok()) << key.name << " = " << core::to_text(value);
      EXPECT_EQ(settings, Settings{}) << key.name;
    }
  }
}

TEST(Keys, ThoseThatDiffer) {
  Settings one;
  Settings other;
  EXPECT_TRUE(keys_that_differ(one, other).empty());
  other.server.listen.port = 1;
  other.store.kind = StoreKind::file;
  other.log.level = LogLevel::error;
  other.server.tokens.emplace_back().name = "ops";
  other.channels["payments"];
  EXPECT_EQ(keys_that_differ(one, other),
            (std::vector<std::string_view>{"server.listen", "store.kind", "log.level", "server.tokens"}));
}

}  // namespace
}  // namespace turnout::config
