#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "base/time.h"

namespace turnout::core {

/// The value of a field as a file, a request or an override brings it. Durations and words travel as text ("30s",
/// "weighted").
using FieldValue = std::variant<bool, std::int64_t, double, std::string>;

/// One thing that may be set in `Settings`: its name, what it accepts, and how to write and read it. Tables of fields
/// are constants; reading them is thread-safe.
template <class Settings>
struct Field {
  /// Path in the configuration, parts joined by a dot: `epsilon`, `breaker.open_for`, `prior.alpha`.
  std::string_view name;
  /// What is accepted, for error messages: "a number from 0 to 1", "a duration such as 30s, from 1s to 1d".
  std::string_view expected;
  /// Writes the value and returns true, or changes nothing and returns false. Call `set`, which explains.
  bool (*assign)(Settings&, const FieldValue&);
  /// The present value; nothing when another field of the table is in force in its place.
  std::optional<FieldValue> (*get)(const Settings&);
  /// Fields whose earlier value no longer counts once this one is set. A stored override of theirs should go with it.
  std::span<const std::string_view> replaces = {};

  /// Sets the field, or says what was expected (Error::Code::invalid, "expected …") and changes nothing.
  Result<Done> set(Settings& settings, const FieldValue& value) const {
    if (assign(settings, value)) return Done{};
    return Error{Error::Code::invalid, std::string("expected ").append(expected)};
  }
};

/// The value as text, as an override or the environment keeps it. Numbers are the shortest text that reads back the
/// same.
std::string to_text(const FieldValue& value);

/// The value that was written as `text`: `true` and `false`, an integer, a finite number, and text for anything else. A
/// double without a fraction comes back as an integer, which every field of numbers accepts.
FieldValue from_text(std::string_view text);

/// Whole numbers from `lowest` to `highest`; nothing for every other value, a double such as 5.0 included.
std::optional<std::int64_t> read_integer(const FieldValue& value, std::int64_t lowest, std::int64_t highest);

/// Finite numbers from `lowest` to `highest`, written with or without a fraction.
std::optional<double> read_number(const FieldValue& value, double lowest, double highest);

/// Durations as text (base/text.h parse_duration) from `lowest` to `highest`.
std::optional<DurationMs> read_duration(const FieldValue& value, DurationMs lowest, DurationMs highest);

std::optional<bool> read_boolean(const FieldValue& value);

/// Writes what was read, if anything was, and says whether it did: the body of most `assign` functions.
template <class Target, class Value>
bool store(Target& target, const std::optional<Value>& value) {
  if (value) target = static_cast<Target>(*value);
  return value.has_value();
}

}  // namespace turnout::core
