#include "base/json_writer.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

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

void append_escaped(std::string& out, std::string_view text) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text.substr(start, i - start));
    start = i + 1;
    switch (c) {
      case '"':
        out.append("\\\"");
        break;
      case '\\':
        out.append("\\\\");
        break;
      case '\n':
        out.append("\\n");
        break;
      case '\r':
        out.append("\\r");
        break;
      case '\t':
        out.append("\\t");
        break;
      default:
        out.append("\\u00");
        out.push_back("0123456789abcdef"[c >> 4]);
        out.push_back("0123456789abcdef"[c & 0xf]);
    }
  }
  out.append(text.substr(start));
}

/// Appends `text` in quotes, with a comma before or a colon behind where asked for.
void append_quoted(std::string& out, std::string_view text, bool comma, bool colon) {
  if (may_need_escape(text)) {
    out.append(comma ? ",\"" : "\"");
    append_escaped(out, text);
    out.append(colon ? "\":" : "\"");
    return;
  }
  // One growth of the string instead of one for each piece.
  const std::size_t size = out.size();
  out.resize(size + text.size() + 2 + (comma ? 1 : 0) + (colon ? 1 : 0));
  char* to = out.data() + size;
  if (comma) *to++ = ',';
  *to++ = '"';
  to += text.copy(to, text.size());
  *to++ = '"';
  if (colon) *to = ':';
}

template <class Number>
void append_number(std::string& out, Number number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  out.append(buffer, end);
}

}  // namespace

void JsonWriter::separate() {
  if (needs_comma_) out_.push_back(',');
  needs_comma_ = true;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  out_.push_back('{');
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  out_.push_back('}');
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  out_.push_back('[');
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  out_.push_back(']');
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  append_quoted(out_, name, needs_comma_, true);
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  append_quoted(out_, text, needs_comma_, false);
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
  separate();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::value(bool flag) {
  separate();
  out_.append(flag ? "true" : "false");
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_.append("null");
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_.append(json);
  return *this;
}

}  // namespace turnout
