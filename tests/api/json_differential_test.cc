// JsonDocument next to Boost.JSON: they accept and refuse the same, and read the same. Every body is in memory of
// exactly its size, for the sanitizers.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "base/random.h"
#include "support/json_reference.h"

namespace turnout {
namespace {

/// One of each construct.
constexpr std::string_view kSmall =
    R"( {"a":[true,false,null],"b\n":-12.50e+3,"é":"\u00e9\ud83d\ude00€ plain text"}, "":{},"d":[[],0]} )";

/// Writes random documents: most are well-formed, all nearly so.
class RandomDocument {
 public:
  explicit RandomDocument(std::uint64_t seed) : random_(seed) {}

  std::string make() {
    text_.clear();
    value(0);
    space();
    return text_;
  }

  /// Damages a document in one place.
  void damage(std::string& document) {
    using namespace std::string_view_literals;
    constexpr std::string_view kBytes =
        "{}[]\",:\\0123456789eE+-.truefalsnb \n\t/\0\x1f\x7f\x80\xbf\xc3\xe2\xed\xf0\xff"sv;
    const std::size_t place = below(document.size() + 1);
    const char byte = kBytes[below(kBytes.size())];
    switch (below(5)) {
      case 0:
        document.insert(place, 1, byte);
        break;
      case 1:
        document.erase(place, 1 + below(3));
        break;
      case 2:
        document.insert(place, document.substr(below(document.size() + 1), below(9)));
        break;
      case 3:
        if (place < document.size()) document[place] = static_cast<char>(below(256));
        break;
      default:
        if (place < document.size()) document[place] = byte;
    }
  }

 private:
  std::size_t below(std::size_t limit) { return random_.next() % limit; }

  template <std::size_t N>
  std::string_view one_of(const std::string_view (&pieces)[N]) {
    return pieces[below(N)];
  }

  void space() {
    constexpr std::string_view kSpaces[] = {"", "", "", "", " ", "\n", "\t\r", "            "};
    text_ += one_of(kSpaces);
  }

  void value(std::size_t depth) {
    space();
    switch (below(depth < 6 ? 6 : 4)) {
      case 0:
        number();
        break;
      case 1: {
        constexpr std::string_view kWords[] = {"true", "false", "null"};
        text_ += one_of(kWords);
        break;
      }
      case 2:
      case 3:
        string();
        break;
      case 4:
        list('[', ']', [&](std::size_t) { value(depth + 1); });
        break;
      default:
        list('{', '}', [&](std::size_t i) { field(i, depth); });
    }
    space();
  }

  template <class Item>
  void list(char open, char close, const Item& item) {
    text_ += open;
    space();
    const std::size_t count = below(6);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text_ += ',';
      item(i);
    }
    text_ += close;
  }

  /// Nearly always a name that is not there yet.
  void field(std::size_t i, std::size_t depth) {
    space();
    string();
    if (below(50) != 0) text_.insert(text_.size() - 1, std::to_string(i));
    space();
    text_ += ':';
    value(depth + 1);
  }

  void string() {
    constexpr std::string_view kPieces[] = {
        "a",     "plain text", "0123456789", R"(\")",           R"(\\)", R"(\/)", R"(\b)", R"(\f)", R"(\n)", R"(\r)",
        R"(\t)", R"(\u0000)",  R"(\u20aC)",  R"(\ud83d\ude00)", "é",     "€",     "😀",    "'",     "/",     "\x7f",
    };
    text_ += '"';
    for (std::size_t left = below(5); left > 0; --left) text_ += one_of(kPieces);
    text_ += '"';
  }

  void digits() {
    const std::size_t count = 1 + (below(8) == 0 ? below(40) : below(6));
    for (std::size_t i = 0; i < count; ++i) text_ += static_cast<char>('0' + below(10));
  }

  void number() {
    if (below(3) == 0) text_ += '-';
    if (below(4) == 0) {
      text_ += '0';
    } else {
      text_ += static_cast<char>('1' + below(9));
      if (below(2) == 0) digits();
    }
    if (below(3) == 0) text_ += '.', digits();
    if (below(4) == 0) {
      constexpr std::string_view kMarks[] = {"e", "E", "e+", "E+", "e-", "E-"};
      text_ += one_of(kMarks);
      text_ += std::to_string(below(below(2) == 0 ? 20 : 400));
    }
  }

  Random random_;
  std::string text_;
};

std::string nested(std::size_t depth, std::string_view open, std::string_view middle, std::string_view close) {
  std::string json;
  for (std::size_t i = 0; i < depth; ++i) json += open;
  json += middle;
  for (std::size_t i = 0; i < depth; ++i) json += close;
  return json;
}

TEST(JsonDifferential, RandomDocuments) {
  RandomDocument random(1);
  std::size_t bytes = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string document = random.make();
    bytes += document.size();
    ASSERT_EQ(difference(document), "") << document;
  }
  EXPECT_GT(bytes, 200'000U);
}

TEST(JsonDifferential, DamagedDocuments) {
  RandomDocument random(2);
  std::size_t refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string document = random.make();
    for (int damages = 0; damages < 4; ++damages) {
      random.damage(document);
      ASSERT_EQ(difference(document), "") << document;
    }
    boost::json::error_code error;
    boost::json::parse(document, error);
    refused += error ? 1 : 0;
  }
  EXPECT_GT(refused, 2000U);
  EXPECT_LT(refused, 4900U);
}

