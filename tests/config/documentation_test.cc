// Holds docs/configuration.md to the tables of keys and fields: each has a row with its default and what it accepts.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "config/keys.h"
#include "core/channel_fields.h"

namespace turnout::config {
namespace {

const std::string& document() {
  static const std::string text = [] {
    std::ostringstream read;
    read << std::ifstream(TURNOUT_SOURCE_DIR "/docs/configuration.md").rdbuf();
    return read.str();
  }();
  return text;
}

bool has_row(const std::string& row) { return document().find(row) != std::string::npos; }

/// "| `epsilon` | `0.05` | a number from 0 to 1 |": how the row of a field begins. Paths that are not set and fields in
/// whose place another one is in force have no default.
template <class Settings>
std::string row_of(const core::Field<Settings>& field, const Settings& defaults) {
  const auto value = field.get(defaults);
  const std::string shown = value ? core::to_text(*value) : "";
  std::string row = "\n| `" + std::string(field.name) + "` | ";
  row += shown.empty() ? "none" : "`" + shown + "`";
  return row + " | " + std::string(field.expected) + " |";
}

TEST(Documentation, IsFound) { EXPECT_NE(document().find("# Configuration"), std::string::npos); }

TEST(Documentation, HasEveryKeyOfTheProgram) {
  for (const Key& key : keys()) EXPECT_TRUE(has_row(row_of(key, Settings{}))) << row_of(key, Settings{});
}

TEST(Documentation, HasEveryFieldOfAChannel) {
  for (const auto& field : core::channel_fields()) {
    const std::string row = row_of(field, core::ChannelSettings{});
    EXPECT_TRUE(has_row(row)) << row;
  }
}

TEST(Documentation, HasEveryFieldOfAProvider) {
  for (const auto& field : core::provider_fields()) {
    const std::string row = row_of(field, core::ProviderSettings{});
    EXPECT_TRUE(has_row(row)) << row;
  }
}

}  // namespace
}  // namespace turnout::config
