#pragma once

#include <toml++/toml.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/draft.h"

namespace turnout::config {

/// A text in TOML and the places in it.
class TomlSource {
 public:
  /// A file, in which lines and columns say where a value is.
  static TomlSource file(std::string name) { return {std::move(name), true}; }
  /// A list written in a variable or flag, whose name says enough.
  static TomlSource text(std::string name) { return {std::move(name), false}; }

  /// The root table, or a problem in `draft` about the first thing that is no TOML; `key` is what the text is for.
  std::optional<toml::table> parse(std::string_view text, const std::string& key, Draft& draft) const;

  [[nodiscard]] Place place(const toml::source_region& region) const;
  [[nodiscard]] Place place(const toml::node& node) const { return place(node.source()); }

 private:
  TomlSource(std::string name, bool has_lines) : name_(std::move(name)), has_lines_(has_lines) {}

  std::string name_;
  bool has_lines_;
};

/// "a table", "an array", or the value itself.
std::string found_text(const toml::node& node);

/// Names of the fields of a table, for `collect_fields`.
template <class Target>
std::vector<std::string> field_names(std::span<const core::Field<Target>> fields) {
  std::vector<std::string> names;
  for (const auto& field : fields) names.emplace_back(field.name);
  return names;
}

/// What a table may hold.
struct TableShape {
  std::string prefix;                       ///< path of the table with its dot: "channels.payments."
  std::span<const std::string> fields;      ///< below the prefix; a dot in one stands for a table: `breaker.open_for`
  std::span<const std::string> left_alone;  ///< entries that somebody else reads: `providers`
};

/// The values of the fields in `table`, with those of the tables in it. Unknown keys and values where tables belong are
/// problems.
GivenFields collect_fields(Draft& draft, const TomlSource& source, const toml::table& table, const TableShape& shape);

/// A key as a message shows it.
std::string shown_key(std::string_view key);

}  // namespace turnout::config
