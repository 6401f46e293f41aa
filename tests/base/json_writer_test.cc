#include "base/json_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace turnout {
namespace {

template <class T>
std::string written(const T& value) {
  std::string out;
  JsonWriter(out).value(value);
  return out;
}

TEST(JsonWriter, EscapesWhatJsonAsksFor) {
  struct Row {
    std::string_view text;
    std::string_view json;
  };
  constexpr Row kRows[] = {
      {"", R"("")"},
      {"plain", R"("plain")"},
      {"a\"b\\c", R"("a\"b\\c")"},
      {"\n\r\t", R"("\n\r\t")"},
      {std::string_view("\0\x01\x1f", 3), R"("\u0000\u0001\u001f")"},
      {"\b\f\x7f/", "\"\\u0008\\u000c\x7f/\""},
      {"é€😀", "\"é€😀\""},
      {"\"", R"("\"")"},
  };
  for (const Row& row : kRows) EXPECT_EQ(written(row.text), row.json);
}

TEST(JsonWriter, WritesScalars) {
  EXPECT_EQ(written(0), "0");
  EXPECT_EQ(written(-1), "-1");
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(written(true), "true");
  EXPECT_EQ(written(false), "false");
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(1e300), "1e+300");
  EXPECT_EQ(written(5e-324), "5e-324");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(-std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(std::nan("")), "null");
  EXPECT_EQ(written("text"), "\"text\"");
  EXPECT_EQ(written(std::string("text")), "\"text\"");
}

TEST(JsonWriter, SetsCommasAndNests) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object().field("a", 1).key("b").begin_array().value(1).begin_array().end_array().null().begin_object();
  writer.end_object().end_array().key("c").begin_object().field("d", "e").end_object().key("f").raw("[1,2]");
  writer.field("g", true).end_object();
  EXPECT_EQ(out, R"({"a":1,"b":[1,[],null,{}],"c":{"d":"e"},"f":[1,2],"g":true})");
}

TEST(JsonWriter, EscapesNamesThatAreNotLiterals) {
  std::string out;
  JsonWriter(out).begin_object().field(std::string_view("a\"\n"), 1).end_object();
  EXPECT_EQ(out, R"({"a\"\n":1})");
}

TEST(JsonWriter, AppendsToWhatIsThere) {
  std::string out = "data: ";
  JsonWriter(out).begin_array().value(1).value(2).end_array();
  EXPECT_EQ(out, "data: [1,2]");
}

RC_GTEST_PROP(JsonWriter, NumbersAreReadBackExactly, (std::uint64_t bits)) {
  double number = 0;
  static_assert(sizeof number == sizeof bits);
  std::memcpy(&number, &bits, sizeof number);
  RC_PRE(std::isfinite(number));
  const std::string text = written(number);
  double back = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), back);
  RC_ASSERT(result.ptr == text.data() + text.size());
  RC_ASSERT(std::memcmp(&back, &number, sizeof number) == 0);
}

}  // namespace
}  // namespace turnout
