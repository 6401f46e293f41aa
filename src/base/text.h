#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace turnout {

/// Longest id of a channel or provider, in characters.
inline constexpr std::size_t kMaxIdLength = 64;

/// Longest duration that is read from text: ten years of 365 days.
inline constexpr DurationMs kMaxTextDuration = 3650 * kDay;

/// True for an id of a channel or provider: 1 to 64 of `A-Z a-z 0-9 . _ : -`.
bool is_id(std::string_view text) noexcept;

/// Fewest digits of a card number.
inline constexpr std::size_t kMinCardDigits = 13;

/// contains_card_number() of a text that is long enough for one.
bool search_card_number(std::string_view text) noexcept;

/// True when `text` is or holds what is very likely the number of a payment card.
///
/// A run is as many digits as there are in a row, alone or parted by single spaces or dashes. A run of 13 to 19 digits
/// that passes the Luhn check (ISO/IEC 7812-1) is a card number when
/// - nothing else but spaces is in `text`, or
/// - the characters on both sides of it are not ASCII letters, and it begins like an issued card (2200 to 2720, 3 to 6,
/// 8100
///   to 8171). The second demand is there for ids made of a word and a clock, such as "tx-1733000000123" and
///   "job-20250115103000": one in ten of those passes the Luhn check by chance.
///
/// Neighbouring groups of a longer run are looked at like a run: an expiry date or a suffix may follow the number.
/// Digits inside a UUID are not a run. Example: "4111 1111 1111 1111" and "order-4111111111111111-x" yes,
/// "4111111111111112" and "x4111111111111111" no.
inline bool contains_card_number(std::string_view text) noexcept {
  // Thirteen digits in a row reach over a thirteenth byte: 12, 25, 38 and so on.
  for (std::size_t i = kMinCardDigits - 1; i < text.size(); i += kMinCardDigits) {
    const char c = text[i];
    if ((c >= '0' && c <= '9') || c == ' ' || c == '-') return search_card_number(text);
  }
  return false;
}

/// How many bytes `text` begins with that are well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, at most
/// U+10FFFF). Behind them is its end or the first malformed sequence.
std::size_t utf8_prefix(std::string_view text) noexcept;

/// True when all of `text` is well-formed UTF-8.
inline bool is_utf8(std::string_view text) noexcept { return utf8_prefix(text) == text.size(); }

/// Reads a duration: decimal digits and one of the units ms, s, m, h, d, nothing between. Example: "90s" is 90000.
/// Nothing for anything else and for more than kMaxTextDuration.
std::optional<DurationMs> parse_duration(std::string_view text) noexcept;

/// The shortest text that parse_duration reads back, for 0 to kMaxTextDuration; asserts that `duration` is not
/// negative. Example: 90000 is "90s", 1500 is "1500ms", 0 is "0s".
std::string format_duration(DurationMs duration);

}  // namespace turnout
