#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace turnout {

/// Appends compact JSON (RFC 8259) to a string that the caller owns and may reuse. The caller keeps the nesting right;
/// commas are set here. Numbers are written in the shortest form that reads back exactly; a number that is not finite
/// is written as null. Strings must be UTF-8. Not thread-safe.
///
/// Within an object or array the string is longer than its text, so that most values are written without growing it.
/// It ends with the text again when the outermost value is complete.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) noexcept : out_(out), at_(out.data() + out.size()), end_(at_) {}
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  /// The name of the next value. A literal is written as it is, so it must need no escapes; any other text is escaped.
  template <std::size_t kSize>
  JsonWriter& key(const char (&name)[kSize]) {
    make_room(kSize + 3);
    put_comma();
    *at_++ = '"';
    std::memcpy(at_, name, kSize - 1);
    at_ += kSize - 1;
    *at_++ = '"';
    *at_++ = ':';
    needs_comma_ = false;
    return *this;
  }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(bool flag) { return raw(flag ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }
  /// Text that is JSON already.
  JsonWriter& raw(std::string_view json) {
    make_room(json.size() + 1);
    put_comma();
    std::memcpy(at_, json.data(), json.size());
    at_ += json.size();
    end_value();
    return *this;
  }

  /// key() and value() in one.
  template <class Name, class T>
  JsonWriter& field(const Name& name, const T& v) {
    key(name);
    return value(v);
  }

 private:
  JsonWriter& open(char bracket) {
    make_room(2);
    put_comma();
    *at_++ = bracket;
    needs_comma_ = false;
    ++depth_;
    return *this;
  }
  JsonWriter& close(char bracket) {
    make_room(1);
    *at_++ = bracket;
    needs_comma_ = true;
    --depth_;
    end_value();
    return *this;
  }
  void end_value() {
    if (depth_ == 0) trim();
  }
  /// Before each value and name. Room for it must be there.
  void put_comma() {
    *at_ = ',';
    at_ += needs_comma_ ? 1 : 0;
    needs_comma_ = true;
  }
  void put_escaped(std::string_view text);
  void put_quoted(std::string_view text);
  template <class Number>
  JsonWriter& put_number(Number number);
  void make_room(std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) grow(size);
  }
  void grow(std::size_t room);
  void trim();

  std::string& out_;
  char* at_;   ///< where the next character goes
  char* end_;  ///< of out_
  int depth_ = 0;
  bool needs_comma_ = false;
};

}  // namespace turnout
