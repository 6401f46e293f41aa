#include "base/json_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace turnout {
namespace {

constexpr std::uint64_t repeated(unsigned char byte) { return 0x0101'0101'0101'0101U * byte; }

/// Whether any of 8 bytes is a control character, a quote or a backslash (the zero-byte test of Mycroft, 1987, on
/// differences). May say yes wrongly next to such a byte, which costs time only.
bool may_need_escape(std::uint64_t bytes) {
  const std::uint64_t below_space = (bytes - repeated(0x20)) & ~bytes;
  const std::uint64_t quotes = bytes ^ repeated('"');
  const std::uint64_t backslashes = bytes ^ repeated('\\');
  const std::uint64_t found =
      below_space | ((quotes - repeated(1)) & ~quotes) | ((backslashes - repeated(1)) & ~backslashes);
  return (found & repeated(0x80)) != 0;
}

/// Looks at 8 bytes at a time: nearly every text is an id or a name without anything to escape.
bool may_need_escape(std::string_view text) {
  constexpr std::size_t kStep = sizeof(std::uint64_t);
  std::uint64_t bytes = repeated(' ');
  if (text.size() < kStep) {
    for (std::size_t i = 0; i < text.size(); ++i) bytes = bytes << 8 | static_cast<unsigned char>(text[i]);
    return may_need_escape(bytes);
  }
  for (std::size_t i = 0; i + kStep <= text.size(); i += kStep) {
    std::memcpy(&bytes, text.data() + i, kStep);
    if (may_need_escape(bytes)) return true;
  }
  std::memcpy(&bytes, text.data() + text.size() - kStep, kStep);  // the rest, with some bytes a second time
  return may_need_escape(bytes);
}

}  // namespace

void JsonWriter::grow(std::size_t room) {
  constexpr std::size_t kLeast = 1024;
  const auto used = static_cast<std::size_t>(at_ - out_.data());
  out_.resize(used + std::max({used, room, kLeast}));
  at_ = out_.data() + used;
  end_ = out_.data() + out_.size();
}

void JsonWriter::trim() {
  out_.resize(static_cast<std::size_t>(at_ - out_.data()));
  end_ = at_;
}

void JsonWriter::put_escaped(std::string_view text) {
  constexpr std::size_t kLongestEscape = 6;
  make_room(kLongestEscape * text.size());
  const auto put_pair = [this](char letter) {
    *at_++ = '\\';
    *at_++ = letter;
  };
  for (const char letter : text) {
    const auto c = static_cast<unsigned char>(letter);
    switch (c) {
      case '"':
      case '\\':
        put_pair(letter);
        break;
      case '\n':
        put_pair('n');
        break;
      case '\r':
        put_pair('r');
        break;
      case '\t':
        put_pair('t');
        break;
      default:
        if (c >= 0x20) {
          *at_++ = letter;
          break;
        }
        put_pair('u');
        *at_++ = '0';
        *at_++ = '0';
        *at_++ = "0123456789abcdef"[c >> 4];
        *at_++ = "0123456789abcdef"[c & 0xf];
    }
  }
}

void JsonWriter::put_quoted(std::string_view text) {
  make_room(text.size() + 4);  // with a comma before, and a colon behind
  put_comma();
  *at_++ = '"';
  if (may_need_escape(text)) {
    put_escaped(text);
    make_room(2);
  } else {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  *at_++ = '"';
}

template <class Number>
JsonWriter& JsonWriter::put_number(Number number) {
  constexpr std::size_t kLongestNumber = 32;
  make_room(kLongestNumber);
  put_comma();
  at_ = std::to_chars(at_, end_, number).ptr;
  end_value();
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  put_quoted(name);
  *at_++ = ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  put_quoted(text);
  end_value();
  return *this;
}

JsonWriter& JsonWriter::value(double number) { return std::isfinite(number) ? put_number(number) : null(); }
JsonWriter& JsonWriter::value(std::int64_t number) { return put_number(number); }
JsonWriter& JsonWriter::value(std::uint64_t number) { return put_number(number); }

}  // namespace turnout