TEST(JsonDifferential, EveryCut) {
  RandomDocument random(3);
  for (int i = 0; i < 300; ++i) {
    const std::string document = random.make().substr(0, 400);
    for (std::size_t end = 0; end < document.size(); ++end) {
      ASSERT_EQ(difference(std::string_view(document).substr(0, end)), "") << document.substr(0, end);
    }
  }
}

TEST(JsonDifferential, EveryByteAtEveryPlace) {
  ASSERT_EQ(difference(kSmall), "");
  for (std::size_t place = 0; place <= kSmall.size(); ++place) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string inserted(kSmall);
      inserted.insert(place, 1, static_cast<char>(byte));
      ASSERT_EQ(difference(inserted), "") << place << " " << byte;
      if (place == kSmall.size()) continue;
      std::string replaced(kSmall);
      replaced[place] = static_cast<char>(byte);
      ASSERT_EQ(difference(replaced), "") << place << " " << byte;
    }
  }
}

TEST(JsonDifferential, EveryByteInStringsOfEveryLength) {
  for (std::size_t length = 1; length <= 20; ++length) {
    for (std::size_t place = 0; place < length; ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(length, 'x');
        text[place] = static_cast<char>(byte);
        ASSERT_EQ(difference("\"" + text + "\""), "") << text;
        ASSERT_EQ(difference("{\"" + text + "\":\"" + text + "\"}        "), "") << text;
      }
    }
  }
}

TEST(JsonDifferential, EveryPairOfBytesInAString) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text{'a', static_cast<char>(first), static_cast<char>(second), 'b'};
      ASSERT_EQ(difference("[\"" + text + "\",\"behind\"]"), "") << first << " " << second;
    }
  }
}

TEST(JsonDifferential, EveryCodePointAndHalfOfOne) {
  constexpr char kDigits[] = "0123456789abcdefABCDEF";
  Random random(4);
  for (unsigned unit = 0; unit < 0x10000; ++unit) {
    std::string json = "\"\\u";
    for (int shift = 12; shift >= 0; shift -= 4) {
      const unsigned digit = unit >> shift & 0xf;
      json += kDigits[digit + (digit > 9 && random.next() % 2 == 0 ? 6 : 0)];
    }
    ASSERT_EQ(difference(json + "\""), "") << json;
    if (unit < 0xd700) continue;
    for (const std::string_view low : {"\\udbff", "\\udc00", "\\udfff", "\\ue000", "\\n", "\\u", "x"}) {
      ASSERT_EQ(difference(json + std::string(low) + "\""), "") << json << low;
    }
  }
}

TEST(JsonDifferential, NumbersAtTheirLimits) {
  std::vector<std::string> integers = {"0", "1", "9", "10"};
  for (const std::string_view limit : {"9223372036854775808", "18446744073709551616", "9007199254740992"}) {
    for (const char last : std::string_view("0123456789")) {
      integers.push_back(std::string(limit.substr(0, limit.size() - 1)) + last);
    }
    integers.push_back(std::string(limit) + "0");
  }
  for (std::size_t length = 1; length <= 40; ++length) {
    for (const char digit : std::string_view("1789")) integers.emplace_back(length, digit);
    integers.push_back("1" + std::string(length, '0'));
  }
  integers.emplace_back(400, '9');
  constexpr std::string_view kTails[] = {"",      ".0",     ".5",     ".",     "e",    "e0",
                                         "E+1",   "e-1",    "e+",     "e308",  "e309", "e-323",
                                         "e-324", "e-9999", "e99999", ".25e1", "0",    "-",
                                         ".0.0",  "e1.",    "e1e1",   "e 1",   "x",    ".00000000000000000000000001"};
  for (const std::string& integer : integers) {
    for (const std::string_view tail : kTails) {
      for (const std::string_view sign : {"", "-", "+", "--", "0"}) {
        const std::string number = std::string(sign) + integer + std::string(tail);
        ASSERT_EQ(difference(number), "") << number;
        ASSERT_EQ(difference("[" + number + "]"), "") << number;
        ASSERT_EQ(difference("[" + number + ",1         ]"), "") << number;
      }
    }
  }
}

