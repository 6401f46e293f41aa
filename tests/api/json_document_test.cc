#include "api/json_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/json/parse.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/json_writer.h"
#include "base/random.h"

namespace turnout {
namespace {

/// The fault of a document that is not well-formed; "" when it is.
std::string fault_of(std::string_view body) {
  JsonDocument document;
  JsonFault fault;
  const bool parsed = document.parse(body, fault);
  EXPECT_NE(parsed, fault.happened()) << body;
  EXPECT_TRUE(parsed || document.root().kind() == JsonKind::null) << body;
  return fault.text();
}

/// A document that is well-formed, kept for looking at.
class Parsed {
 public:
  explicit Parsed(std::string body) : body_(std::move(body)) {
    JsonFault fault;
    EXPECT_TRUE(document_.parse(body_, fault)) << body_ << ": " << fault.text();
  }
  const JsonDocument& document() const { return document_; }
  const JsonNode& root() const { return document_.root(); }
  const JsonNode& only_child() const { return *root().children().begin(); }
  const std::string& body() const { return body_; }

 private:
  std::string body_;
  JsonDocument document_;
};

TEST(JsonDocument, KeepsTheFormOfEveryValue) {
  struct Row {
    std::string_view json;
    JsonKind kind;
  };
  constexpr Row kRows[] = {
      {"null", JsonKind::null},
      {"true", JsonKind::boolean},
      {"false", JsonKind::boolean},
      {"0", JsonKind::integer},
      {"-0", JsonKind::integer},
      {"-9223372036854775808", JsonKind::integer},
      {"9223372036854775807", JsonKind::integer},
      {"9223372036854775808", JsonKind::unsigned_integer},
      {"18446744073709551615", JsonKind::unsigned_integer},
      {"18446744073709551616", JsonKind::huge_integer},
      {"-9223372036854775809", JsonKind::huge_integer},
      {"1.0", JsonKind::number},
      {"1e3", JsonKind::number},
      {"1E-3", JsonKind::number},
      {"-0.0", JsonKind::number},
      {"1e400", JsonKind::number},
      {"\"\"", JsonKind::string},
      {"[]", JsonKind::array},
      {"{}", JsonKind::object},
      {" \t\r\n[ ] \n", JsonKind::array},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(Parsed(std::string(row.json)).root().kind(), row.kind) << row.json;
    EXPECT_EQ(Parsed("[" + std::string(row.json) + "]").only_child().kind(), row.kind) << row.json;
  }
}

TEST(JsonDocument, GivesNumbersExactly) {
  EXPECT_EQ(Parsed("-9223372036854775808").root().integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Parsed("18446744073709551615").root().unsigned_integer(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(Parsed("7").root().number(), 7.0);
  EXPECT_EQ(Parsed("18446744073709551615").root().number(), 0x1p64);
  EXPECT_EQ(Parsed("100000000000000000000000").root().number(), 1e23);
  EXPECT_EQ(Parsed("0.1").root().number(), 0.1);
  EXPECT_EQ(Parsed("2.2250738585072011e-308").root().number(), 2.2250738585072011e-308);
  EXPECT_EQ(Parsed("[123456789012345678901234567890.5]").only_child().number(), 123456789012345678901234567890.5);
  EXPECT_EQ(Parsed("1e400").root().number(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Parsed("-1e400").root().number(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(Parsed("1e-400").root().number(), 0.0);
  EXPECT_TRUE(std::signbit(Parsed("-0.0").root().number()));
}

TEST(JsonDocument, ResolvesEscapes) {
  struct Row {
    std::string_view json;
    std::string_view text;
  };
  constexpr Row kRows[] = {
      {R"("")", ""},
      {R"("plain é€😀")", "plain é€😀"},
      {R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
      {R"("\u0041\u00e9\u20AC\ud83d\ude00")", "Aé€😀"},
      {R"("a\u0000b")", std::string_view("a\0b", 3)},
      {R"("before\tafter")", "before\tafter"},
      {"\"\x7f\"", "\x7f"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(Parsed(std::string(row.json)).root().text(), row.text) << row.json;
    const Parsed object("{" + std::string(row.json) + ":" + std::string(row.json) + "}");
    EXPECT_EQ(object.only_child().key(), row.text) << row.json;
    EXPECT_EQ(object.only_child().text(), row.text) << row.json;
  }
}

TEST(JsonDocument, ResolvesEscapesOfTextsLongerThanTheBufferOfTheParser) {
  std::string json = "[\"";
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    json += "\\u00e9xyz";
    text += "éxyz";
  }
  const Parsed parsed(json + "\",\"\\n\",\"plain\"]");
  auto child = parsed.root().children().begin();
  EXPECT_EQ(child++->text(), text);
  EXPECT_EQ(child++->text(), "\n");
  EXPECT_EQ(child++->text(), "plain");
}

TEST(JsonDocument, PointsIntoTheBodyWhereNothingIsEscaped) {
  const Parsed parsed(R"({"key":"value"})");
  const JsonNode& field = parsed.only_child();
  EXPECT_EQ(field.key().data(), parsed.body().data() + 2);
  EXPECT_EQ(field.text().data(), parsed.body().data() + 8);
}

TEST(JsonDocument, KeepsTheShapeAndKnowsThePathOfEveryNode) {
  const Parsed parsed(R"({"a":[],"b":[1,{"c":[[true]]},"x"],"d/~\u00e9":{},"":null})");
  std::vector<std::string> paths;
  const auto visit = [&](const auto& self, const JsonNode& node) -> void {
    paths.push_back(parsed.document().path_of(node));
    for (const JsonNode& child : node.children()) self(self, child);
  };
  visit(visit, parsed.root());
  EXPECT_EQ(paths, (std::vector<std::string>{"", "/a", "/b", "/b/0", "/b/1", "/b/1/c", "/b/1/c/0", "/b/1/c/0/0", "/b/2",
                                             "/d~1~0??", "/"}));
  EXPECT_EQ(parsed.document().path_of(parsed.root(), "new"), "/new");
  EXPECT_EQ(parsed.root().size(), 4U);
  EXPECT_EQ(parsed.root().find("b")->size(), 3U);
  EXPECT_EQ(parsed.root().find("e"), nullptr);
  EXPECT_TRUE(parsed.root().find("a")->children().empty());
  EXPECT_EQ(parsed.root().find("b")->find("b"), nullptr);
}

TEST(JsonDocument, CutsLongNamesInPaths) {
  const Parsed parsed("{\"" + std::string(100, 'n') + "\":1}");
  EXPECT_EQ(parsed.document().path_of(parsed.only_child()), "/" + std::string(64, 'n') + "...");
}

TEST(JsonDocument, RefusesWhatIsNotWellFormed) {
  struct Row {
    std::string_view json;
    std::string_view fault;
  };
  constexpr Row kRows[] = {
      {"", "empty document: a JSON object is expected, such as {}"},
      {" ", "unexpected end at byte 1"},
      {"{", "unexpected end at byte 1"},
      {R"({"a":1)", "unexpected end at byte 6"},
      {R"({"a":1,})", "unexpected character at byte 7"},
      {R"([1,])", "unexpected character at byte 3"},
      {R"({"a":1}x)", "unexpected character at byte 7"},
      {R"({"a":1} {})", "unexpected character at byte 8"},
      {"1 2", "unexpected character at byte 2"},
      {"\xef\xbb\xbf{}", "unexpected character at byte 0"},
      {R"({a:1})", "unexpected character at byte 1"},
      {R"({'a':1})", "unexpected character at byte 1"},
      {R"({"a" 1})", "unexpected character at byte 5"},
      {"[1 2]", "unexpected character at byte 3"},
      {"// c\n1", "unexpected character at byte 0"},
      {"[1]/**/", "unexpected character at byte 3"},
      {"NaN", "unexpected character at byte 0"},
      {"Infinity", "unexpected character at byte 0"},
      {"-Infinity", "unexpected character at byte 1"},
      {"01", "unexpected character at byte 1"},
      {"+1", "unexpected character at byte 0"},
      {".5", "unexpected character at byte 0"},
      {"[1.]", "unexpected character at byte 3"},
      {"[1e]", "unexpected character at byte 3"},
      {"0x10", "unexpected character at byte 1"},
      {"tru", "unexpected end at byte 3"},
      {"True", "unexpected character at byte 0"},
      {"\"a\nb\"", "unexpected character at byte 2"},
      {std::string_view("\"a\0b\"", 5), "unexpected character at byte 2"},
      {R"("\x")", "unexpected character at byte 2"},
      {R"("\u12g4")", "bad escape at byte 5"},
      {R"("\ud800")", "unexpected character at byte 7"},
      {R"("\ud800x")", "unexpected character at byte 7"},
      {R"("\udc00")", "bad escape at byte 7"},
      {R"("\ud800\ud800")", "bad escape at byte 9"},
      {"\"\xff\"", "not UTF-8 at byte 1"},
      {"\"\xc0\xaf\"", "not UTF-8 at byte 1"},
      {"\"\xed\xa0\x80\"", "not UTF-8 at byte 1"},
      {"\"\xf4\x90\x80\x80\"", "not UTF-8 at byte 1"},
      {"\"\xe2\x82\"", "not UTF-8 at byte 1"},
      {"{\"\xff\":1}", "not UTF-8 at byte 2"},
      {"1e99999999999", "exponent out of range at byte 11"},
      {"[tru1]", "unexpected character at byte 4"},
      {"[-]", "unexpected character at byte 2"},
      {"-", "unexpected end at byte 1"},
      {"[1.5e+", "unexpected end at byte 6"},
      {R"("\u12)", "unexpected end at byte 5"},
      {R"("\)", "unexpected end at byte 2"},
      {"[1}", "unexpected character at byte 2"},
      {"{\"a\":1]", "unexpected character at byte 6"},
  };
  for (const Row& row : kRows) EXPECT_EQ(fault_of(row.json), row.fault) << row.json;
}

TEST(JsonDocument, TellsOfTheFirstFault) {
  EXPECT_EQ(fault_of("{\"a\":x,\"b\":\"\xff\"}"), "unexpected character at byte 5");
  EXPECT_EQ(fault_of("{\"a\":\"\xff\",\"b\":x}"), "/a: not UTF-8 at byte 6");
  EXPECT_EQ(fault_of("[\"\\x\xff\"]"), "unexpected character at byte 3");
  EXPECT_EQ(fault_of("[\"\xff\\x\"]"), "/0: not UTF-8 at byte 2");
  EXPECT_EQ(fault_of("[\"\xff\n\"]"), "/0: not UTF-8 at byte 2");
  EXPECT_EQ(fault_of("{\"a\":{\"b\":[1,\"\xc3\xa9\xe2\x82"), "/a/b/1: not UTF-8 at byte 16");
  EXPECT_EQ(fault_of("{\"a\":[{\"\xff\":1}]}"), "/a/0: not UTF-8 at byte 8");
  EXPECT_EQ(fault_of("{\"a\":[1\xff]}"), "/a/1: not UTF-8 at byte 7");
  EXPECT_EQ(fault_of("{\"a\"\xff:1}"), "/a: not UTF-8 at byte 4");
  EXPECT_EQ(fault_of("{\"a\":1,\"a\":\"\xff\"}"), "/a: duplicate key");
}

TEST(JsonDocument, RefusesANameThatIsThereTwice) {
  EXPECT_EQ(fault_of(R"({"amount":1,"amount":2})"), "/amount: duplicate key");
  EXPECT_EQ(fault_of(R"({"a":{"a":1},"b":[{"a":1,"c":{"d":1},"a":1}]})"), "/b/0/a: duplicate key");
  EXPECT_EQ(fault_of(R"({"a":1,"\u0061":2})"), "/a: duplicate key");
  EXPECT_EQ(fault_of(R"({"":1,"":2})"), "/: duplicate key");
  EXPECT_EQ(fault_of(R"({"a\n/~":1,"a\n/~":2})"), "/a?~1~0: duplicate key");
  EXPECT_EQ(fault_of(R"({"a":1,"b":{"a":1},"c":{"a":1}})"), "");
}

TEST(JsonDocument, LimitsTheNumberOfFields) {
  const auto with_fields = [](std::size_t count) {
    std::string json = "{";
    for (std::size_t i = 0; i < count; ++i) json += (i == 0 ? "\"f" : ",\"f") + std::to_string(i) + "\":0";
    return json + "}";
  };
  EXPECT_EQ(fault_of(with_fields(JsonDocument::kMaxFields)), "");
  EXPECT_THAT(fault_of(with_fields(JsonDocument::kMaxFields + 1)), testing::StartsWith("more than 64 fields at byte"));
}

TEST(JsonDocument, LimitsTheDepth) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(fault_of(nested(JsonDocument::kMaxDepth)), "");
  EXPECT_EQ(fault_of(nested(JsonDocument::kMaxDepth + 1)), "nested deeper than 16 levels at byte 16");
  EXPECT_EQ(fault_of(std::string(1'000'000, '[')), "nested deeper than 16 levels at byte 16");
  std::string objects;
  for (int i = 0; i < 17; ++i) objects += "{\"a\":";
  EXPECT_EQ(fault_of(objects), "nested deeper than 16 levels at byte 80");
}

TEST(JsonDocument, LooksForNoOtherFieldOfTheSameRequest) {
  constexpr std::string_view kNames[] = {
      "channel",     "transaction_id", "merchant_id", "customer_id", "payment_method", "payment_method_type",
      "amount",      "currency",       "eligible",    "exclude",     "sticky",         "explain",
      "provider",    "status",         "decision_id", "error_code",  "confirmed",      "latency_ms",
      "failure_kind"};
  for (const std::string_view name : kNames) {
    const Parsed parsed("{\"" + std::string(name) + "\":1}");
    for (const std::string_view other : kNames) EXPECT_EQ(parsed.root().may_have(other), other == name) << other;
  }
}

TEST(JsonDocument, RefusesCardNumbersInNamesAndDoesNotShowThem) {
  JsonDocument document;
  JsonFault fault;
  EXPECT_FALSE(document.parse(R"({"a":[{"4111 1111 1111 1111":1}]})", fault));
  EXPECT_EQ(fault.code, JsonFault::Code::pan_detected);
  EXPECT_EQ(fault.text(), "/a/0: a field's name looks like a card number");
}

TEST(JsonDocument, MarksStringsThatHoldCardNumbers) {
  const Parsed parsed(R"({"a":["x",{"b":"411111111111111\u0031"}],"c":4111111111111111,"d":"4111111111111112"})");
  const JsonNode* const card = parsed.root().first_card_number();
  ASSERT_NE(card, nullptr);
  EXPECT_EQ(parsed.document().path_of(*card), "/a/1/b");
  EXPECT_TRUE(card->holds_card_number());
  EXPECT_FALSE(parsed.root().holds_card_number());
  EXPECT_EQ(parsed.root().find("c")->first_card_number(), nullptr);
  EXPECT_EQ(parsed.root().find("d")->first_card_number(), nullptr);
}

TEST(JsonDocument, DoesNotSearchTextsThatNoFieldMayHold) {
  for (const std::size_t size : {4096U, 4097U}) {
    const std::string text = std::string(size - 17, 'x') + " 4111111111111111";
    const Parsed parsed("[\"" + text + "\"]");
    EXPECT_EQ(parsed.root().first_card_number() != nullptr, size == 4096) << size;
  }
}

TEST(JsonDocument, ShowsNoCardNumberOfANameOfAnyLength) {
  for (const std::size_t more : {1U, 5000U}) {
    JsonDocument document;
    JsonFault fault;
    std::string body = "{\"4111111111111111 ";
    body.append(more, 'x').append("\":1}");
    EXPECT_FALSE(document.parse(body, fault));
    EXPECT_EQ(fault.code, JsonFault::Code::pan_detected);
    EXPECT_EQ(fault.text().find("4111"), std::string::npos) << fault.text();
  }
}

TEST(JsonDocument, LeavesAnEarlierFaultAlone) {
  JsonDocument document;
  JsonFault fault{JsonFault::Code::invalid_request, "/first", "wrong"};
  EXPECT_FALSE(document.parse("{}", fault));
  EXPECT_EQ(fault.text(), "/first: wrong");
  EXPECT_EQ(document.root().kind(), JsonKind::null);
}

TEST(JsonDocument, CanBeUsedAgainAfterAnyOutcome) {
  JsonDocument document;
  for (int i = 0; i < 3; ++i) {
    JsonFault good;
    EXPECT_TRUE(document.parse(R"({"a":"\n","b":[1,2]})", good));
    EXPECT_EQ(document.root().find("a")->text(), "\n");
    JsonFault bad;
    EXPECT_FALSE(document.parse(R"({"a":["\n",{"b":)", bad));
    const std::string longer = R"(["\t)" + std::string(static_cast<std::size_t>(1000 * (i + 1)), 'x') + "\"]";
    JsonFault other;
    EXPECT_TRUE(document.parse(longer, other));
    EXPECT_EQ(document.root().children().begin()->text().size(), 1000U * static_cast<unsigned>(i + 1) + 1);
  }
}

TEST(JsonNodeDeathTest, AssertsThatItIsWhatItIsAskedFor) {
  const Parsed parsed("null");
  EXPECT_DEATH((void)parsed.root().text(), "assertion failed");
  EXPECT_DEATH((void)parsed.root().boolean(), "assertion failed");
  EXPECT_DEATH((void)parsed.root().integer(), "assertion failed");
  EXPECT_DEATH((void)parsed.root().unsigned_integer(), "assertion failed");
  EXPECT_DEATH((void)parsed.root().number(), "assertion failed");
  EXPECT_DEATH((void)parsed.root().size(), "assertion failed");
}

/// Writes a random value and notes what a reader should find, one line for each value.
class RandomWriter {
 public:
  RandomWriter(std::uint64_t seed, std::string& json) : random_(seed), writer_(json) {}

  void value(std::size_t depth) {
    switch (below(depth < 5 ? 7 : 5)) {
      case 0:
        writer_.null(), note("null");
        break;
      case 1:
        scalar(below(2) == 1, "boolean ");
        break;
      case 2:
        scalar(static_cast<std::int64_t>(random_.next()) >> below(64), "integer ");
        break;
      case 3:
        scalar(fraction(), "number ");
        break;
      case 4:
        text();
        break;
      case 5:
        array(depth);
        break;
      default:
        object(depth);
    }
  }

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::size_t below(std::size_t limit) { return random_.next() % limit; }
  void note(std::string line) { notes_.push_back(std::move(line)); }

  template <class T>
  void scalar(T number, std::string kind) {
    writer_.value(number);
    note(kind.append(std::to_string(number)));
  }

  double fraction() { return std::ldexp(random_.next_draw() + 0.3, static_cast<int>(below(40)) - 36) + 1e-9; }

  std::string random_text() {
    constexpr std::string_view kPieces[] = {
        "a", "B7", "\"", "\\", "\n", "é", "€", "😀", "/", " ", std::string_view("\0", 1)};
    std::string out;
    for (std::size_t left = below(8); left > 0; --left) out += kPieces[below(std::size(kPieces))];
    return out;
  }

  void text() {
    const std::string string = random_text();
    writer_.value(string);
    note("string " + string);
  }

  void array(std::size_t depth) {
    writer_.begin_array();
    note("array");
    for (std::size_t left = below(5); left > 0; --left) value(depth + 1);
    writer_.end_array();
    note("end");
  }

  void object(std::size_t depth) {
    writer_.begin_object();
    note("object");
    for (std::size_t i = below(12); i > 0; --i) {
      const std::string name = random_text() + std::to_string(i);
      writer_.key(name);
      note("key " + name);
      value(depth + 1);
    }
    writer_.end_object();
    note("end");
  }

  Random random_;
  JsonWriter writer_;
  std::vector<std::string> notes_;
};

void read_back(const JsonNode& node, std::vector<std::string>& notes) {
  switch (node.kind()) {
    case JsonKind::null:
      notes.push_back("null");
      return;
    case JsonKind::boolean:
      notes.push_back("boolean " + std::to_string(node.boolean()));
      return;
    case JsonKind::integer:
      notes.push_back("integer " + std::to_string(node.integer()));
      return;
    case JsonKind::string:
      notes.push_back("string " + std::string(node.text()));
      return;
    case JsonKind::array:
    case JsonKind::object:
      notes.push_back(node.kind() == JsonKind::array ? "array" : "object");
      for (const JsonNode& child : node.children()) {
        if (node.kind() == JsonKind::object) notes.push_back("key " + std::string(child.key()));
        read_back(child, notes);
      }
      notes.push_back("end");
      return;
    default:
      notes.push_back("number " + std::to_string(node.number()));
  }
}

RC_GTEST_PROP(JsonDocumentProperty, WhatJsonWriterWritesIsReadBack, (std::uint64_t seed)) {
  std::string json;
  RandomWriter writer(seed, json);
  writer.value(0);
  const Parsed parsed(json);
  std::vector<std::string> notes;
  read_back(parsed.root(), notes);
  RC_ASSERT(notes == writer.notes());
}

RC_GTEST_PROP(JsonDocumentProperty, NumbersAreReadBackExactly, (std::uint64_t bits)) {
  double number = 0;
  static_assert(sizeof number == sizeof bits);
  std::memcpy(&number, &bits, sizeof number);
  RC_PRE(std::isfinite(number));
  std::string json;
  JsonWriter(json).value(number);
  RC_ASSERT(Parsed(json).root().number() == number);
}

RC_GTEST_PROP(JsonDocumentProperty, EveryCutOfAnObjectIsAnError, (std::uint64_t seed)) {
  std::string json = "{\"a\":";
  RandomWriter(seed, json).value(0);
  json += "}";
  for (std::size_t length = 0; length < json.size(); ++length) {
    const std::string cut = json.substr(0, length);  // its own memory, so that a sanitizer sees a read past the cut
    RC_ASSERT(fault_of(cut) != "");
  }
}

/// Mutated documents are accepted by both parsers of Boost or by neither, but for what we refuse beyond the grammar.
RC_GTEST_PROP(JsonDocumentProperty, AgreesWithTheGrammarOnDamagedDocuments, (std::uint64_t seed)) {
  std::string json;
  RandomWriter(seed, json).value(0);
  Random random(seed + 1);
  constexpr std::string_view kBytes = "{}[]\",:\\0123456789eE+-.tfn \n/u\x80\xc3\xff";
  for (int i = 0; i < 3 && !json.empty(); ++i)
    json[random.next() % json.size()] = kBytes[random.next() % kBytes.size()];
  boost::json::error_code error;
  boost::json::parse_options options;
  options.max_depth = JsonDocument::kMaxDepth;
  const boost::json::value value = boost::json::parse(json, error, {}, options);
  const std::string fault = fault_of(json);
  const bool beyond_grammar =
      fault.find("duplicate key") != std::string::npos || fault.find("card number") != std::string::npos;
  RC_ASSERT(beyond_grammar || fault.empty() == !error);
}

}  // namespace
}  // namespace turnout
