#include "core/field.h"

#include <charconv>
#include <cmath>

#include "base/assert.h"
#include "base/text.h"

namespace turnout::core {
namespace {

/// The number that all of `text` spells, or nothing.
template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

template <class Number>
std::string print_number(Number number) {
  char buffer[32];
  const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), number);
  TURNOUT_ASSERT(error == std::errc{});
  return {buffer, end};
}

struct TextOf {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return print_number(value); }
  std::string operator()(double value) const { return print_number(value); }
  std::string operator()(const std::string& value) const { return value; }
};

}  // namespace

std::string to_text(const FieldValue& value) { return std::visit(TextOf{}, value); }

FieldValue from_text(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  if (const auto integer = parse_whole<std::int64_t>(text)) return *integer;
  if (const auto number = parse_whole<double>(text); number && std::isfinite(*number)) return *number;
  return std::string(text);
}

std::optional<std::int64_t> read_integer(const FieldValue& value, std::int64_t lowest, std::int64_t highest) {
  const auto* const integer = std::get_if<std::int64_t>(&value);
  if (integer == nullptr || *integer < lowest || *integer > highest) return std::nullopt;
  return *integer;
}

std::optional<double> read_number(const FieldValue& value, double lowest, double highest) {
  double number = 0;
  if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*integer);
  } else if (const auto* const real = std::get_if<double>(&value)) {
    number = *real;
  } else {
    return std::nullopt;
  }
  // NaN is in no range.
  if (!(number >= lowest && number <= highest)) return std::nullopt;
  return number;
}

std::optional<DurationMs> read_duration(const FieldValue& value, DurationMs lowest, DurationMs highest) {
  const auto* const text = std::get_if<std::string>(&value);
  if (text == nullptr) return std::nullopt;
  const auto duration = parse_duration(*text);
  if (!duration || *duration < lowest || *duration > highest) return std::nullopt;
  return duration;
}

std::optional<bool> read_boolean(const FieldValue& value) {
  const auto* const boolean = std::get_if<bool>(&value);
  return boolean == nullptr ? std::nullopt : std::optional(*boolean);
}

}  // namespace turnout::core
