// How JsonParser reads numbers.

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/json_parser.h"

namespace turnout {
namespace {

/// As many digits are always within int64.
constexpr std::ptrdiff_t kShortInteger = 18;

/// Far beyond the exponent of every double.
constexpr std::int64_t kMaxExponent = std::numeric_limits<std::int32_t>::max();

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// What a number rounds to that is not 0 and too large or too small for a double: an infinity or a zero of its sign.
double beyond_doubles(std::string_view number) {
  const std::size_t exponent_mark = std::min(number.find_first_of("eE"), number.size());
  const std::size_t point = std::min(number.find('.'), exponent_mark);
  const std::size_t first_digit = number.find_first_not_of("-0.");
  std::string_view exponent = number.substr(std::min(exponent_mark + 1, number.size()));
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  // The power of ten that the first digit stands for.
  std::int64_t power = 0;
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
  power += static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first_digit) - (first_digit < point ? 1 : 0);
  const double size = power > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return number.starts_with('-') ? -size : size;
}

/// Of a number as JSON writes it.
double nearest_double(const char* begin, const char* end) {
  double number = 0;
  if (std::from_chars(begin, end, number).ec == std::errc{}) return number;
  return beyond_doubles({begin, static_cast<std::size_t>(end - begin)});
}

}  // namespace

const char* JsonParser::read_number(const char* begin, std::string_view name) {
  const bool negative = peek(begin) == '-';
  const char* const digits = negative ? begin + 1 : begin;
  const char* at = digits;
  std::int64_t integer = 0;
  if (peek(at) == '0') {
    ++at;  // and no digit may follow
  } else {
    const char* const short_end = end_ - digits > kShortInteger ? digits + kShortInteger : end_;
    for (; at != short_end && is_digit(*at); ++at) integer = 10 * integer + (*at - '0');
    if (at == digits) return fail(at);
    while (is_digit(peek(at))) ++at;
  }
  const char next = peek(at);
  if (next == '.' || next == 'e' || next == 'E') return read_fraction(begin, at, name);
  if (at - digits > kShortInteger) {
    add_long_integer(begin, at, name);
  } else {
    add(JsonKind::integer, name).integer_ = negative ? -integer : integer;
  }
  return at;
}

void JsonParser::add_long_integer(const char* begin, const char* end, std::string_view name) {
  std::int64_t integer = 0;
  std::uint64_t unsigned_integer = 0;
  if (std::from_chars(begin, end, integer).ec == std::errc{}) {
    add(JsonKind::integer, name).integer_ = integer;
  } else if (*begin != '-' && std::from_chars(begin, end, unsigned_integer).ec == std::errc{}) {
    add(JsonKind::unsigned_integer, name).unsigned_integer_ = unsigned_integer;
  } else {
    add(JsonKind::huge_integer, name).number_ = nearest_double(begin, end);
  }
}

const char* JsonParser::read_fraction(const char* begin, const char* at, std::string_view name) {
  if (*at == '.') {
    ++at;
    if (!is_digit(peek(at))) return fail(at);
    while (is_digit(peek(at))) ++at;
  }
  if (peek(at) == 'e' || peek(at) == 'E') {
    at = read_exponent(at + 1);
    if (at == nullptr) return nullptr;
  }
  add(JsonKind::number, name).number_ = nearest_double(begin, at);
  return at;
}

const char* JsonParser::read_exponent(const char* at) {
  if (peek(at) == '+' || peek(at) == '-') ++at;
  if (!is_digit(peek(at))) return fail(at);
  std::int64_t exponent = 0;
  for (; is_digit(peek(at)); ++at) {
    exponent = 10 * exponent + (*at - '0');
    if (exponent > kMaxExponent) return fail(at, "exponent out of range");
  }
  return at;
}

}  // namespace turnout
