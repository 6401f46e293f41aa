#include "api/json_reader.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace turnout {
namespace {

using Read = std::function<void(JsonReader&)>;

/// The fault of a body read in a certain way to its end; "" when there is none.
std::string fault_of(std::string_view body, const Read& read) {
  JsonDocument document;
  JsonFault fault;
  document.parse(body, fault);
  JsonReader in(document, fault);
  read(in);
  in.finish();
  return (fault.code == JsonFault::Code::pan_detected ? "pan_detected " : "") + fault.text();
}

enum class Color { red, green };
constexpr std::array<JsonWord<Color>, 2> kColors{{{"red", Color::red}, {"green", Color::green}}};

/// The faults of one kind of field, read under the name `f`, once as required and once as optional.
struct Kind {
  std::string_view name;
  Read required;
  Read optional;
  std::vector<std::pair<std::string_view, std::string_view>> faults;  ///< a JSON value, and the message for it
  std::vector<std::string_view> accepted;
};

constexpr std::string_view kCard = R"("4111 1111 1111 1111")";
constexpr std::string_view kNotId = "expected 1 to 64 of A-Z a-z 0-9 . _ : -";
constexpr std::string_view kNotAmount = "expected an integer or a string of decimal digits";
constexpr std::string_view kNotDuration = "expected an integer of milliseconds or a text such as 30s";
constexpr std::string_view kNotInAmounts = "must be from 0 to 9007199254740992";

const Kind kKinds[] = {
    {"id",
     [](JsonReader& in) { in.id("f"); },
     [](JsonReader& in) { (void)in.optional_id("f"); },
     {{"1", "expected a string"},
      {"null", "expected a string"},
      {"[]", "expected a string"},
      {R"("")", kNotId},
      {R"("a b")", kNotId},
      {R"("é")", kNotId},
      {R"("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")", kNotId}},
     {R"("a")", R"("\u0061.b_c:d-E")"}},
    {"text",
     [](JsonReader& in) { in.text("f", 2, 4); },
     [](JsonReader& in) { (void)in.optional_text("f", 2, 4); },
     {{"1", "expected a string"},
      {"null", "expected a string"},
      {"{}", "expected a string"},
      {"true", "expected a string"},
      {R"("")", "empty"},
      {R"("a")", "shorter than 2 bytes"},
      {R"("abcde")", "longer than 4 bytes"},
      {R"("ééé")", "longer than 4 bytes"}},
     {R"("ab")", R"("éé")"}},
    {"boolean",
     [](JsonReader& in) { in.boolean("f"); },
     [](JsonReader& in) { (void)in.optional_boolean("f"); },
     {{"0", "expected true or false"},
      {R"("true")", "expected true or false"},
      {"null", "expected true or false"},
      {"[]", "expected true or false"}},
     {"true", "false"}},
    {"integer",
     [](JsonReader& in) { in.integer("f", -5, 10); },
     [](JsonReader& in) { (void)in.optional_integer("f", -5, 10); },
     {{"11", "must be from -5 to 10"},
      {"-6", "must be from -5 to 10"},
      {"9223372036854775808", "must be from -5 to 10"},
      {"1000000000000000000000000000000", "must be from -5 to 10"},
      {"1.0", "expected an integer"},
      {"1e0", "expected an integer"},
      {R"("1")", "expected an integer"},
      {"null", "expected an integer"},
      {"true", "expected an integer"},
      {"{}", "expected an integer"}},
     {"-5", "10", "0", "-0"}},
    {"number",
     [](JsonReader& in) { in.number("f", 0, 1e6); },
     [](JsonReader& in) { (void)in.optional_number("f", 0, 1e6); },
     {{"1000000.5", "must be from 0 to 1e+06"},
      {"-1e-9", "must be from 0 to 1e+06"},
      {"1e400", "must be from 0 to 1e+06"},
      {"18446744073709551616", "must be from 0 to 1e+06"},
      {R"("1")", "expected a number"},
      {"null", "expected a number"},
      {"[1]", "expected a number"}},
     {"0", "0.5", "1e6", "1000000", "-0.0"}},
    {"amount",
     [](JsonReader& in) { in.amount("f"); },
     [](JsonReader& in) { (void)in.optional_amount("f"); },
     {{"-1", kNotInAmounts},
      {"9007199254740993", kNotInAmounts},
      {"18446744073709551615", kNotInAmounts},
      {"18446744073709551616", kNotInAmounts},
      {R"("9007199254740993")", kNotInAmounts},
      {R"("99999999999999999999999")", kNotInAmounts},
      {"1.0", kNotAmount},
      {"1e3", kNotAmount},
      {R"("")", kNotAmount},
      {R"("-1")", kNotAmount},
      {R"("+1")", kNotAmount},
      {R"("01")", kNotAmount},
      {R"("1.0")", kNotAmount},
      {R"(" 1")", kNotAmount},
      {R"("0x1")", kNotAmount},
      {"null", kNotAmount},
      {"false", kNotAmount},
      {"[]", kNotAmount}},
     {"0", "9007199254740992", R"("0")", R"("9007199254740992")", "4111111111111111", R"("4111111111111111")"}},
    {"duration",
     [](JsonReader& in) { in.duration("f", kSecond, kMinute); },
     [](JsonReader& in) { (void)in.optional_duration("f", kSecond, kMinute); },
     {{"999", "must be from 1s to 1m"},
      {"60001", "must be from 1s to 1m"},
      {"-1", "must be from 1s to 1m"},
      {"18446744073709551615", "must be from 1s to 1m"},
      {"-18446744073709551616", "must be from 1s to 1m"},
      {R"("61s")", "must be from 1s to 1m"},
      {R"("1")", kNotDuration},
      {R"("1 s")", kNotDuration},
      {R"("4000d")", kNotDuration},
      {"1000.0", kNotDuration},
      {"null", kNotDuration},
      {"true", kNotDuration}},
     {"1000", R"("60s")", R"("1m")", R"("1500ms")"}},
    {"word",
     [](JsonReader& in) { in.word("f", kColors); },
     [](JsonReader& in) { (void)in.optional_word("f", kColors); },
     {{R"("blue")", "expected one of red, green"},
      {R"("Red")", "expected one of red, green"},
      {R"("")", "expected one of red, green"},
      {"0", "expected one of red, green"},
      {"null", "expected one of red, green"}},
     {R"("red")", R"("green")"}},
    {"ids",
     [](JsonReader& in) { in.ids("f", 1, 3); },
     [](JsonReader& in) { (void)in.optional_ids("f", 1, 3); },
     {{"[]", "fewer than 1 elements"},
      {R"(["a","b","c","d"])", "more than 3 elements"},
      {R"("a")", "expected an array"},
      {"null", "expected an array"},
      {R"({"a":1})", "expected an array"}},
     {R"(["a"])", R"(["a","b","c"])"}},
    {"array",
     [](JsonReader& in) { in.array("f", 1, 2); },
     [](JsonReader& in) { (void)in.optional_array("f", 1, 2); },
     {{"[]", "fewer than 1 elements"},
      {"[1,2,3]", "more than 2 elements"},
      {"{}", "expected an array"},
      {"null", "expected an array"}},
     {"[1]", R"([{},"a"])"}},
    {"object",
     [](JsonReader& in) { in.object("f").finish(); },
     [](JsonReader& in) {
       if (auto inner = in.optional_object("f")) inner->finish();
     },
     {{"[]", "expected an object"}, {"null", "expected an object"}, {R"("a")", "expected an object"}},
     {"{}"}},
};

std::string with_field(std::string_view value) { return R"({"f":)" + std::string(value) + "}"; }

TEST(JsonReader, RefusesEachKindOfWrongValue) {
  for (const Kind& kind : kKinds) {
    for (const auto& [value, message] : kind.faults) {
      const std::string expected = "/f: " + std::string(message);
      EXPECT_EQ(fault_of(with_field(value), kind.required), expected) << kind.name << ' ' << value;
      EXPECT_EQ(fault_of(with_field(value), kind.optional), expected) << kind.name << ' ' << value;
    }
  }
}

TEST(JsonReader, AcceptsEachKindOfRightValue) {
  for (const Kind& kind : kKinds) {
    for (const std::string_view value : kind.accepted) {
      EXPECT_EQ(fault_of(with_field(value), kind.required), "") << kind.name << ' ' << value;
      EXPECT_EQ(fault_of(with_field(value), kind.optional), "") << kind.name << ' ' << value;
    }
  }
}

TEST(JsonReader, RefusesMissingDuplicateAndMalformedFieldsOfEveryKind) {
  for (const Kind& kind : kKinds) {
    EXPECT_EQ(fault_of("{}", kind.required), "/f: required") << kind.name;
    EXPECT_EQ(fault_of("{}", kind.optional), "") << kind.name;
    const std::string value(kind.accepted.front());
    EXPECT_EQ(fault_of(R"({"f":)" + value + R"(,"f":)" + value + "}", kind.required), "/f: duplicate key") << kind.name;
    EXPECT_EQ(fault_of(with_field("\"\xff\""), kind.required), "/f: not UTF-8 at byte 6") << kind.name;
    EXPECT_EQ(fault_of(R"({"f":)" + value, kind.optional).find("unexpected end at byte"), 0U) << kind.name;
    EXPECT_EQ(fault_of("[]", kind.required), "expected an object") << kind.name;
  }
}

TEST(JsonReader, RefusesCardNumbersInFieldsOfEveryKind) {
  for (const Kind& kind : kKinds) {
    for (const Read& read : {kind.required, kind.optional}) {
      EXPECT_EQ(fault_of(with_field(kCard), read), "pan_detected /f: looks like a card number") << kind.name;
    }
  }
}

TEST(JsonReader, RefusesCardNumbersWhereverTheyAre) {
  struct Row {
    std::string_view body;
    std::string_view fault;
  };
  constexpr Row kRows[] = {
      {R"({"id":"4111111111111111"})", "/id: looks like a card number"},
      {R"({"ids":["a","4111111111111111"]})", "/ids/1: looks like a card number"},
      {R"({"ids":[["x","4111-1111-1111-1111"]]})", "/ids/0/1: looks like a card number"},
      {R"({"unknown":"4111111111111111"})", "/unknown: looks like a card number"},
      {R"({"unknown":[{"deep":"my card 4111111111111111"}]})", "/unknown/0/deep: looks like a card number"},
      {R"({"4111111111111111":1})", "a field's name looks like a card number"},
      {R"({"unknown":{"4111111111111111":1}})", "/unknown: a field's name looks like a card number"},
      {R"(["4111111111111111"])", "/0: looks like a card number"},
      {R"("4111111111111111")", "looks like a card number"},
  };
  for (const Row& row : kRows) {
    const std::string fault = fault_of(row.body, [](JsonReader& in) {
      (void)in.optional_id("id");
      (void)in.optional_ids("ids", 0, 10);
    });
    EXPECT_EQ(fault, "pan_detected " + std::string(row.fault)) << row.body;
    EXPECT_EQ(fault.find("4111"), std::string::npos);
  }
}

TEST(JsonReader, GivesTheValues) {
  const std::string body =
      R"({"id":"payments","text":"a\nb","yes":true,"integer":-7,"number":0.5,"whole":2,"amount":12,"digits":"34",)"
      R"("ms":250,"span":"2s","color":"green","ids":["A","B"],"inner":{"x":1},"list":[{"y":1},{"y":2}]})";
  JsonDocument document;
  JsonFault fault;
  document.parse(body, fault);
  JsonReader in(document, fault);
  EXPECT_EQ(in.id("id"), "payments");
  EXPECT_EQ(in.text("text", 1, 10), "a\nb");
  EXPECT_TRUE(in.boolean("yes"));
  EXPECT_EQ(in.integer("integer", -10, 10), -7);
  EXPECT_EQ(in.number("number", 0, 1), 0.5);
  EXPECT_EQ(in.number("whole", 0, 2), 2.0);
  EXPECT_EQ(in.amount("amount"), 12U);
  EXPECT_EQ(in.amount("digits"), 34U);
  EXPECT_EQ(in.duration("ms", 0, kMinute), 250);
  EXPECT_EQ(in.duration("span", 0, kMinute), 2000);
  EXPECT_EQ(in.word("color", kColors), Color::green);
  const JsonTexts ids = in.ids("ids", 0, 5);
  EXPECT_EQ(std::vector<std::string_view>(ids.begin(), ids.end()), (std::vector<std::string_view>{"A", "B"}));
  EXPECT_EQ(ids.size(), 2U);
  JsonReader inner = in.object("inner");
  EXPECT_EQ(inner.integer("x", 0, 5), 1);
  inner.finish();
  std::int64_t sum = 0;
  for (const JsonNode& element : in.array("list", 1, 5)) {
    JsonReader item = in.object(element);
    sum = sum * 10 + item.integer("y", 0, 5);
    item.finish();
  }
  EXPECT_EQ(sum, 12);
  in.finish();
  EXPECT_EQ(fault.text(), "");
}

TEST(JsonReader, TellsAbsentFromEmpty) {
  JsonDocument document;
  JsonFault fault;
  document.parse(R"({"there":[],"nothing":null,"also":null})", fault);
  JsonReader in(document, fault);
  EXPECT_TRUE(in.optional_ids("there", 0, 5).has_value());
  EXPECT_FALSE(in.optional_ids("absent", 0, 5).has_value());
  EXPECT_TRUE(in.has("nothing"));
  EXPECT_FALSE(in.has("absent"));
  EXPECT_TRUE(in.is_null("nothing"));
  EXPECT_FALSE(in.is_null("there"));
  EXPECT_FALSE(in.is_null("absent"));
  in.finish();
  EXPECT_EQ(fault.text(), "/also: unknown field");
}

TEST(JsonReader, FindsFieldsInAnyOrder) {
  std::string body = "{";
  for (int i = 0; i < 64; ++i) body += (i > 0 ? ",\"f" : "\"f") + std::to_string(i) + "\":" + std::to_string(i);
  body += "}";
  for (const int step : {1, 5, 37, 63}) {
    EXPECT_EQ(fault_of(body,
                       [&](JsonReader& in) {
                         for (int i = 0; i < 64; ++i) {
                           const int field = i * step % 64;
                           EXPECT_EQ(in.integer("f" + std::to_string(field), 0, 63), field);
                           EXPECT_FALSE(in.optional_integer("g" + std::to_string(field), 0, 63).has_value());
                         }
                       }),
              "")
        << step;
  }
  EXPECT_EQ(fault_of(body,
                     [](JsonReader& in) {
                       for (int i = 0; i < 63; ++i) in.integer("f" + std::to_string(i), 0, 63);
                     }),
            "/f63: unknown field");
}

TEST(JsonReader, KeepsTheFirstFaultAndGivesDefaultsFromThenOn) {
  JsonDocument document;
  JsonFault fault;
  document.parse(R"({"a":"x","b":2,"list":[{}],"inner":{"c":1}})", fault);
  JsonReader in(document, fault);
  EXPECT_EQ(in.integer("a", 0, 5), 0);
  EXPECT_EQ(in.integer("b", 0, 5), 0);
  EXPECT_EQ(in.id("missing"), "");
  EXPECT_FALSE(in.boolean("b"));
  EXPECT_EQ(in.number("b", 0, 5), 0.0);
  EXPECT_EQ(in.amount("b"), 0U);
  EXPECT_EQ(in.duration("b", 0, 5), 0);
  EXPECT_EQ(in.word("b", kColors), Color::red);
  EXPECT_TRUE(in.ids("list", 0, 5).empty());
  EXPECT_TRUE(in.array("list", 0, 5).empty());
  EXPECT_TRUE(in.fields().empty());
  EXPECT_FALSE(in.optional_object("inner").has_value());
  JsonReader inner = in.object("inner");
  EXPECT_EQ(inner.integer("c", 0, 5), 0);
  EXPECT_FALSE(inner.has("c"));
  inner.refuse("c", "later");
  inner.finish();
  in.refuse("b", "later");
  in.finish();
  EXPECT_EQ(fault.text(), "/a: expected an integer");
}

TEST(JsonReader, NamesThePlaceWithinArraysAndObjects) {
  const auto read = [](JsonReader& in) {
    for (const JsonNode& element : in.array("requests", 1, 1000)) {
      JsonReader item = in.object(element);
      item.amount("amount");
      if (auto inner = item.optional_object("in/ner")) {
        inner->integer("x~y", 0, 9);
        inner->finish();
      }
      item.finish();
    }
  };
  EXPECT_EQ(fault_of(R"({"requests":[{"amount":1},{"amount":1},{"amount":1},{"amount":"x"}]})", read),
            "/requests/3/amount: " + std::string(kNotAmount));
  EXPECT_EQ(fault_of(R"({"requests":[{"amount":1},{}]})", read), "/requests/1/amount: required");
  EXPECT_EQ(fault_of(R"({"requests":[{"amount":1},7]})", read), "/requests/1: expected an object");
  EXPECT_EQ(fault_of(R"({"requests":[{"amount":1,"mount":1}]})", read), "/requests/0/mount: unknown field");
  EXPECT_EQ(fault_of(R"({"requests":[{"amount":1,"in/ner":{}}]})", read), "/requests/0/in~1ner/x~0y: required");
  EXPECT_EQ(fault_of(R"({"requests":[{"amount":1,"in/ner":{"x~y":10}}]})", read),
            "/requests/0/in~1ner/x~0y: must be from 0 to 9");
  EXPECT_EQ(fault_of(R"({"requests":[{"amount":1,"in/ner":{"x~y":1,"z":1}}]})", read),
            "/requests/0/in~1ner/z: unknown field");
}

TEST(JsonReader, CanKeepTheFaultsOfElementsApart) {
  JsonDocument document;
  JsonFault fault;
  document.parse(R"({"requests":[{"id":"a"},{"id":1},{"id":"c"}]})", fault);
  JsonReader in(document, fault);
  std::vector<std::string> outcomes;
  for (const JsonNode& element : in.array("requests", 1, 1000)) {
    JsonFault own;
    JsonReader item(document, element, own);
    const std::string_view id = item.id("id");
    item.finish();
    outcomes.push_back(own.happened() ? own.text() : std::string(id));
  }
  in.finish();
  EXPECT_EQ(outcomes, (std::vector<std::string>{"a", "/requests/1/id: expected a string", "c"}));
  EXPECT_FALSE(fault.happened());
}

TEST(JsonReader, HandsOutAllFields) {
  const auto count = [](std::size_t& fields) {
    return [&fields](JsonReader& in) {
      for (const JsonNode& field : in.fields()) fields += field.key().size();
    };
  };
  std::size_t sizes = 0;
  EXPECT_EQ(fault_of(R"({"a":1,"bb":{"c":2}})", count(sizes)), "");
  EXPECT_EQ(sizes, 3U);
  EXPECT_EQ(fault_of(R"({"a":{"b":"4111111111111111"}})", count(sizes)), "pan_detected /a/b: looks like a card number");
  EXPECT_EQ(sizes, 3U);
}

TEST(JsonReader, RecordsFaultsOfTheCaller) {
  const std::string body = R"({"a":{"b":[1]}})";
  EXPECT_EQ(fault_of(body, [](JsonReader& in) { in.refuse("a", "no such setting"); }), "/a: no such setting");
  EXPECT_EQ(fault_of(body, [](JsonReader& in) { in.refuse("z", "missing together with a"); }),
            "/z: missing together with a");
  EXPECT_EQ(fault_of(body, [](JsonReader& in) { in.refuse(*in.fields().begin()->children().begin(), "odd"); }),
            "/a/b: odd");
}

TEST(JsonReader, ShowsUnknownNamesShortAndClean) {
  const auto nothing = [](JsonReader&) {};
  EXPECT_EQ(fault_of(R"({"customer_idd":1})", nothing), "/customer_idd: unknown field");
  EXPECT_EQ(fault_of(R"({"a\u0007\n\u00e9b":1})", nothing), "/a????b: unknown field");
  EXPECT_EQ(fault_of(R"({")" + std::string(500, 'x') + R"(":1})", nothing),
            "/" + std::string(64, 'x') + "...: unknown field");
}

}  // namespace
}  // namespace turnout
