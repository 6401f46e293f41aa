#pragma once

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "api/json_document.h"

// Boost.JSON as the reference of JsonDocument.

namespace turnout {

/// Whether JsonDocument refuses what the grammar allows. Boost takes the last of several fields of a name.
inline bool is_beyond_grammar(std::string_view message) {
  return message == "duplicate key" || message.starts_with("more than 64 fields") || message.ends_with("card number");
}

/// Boost rounds more than once on the way to a double, and not at all beyond its range.
inline bool is_about(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-14 * std::abs(b) || std::max(std::abs(a), std::abs(b)) < 1e-300;
}

inline bool is_same(const JsonNode& node, const boost::json::value& value);

inline bool is_same_array(const JsonNode& node, const boost::json::array& array) {
  if (node.size() != array.size()) return false;
  const auto* element = array.begin();
  for (const JsonNode& child : node.children()) {
    if (!child.key().empty() || !is_same(child, *element++)) return false;
  }
  return element == array.end();
}

inline bool is_same_object(const JsonNode& node, const boost::json::object& object) {
  if (node.size() != object.size()) return false;
  const auto* field = object.begin();
  for (const JsonNode& child : node.children()) {
    if (field == object.end() || field->key() != child.key() || !is_same(child, field->value())) return false;
    if (node.find(child.key()) != &child) return false;
    ++field;
  }
  return field == object.end();
}

/// Whether a node and all within it are what Boost read.
inline bool is_same(const JsonNode& node, const boost::json::value& value) {
  switch (node.kind()) {
    case JsonKind::null:
      return value.is_null();
    case JsonKind::boolean:
      return value.is_bool() && value.get_bool() == node.boolean();
    case JsonKind::integer:
      return value.is_int64() && value.get_int64() == node.integer();
    case JsonKind::unsigned_integer:
      return value.is_uint64() && value.get_uint64() == node.unsigned_integer();
    case JsonKind::huge_integer:
    case JsonKind::number:
      return value.is_double() && is_about(node.number(), value.get_double());
    case JsonKind::string:
      return value.is_string() && std::string_view(value.get_string()) == node.text();
    case JsonKind::array:
      return value.is_array() && is_same_array(node, value.get_array());
    case JsonKind::object:
      return value.is_object() && is_same_object(node, value.get_object());
  }
  return false;
}

/// In what JsonDocument and Boost differ over a body, apart from what is_beyond_grammar(); "" when in nothing.
inline std::string difference(std::string_view body) {
  static JsonDocument document;  // warm, as in the server
  // Memory of its own, so that a sanitizer sees a read before or behind it.
  const auto memory = std::make_unique<char[]>(body.size());
  std::copy(body.begin(), body.end(), memory.get());
  JsonFault fault;
  const bool accepted = document.parse({memory.get(), body.size()}, fault);
  if (accepted == fault.happened()) return "neither accepted nor refused";
  if (!accepted && document.root().kind() != JsonKind::null) return "a value of what was refused";
  boost::json::parse_options options;
  options.max_depth = JsonDocument::kMaxDepth;
  boost::json::error_code error;
  const boost::json::value value = boost::json::parse(body, error, {}, options);
  if (accepted && error) {
    // Boost counts the digits of a fraction as an exponent.
    return error == boost::json::error::exponent_overflow ? "" : "accepted, but: " + error.message();
  }
  if (accepted) return is_same(document.root(), value) ? "" : "another value";
  return error || is_beyond_grammar(fault.message) ? "" : "refused: " + fault.text();
}

}  // namespace turnout
