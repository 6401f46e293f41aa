#include "config/toml_source.h"

#include "base/text.h"
#include "config/suggestion.h"

namespace turnout::config {
namespace {

/// Walks one table and the tables in it.
class FieldCollector {
 public:
  FieldCollector(Draft& draft, const TomlSource& source, const TableShape& shape)
      : draft_(draft), source_(source), shape_(shape) {}

  void collect(const toml::table& table, const std::string& path) {
    draft_.set_place(table_key(path), source_.place(table));
    for (const auto& [key, node] : table) {
      const std::string name = path + std::string(key.str());
      // A dot within a quoted key would pass for a path.
      const bool known = key.str().find('.') == std::string_view::npos;
      if (known && contains(shape_.left_alone, name)) continue;
      const bool section = known && is_section(name);
      if (section && node.is_table()) {
        collect(*node.as_table(), name + ".");
      } else if (known && contains(shape_.fields, name)) {
        take(name, node);
      } else if (section) {
        problem(node.source(), name, "expected a table, found " + found_text(node));
      } else {
        problem(key.source(), path + shown_key(key.str()), unknown("key", name, candidates(path)));
      }
    }
  }

  GivenFields given;

 private:
  static bool contains(std::span<const std::string> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  [[nodiscard]] bool is_section(const std::string& name) const {
    const std::string start = name + ".";
    const auto begins = [&](const std::string& field) { return field.starts_with(start); };
    return std::any_of(shape_.fields.begin(), shape_.fields.end(), begins) ||
           std::any_of(shape_.left_alone.begin(), shape_.left_alone.end(), begins);
  }

  void take(const std::string& name, const toml::node& node) {
    Given value{{}, found_text(node), source_.place(node)};
    if (const auto* const boolean = node.as_boolean()) value.readings.emplace_back(boolean->get());
    if (const auto* const integer = node.as_integer()) value.readings.emplace_back(integer->get());
    if (const auto* const number = node.as_floating_point()) value.readings.emplace_back(number->get());
    if (const auto* const text = node.as_string()) value.readings.emplace_back(text->get());
    given.emplace(name, std::move(value));
  }

  /// What could have been meant below `path`: tables and fields there, and fields that belong deeper.
  [[nodiscard]] std::vector<std::string> candidates(const std::string& path) const {
    std::vector<std::string> names;
    for (const auto group : {shape_.left_alone, shape_.fields}) {
      for (const std::string& name : group) {
        if (!name.starts_with(path)) continue;
        names.push_back(name);
        const std::size_t dot = name.find('.', path.size());
        if (dot != std::string::npos) names.push_back(name.substr(0, dot));
      }
    }
    return names;
  }

  [[nodiscard]] std::string table_key(const std::string& path) const {
    std::string key = shape_.prefix + path;
    if (!key.empty()) key.pop_back();
    return key;
  }

  void problem(const toml::source_region& region, const std::string& name, std::string message) {
    draft_.add_problem(source_.place(region), shape_.prefix + name, std::move(message));
  }

  Draft& draft_;
  const TomlSource& source_;
  const TableShape& shape_;
};

}  // namespace

std::optional<toml::table> TomlSource::parse(std::string_view text, const std::string& key, Draft& draft) const {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    draft.add_problem(place(error.source()), key, "not TOML: " + std::string(error.description()));
    return std::nullopt;
  }
}

Place TomlSource::place(const toml::source_region& region) const {
  if (!has_lines_) return {name_};
  return {name_, region.begin.line, region.begin.column};
}

std::string found_text(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::date:
      return "a date";
    case toml::node_type::time:
      return "a time";
    case toml::node_type::date_time:
      return "a date and time";
    case toml::node_type::string:
      return quote(node.as_string()->get());
    case toml::node_type::integer:
      return core::to_text(node.as_integer()->get());
    case toml::node_type::floating_point:
      return core::to_text(node.as_floating_point()->get());
    case toml::node_type::boolean:
      return core::to_text(node.as_boolean()->get());
    case toml::node_type::none:
      break;
  }
  return "nothing";
}

GivenFields collect_fields(Draft& draft, const TomlSource& source, const toml::table& table, const TableShape& shape) {
  FieldCollector collector(draft, source, shape);
  collector.collect(table, "");
  return std::move(collector.given);
}

std::string shown_key(std::string_view key) { return is_id(key) ? std::string(key) : quote(std::string(key)); }

}  // namespace turnout::config
