#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace turnout {

/// Appends compact JSON (RFC 8259) to a string that the caller owns and may reuse. The caller keeps the nesting right;
/// commas are set here. Numbers are written in the shortest form that reads back exactly; a number that is not finite
/// is written as null. Strings must be UTF-8. Not thread-safe.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) noexcept : out_(out) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  /// The name of the next value. Escaped like a string.
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(bool flag);
  JsonWriter& null();
  /// Text that is JSON already.
  JsonWriter& raw(std::string_view json);

  /// key() and value() in one.
  template <class T>
  JsonWriter& field(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }

 private:
  void separate();

  std::string& out_;
  bool needs_comma_ = false;
};

}  // namespace turnout
