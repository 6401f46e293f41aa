#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace turnout {

/// Longest id of a channel or provider, in characters.
inline constexpr std::size_t kMaxIdLength = 64;

/// True for an id of a channel or provider: 1 to 64 of `A-Z a-z 0-9 . _ : -`.
bool is_id(std::string_view text) noexcept;

/// True when `text` holds a run of 13 to 19 digits, alone or separated by single spaces or dashes, that passes the Luhn check
/// (ISO/IEC 7812-1) and is not part of a longer run of digits: very likely a card number.
/// Example: "4111 1111 1111 1111" yes, "4111111111111112" no.
bool contains_card_number(std::string_view text) noexcept;

/// True when `text` is well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
bool is_utf8(std::string_view text) noexcept;

/// Reads a duration: an integer with one of the units ms, s, m, h, d. Example: "90s" is 90000.
/// Nothing for anything else, for negative numbers and for more than 10 years.
std::optional<DurationMs> parse_duration(std::string_view text) noexcept;

/// The shortest text that parse_duration reads back. Example: 90000 is "90s", 1500 is "1500ms".
std::string format_duration(DurationMs duration);

}  // namespace turnout