TEST(JsonDifferential, ExponentsAtTheirLimits) {
  for (const std::string_view exponent :
       {"2147483646", "2147483647", "2147483648", "2147483657", "4294967296", "9999999999", "99999999999999999999999",
        "0000000000000000000000001", "00000000000002147483647"}) {
    for (const std::string_view sign : {"", "+", "-"}) {
      for (const std::string_view number : {"0", "1", "1.5", "-3"}) {
        const std::string json = std::string(number) + "e" + std::string(sign) + std::string(exponent);
        EXPECT_EQ(difference(json), "") << json;
      }
    }
  }
}

/// The C library rounds correctly, whatever Boost does.
TEST(JsonDifferential, NumbersAreTheNearestDoubles) {
  Random random(5);
  std::vector<std::string> numbers = {"2.4703282292062327e-324",
                                      "2.4703282292062328e-324",
                                      "4.9406564584124654e-324",
                                      "2.2250738585072011e-308",
                                      "1.7976931348623157e308",
                                      "1.7976931348623158e308",
                                      "1.7976931348623159e308",
                                      "0e999999",
                                      "-0e-999999",
                                      "0.1e-999999",
                                      "0.1e999999",
                                      "-1e400"};
  numbers.push_back("0." + std::string(400, '0') + "1e401");
  numbers.push_back("0." + std::string(400, '0') + "1e800");
  numbers.push_back("0." + std::string(400, '0') + "1e10");
  numbers.push_back("1" + std::string(400, '0') + "e-400");
  numbers.push_back("1" + std::string(400, '0') + "e-10");
  numbers.push_back("-1" + std::string(400, '0') + ".5e-1000");
  for (int i = 0; i < 20'000; ++i) {
    std::string number = random.next() % 2 == 0 ? "-" : "";
    number += std::to_string(random.next() >> random.next() % 64) + "." + std::to_string(random.next());
    number += "e" + std::to_string(static_cast<int>(random.next() % 700) - 350);
    numbers.push_back(std::move(number));
  }
  JsonDocument document;
  for (const std::string& number : numbers) {
    JsonFault fault;
    ASSERT_TRUE(document.parse(number, fault)) << number;
    const double expected = std::strtod(number.c_str(), nullptr);
    ASSERT_EQ(document.root().number(), expected) << number;
    ASSERT_EQ(std::signbit(document.root().number()), std::signbit(expected)) << number;
  }
}

TEST(JsonDifferential, EveryDepth) {
  for (std::size_t depth = 0; depth < 40; ++depth) {
    for (const std::string_view middle : {"", "1", "[]", "{}", "\"x\"", "[", "]", "x"}) {
      EXPECT_EQ(difference(nested(depth, "[", middle, "]")), "") << depth << middle;
      EXPECT_EQ(difference(nested(depth, "{\"a\":", middle, "}")), "") << depth << middle;
      EXPECT_EQ(difference(nested(depth, "[1,{\"a\":[],\"b\":", middle, "},2]")), "") << depth << middle;
      EXPECT_EQ(difference(nested(depth, "[", middle, "}")), "") << depth << middle;
    }
  }
  for (const std::string_view open : {"[", "{\"a\":", "[[],", "{\"\":[", " [\n"}) {
    EXPECT_EQ(difference(nested(1'000'000, open, "", "")), "") << open;
  }
  EXPECT_EQ(difference("[" + nested(100'000, "[],", "", "") + "1]"), "");
  EXPECT_EQ(difference("[" + nested(100'000, "{\"a\":[{}]},", "", "") + "1]"), "");
}

TEST(JsonDifferential, EveryNumberOfFields) {
  for (std::size_t count = 0; count < 130; ++count) {
    std::string json = "{";
    for (std::size_t i = 0; i < count; ++i) json += "\"name" + std::to_string(i) + "\":[" + std::to_string(i) + "],";
    ASSERT_EQ(difference(json + "\"last\":{}}"), "") << count;
    ASSERT_EQ(difference(json + "\"name0\":1}"), "") << count;
    ASSERT_EQ(difference(json + "}"), "") << count;
    ASSERT_EQ(difference(json + "1}"), "") << count;
  }
}

TEST(JsonDifferential, HugeTexts) {
  for (const std::string_view piece : {"x", "é", "😀", "\\n", "\\u20ac", "0123456\\\"", "\x7f"}) {
    const std::string text = nested(1'000'000 / piece.size(), piece, "", "");
    EXPECT_EQ(difference("\"" + text + "\""), "") << piece;
    EXPECT_EQ(difference("{\"" + text + "\":\"" + text + "\"}"), "") << piece;
    EXPECT_EQ(difference("\"" + text), "") << piece;
    EXPECT_EQ(difference("\"" + text + "\n\""), "") << piece;
    EXPECT_EQ(difference("\"" + text + "\xff\""), "") << piece;
    EXPECT_EQ(difference("\"" + text + "\\\""), "") << piece;
  }
  EXPECT_EQ(difference(std::string(1'000'000, ' ')), "");
  EXPECT_EQ(difference(std::string(1'000'000, '7')), "");
  EXPECT_EQ(difference("0." + std::string(1'000'000, '7')), "");
}

}  // namespace
}  // namespace turnout
