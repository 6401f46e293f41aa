// The strings that JsonParser does not read at a glance: with escapes, not of ASCII alone, malformed, or in the last
// bytes of the body.

#include <cstring>

#include "api/json_parser.h"
#include "api/json_scan.h"
#include "base/text.h"

namespace turnout {
namespace {

constexpr std::string_view kBadEscape = "bad escape";

constexpr bool is_ascii(char c) noexcept { return static_cast<unsigned char>(c) < 0x80; }

constexpr bool is_high_surrogate(std::uint32_t code) noexcept { return code >= 0xd800 && code <= 0xdbff; }
constexpr bool is_low_surrogate(std::uint32_t code) noexcept { return code >= 0xdc00 && code <= 0xdfff; }

/// The value of a hexadecimal digit, 16 for any other character.
constexpr std::uint32_t hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<std::uint32_t>(c - 'A') + 10;
  return 16;
}

/// Writes a code point, at most 4 bytes; returns the place after it.
char* write_utf8(std::uint32_t code, char* out) noexcept {
  const auto continuation = [code](unsigned shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
    return out;
  }
  if (code < 0x800) {
    *out++ = static_cast<char>(0xc0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      *out++ = static_cast<char>(0xe0 | (code >> 12));
    } else {
      *out++ = static_cast<char>(0xf0 | (code >> 18));
      *out++ = continuation(12);
    }
    *out++ = continuation(6);
  }
  *out++ = continuation(0);
  return out;
}

}  // namespace

const char* JsonParser::read_difficult_text(const char* begin, const char* at, std::string_view& text) {
  char* resolved = nullptr;  // the text in the arena, once there is an escape
  char* out = nullptr;
  const char* copied = begin;
  const auto copy = [&] {
    std::memcpy(out, copied, static_cast<std::size_t>(at - copied));
    out += at - copied;
  };
  at = skip_plain(at, end_);
  while (peek(at) == '\\' || !is_ascii(peek(at))) {
    if (is_ascii(*at)) {
      if (resolved == nullptr) resolved = out = arena_room();
      copy();
      at = read_escape(at + 1, out);
      if (at == nullptr) return nullptr;
      copied = at;
    } else {
      while (!is_ascii(peek(at))) ++at;
    }
    at = skip_plain(at, end_);
  }
  const std::string_view written(begin, static_cast<std::size_t>(at - begin));
  if (peek(at) != '"' || !is_utf8(written)) return fail(at);
  text = written;
  if (resolved != nullptr) {
    copy();
    text = {resolved, static_cast<std::size_t>(out - resolved)};
    arena_size_ += text.size();
  }
  return at + 1;
}

char* JsonParser::arena_room() {
  // No text is longer than it was with its escapes, so that there is room for all of them and the arena never moves
  // under those in it.
  if (document_.arena_capacity_ < body_.size()) {
    document_.arena_ = std::make_unique_for_overwrite<char[]>(body_.size());
    document_.arena_capacity_ = body_.size();
  }
  return document_.arena_.get() + arena_size_;
}

const char* JsonParser::read_escape(const char* at, char*& out) {
  switch (peek(at)) {
    case '"':
    case '\\':
    case '/':
      *out++ = *at;
      break;
    case 'b':
      *out++ = '\b';
      break;
    case 'f':
      *out++ = '\f';
      break;
    case 'n':
      *out++ = '\n';
      break;
    case 'r':
      *out++ = '\r';
      break;
    case 't':
      *out++ = '\t';
      break;
    case 'u':
      return read_code_point(at + 1, out);
    default:
      return fail(at);
  }
  return at + 1;
}

const char* JsonParser::read_code_point(const char* at, char*& out) {
  std::uint32_t code = 0;
  at = read_hex(at, code);
  if (at == nullptr) return nullptr;
  if (is_low_surrogate(code)) return fail(at, kBadEscape);
  if (is_high_surrogate(code)) {
    if (peek(at) != '\\') return fail(at);
    if (peek(at + 1) != 'u') return fail(at + 1);
    const char* const digits = at + 2;
    std::uint32_t low = 0;
    at = read_hex(digits, low);
    if (at == nullptr) return nullptr;
    if (!is_low_surrogate(low)) return fail(digits, kBadEscape);
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  out = write_utf8(code, out);
  return at;
}

const char* JsonParser::read_hex(const char* at, std::uint32_t& code) {
  for (int i = 0; i < 4; ++i, ++at) {
    const std::uint32_t digit = hex_digit(peek(at));
    if (digit > 15) return fail(at, kBadEscape);
    code = code << 4 | digit;
  }
  return at;
}

}  // namespace turnout
