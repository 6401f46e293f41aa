#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "core/channel_settings.h"

namespace turnout::core {

/// The value of a field as a file, a request or an override brings it. Durations and words travel as text ("30s", "weighted").
using FieldValue = std::variant<bool, std::int64_t, double, std::string>;

/// One thing an operator may set for a channel. The table of all of them is the only place that knows a field's name, kind and
/// range: configuration file, environment, PATCH, overrides and the listing all go through it.
struct ChannelField {
  /// Path in the configuration, parts joined by a dot: `epsilon`, `breaker.open_for`, `prior.alpha`.
  std::string_view name;
  /// What is expected, for error messages: "a number from 0 to 1", "a duration such as 30s, from 1s to 1d".
  std::string_view expected;
  /// Sets the field, or says why not and changes nothing.
  Result<Done> (*set)(ChannelSettings&, const FieldValue&);
  /// The present value.
  FieldValue (*get)(const ChannelSettings&);
};

/// All fields, in the order of the documentation. `prior` sets alpha and beta by name and reads as a name where one fits.
std::span<const ChannelField> channel_fields();

/// The field of that name, or nothing.
const ChannelField* find_channel_field(std::string_view name);

/// The value as an override keeps it, and back: text → the value that `set` accepts.
std::string to_text(const FieldValue& value);
FieldValue from_text(std::string_view text);

}  // namespace turnout::core
