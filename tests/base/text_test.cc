#include "base/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace turnout {
namespace {

TEST(IsId, AcceptsOneToSixtyFourPlainCharacters) {
  EXPECT_TRUE(is_id("a"));
  EXPECT_TRUE(is_id("azAZ09._:-"));
  EXPECT_TRUE(is_id(std::string(64, 'x')));
  EXPECT_FALSE(is_id(""));
  EXPECT_FALSE(is_id(std::string(65, 'x')));
}

TEST(IsId, AcceptsNoOtherByte) {
  const std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool expected = allowed.find(c) != std::string_view::npos;
    EXPECT_EQ(is_id(std::string("a").append(1, c).append("b")), expected) << byte;
  }
}

/// `length` digits, beginning with 4, the last chosen so that they pass the Luhn check.
std::string card_of_length(std::size_t length) {
  std::string digits = "4" + std::string(length - 2, '1') + "0";
  int sum = 0;
  for (std::size_t i = 0; i < length; ++i) {
    int digit = digits[length - 1 - i] - '0';
    if (i % 2 == 1) digit *= 2;
    sum += digit / 10 + digit % 10;
  }
  digits.back() = static_cast<char>('0' + (10 - sum % 10) % 10);
  return digits;
}

TEST(ContainsCardNumber, AtEveryPlace) {
  for (std::size_t length = 13; length <= 19; ++length) {
    for (std::size_t before = 0; before < 60; ++before) {
      for (std::size_t after = 0; after < 30; ++after) {
        const std::string text = std::string(before, '/') + card_of_length(length) + std::string(after, '/');
        ASSERT_TRUE(contains_card_number(text)) << text;
      }
    }
  }
}

TEST(ContainsCardNumber, Table) {
  struct Row {
    std::string_view text;
    bool expected;
  };
  constexpr Row kRows[] = {
      {"4111111111111111", true},
      {"4111111111111112", false},
      {"378282246310005", true},
      {"3782 822463 10005", true},
      {"5555-5555-5555-4444", true},
      {"4111 1111-1111 1111", true},
      {"4222222222222", true},
      {"6304000000000000000", true},
      {"2223003122003222", true},
      {"8171999900000000021", true},
      // Separators other than one space or dash part two runs.
      {"4111  1111 1111 1111", false},
      {"4111--1111-1111-1111", false},
      {"4111 -1111-1111-1111", false},
      {"4111.1111.1111.1111", false},
      {"4111\t1111\t1111\t1111", false},
      // In a longer text.
      {"  4111111111111111  ", true},
      {"pay with 4111111111111111 please", true},
      {"pay with 4111 1111 1111 1111, please", true},
      {"order-4111111111111111-x", true},
      {"tx_4111111111111111", true},
      {"(4111111111111111)", true},
      {"card:4111111111111111", true},
      {"é4111111111111111é", true},
      {"4111111111111112 4111111111111111", true},
      {"4111111111111111 1227", true},
      {"4111111111111111 12/27 123", true},
      {"4111111111111111-1", true},
      {"1-4111111111111111", true},
      {"4111111111111112 1227", false},
      {"4111111111111112, 4111111111111111", true},
      {"x4111111111111111", false},
      {"4111111111111111x", false},
      {"order4111111111111111", false},
      {"4111-1111-1111-1111-12ab", true},
      // Clocks and counters of which one in ten passes the check: only alone are they taken for a card number.
      {"1733000000121", false},
      {"1733000000120", true},
      {"tx-1733000000120", false},
      {"20250115103001", true},
      {"job-20250115103001", false},
      {"0000000000000000", true},
      {"tx-0000000000000000", false},
      // Digits of a UUID.
      {"41111111-1111-1111-a111-aaaaaaaaaaaa", false},
      {"tx_41111111-1111-1111-a111-aaaaaaaaaaaa", false},
      {"aaaaaaaa-aaaa-7aaa-8100-000000000002", false},
      {"41111111-1111-1111-a111-aaaaaaaaaaa", true},
      {"24476251-9953-8820-5425-1536440929822", true},
      // Too short to hold one.
      {"", false},
      {"411111111111", false},
      {"0", false},
      {"             ", false},
      {"-------------", false},
  };
  for (const Row& row : kRows) EXPECT_EQ(contains_card_number(row.text), row.expected) << row.text;
}

TEST(ContainsCardNumber, TakesThirteenToNineteenDigits) {
  for (std::size_t length = 10; length <= 25; ++length) {
    const bool expected = length >= 13 && length <= 19;
    const std::string card = card_of_length(length);
    EXPECT_EQ(contains_card_number(card), expected) << card;
    EXPECT_EQ(contains_card_number("a card: " + card + "."), expected) << card;
    std::string spaced;
    for (const char digit : card) spaced.append(1, digit).append(" ");
    // Of more digits, each a group of its own, some in the middle may be a number by themselves.
    if (length <= 19) {
      EXPECT_EQ(contains_card_number(spaced), expected) << spaced;
    }
  }
}

TEST(ContainsCardNumber, FindsItAtEveryPlace) {
  const std::string card = "4111111111111111";
  for (std::size_t before = 0; before < 40; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      const std::string text = std::string(before, '/') + card + std::string(after, '/');
      EXPECT_TRUE(contains_card_number(text)) << text;
      EXPECT_TRUE(contains_card_number("12-34/56 x " + text)) << text;
    }
  }
}

RC_GTEST_PROP(ContainsCardNumber, OneChangedDigitIsAlwaysNoticed, ()) {
  std::string card = card_of_length(*rc::gen::inRange<std::size_t>(13, 20));
  RC_ASSERT(contains_card_number(card));
  char& digit = card[*rc::gen::inRange<std::size_t>(0, card.size())];
  digit = static_cast<char>('0' + (digit - '0' + *rc::gen::inRange(1, 10)) % 10);
  RC_ASSERT(!contains_card_number(card));
}

/// Decodes by the definition: value from the bits, then the rules on it.
bool naive_is_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80           ? 1
                               : (lead >> 5) == 0x6  ? 2
                               : (lead >> 4) == 0xe  ? 3
                               : (lead >> 3) == 0x1e ? 4
                                                     : 0;
    if (length == 0 || i + length > text.size()) return false;
    std::uint32_t point = length == 1 ? lead : lead & (0xffU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80) return false;
      point = (point << 6) | (next & 0x3fU);
    }
    constexpr std::uint32_t kFirstOfLength[] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < kFirstOfLength[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return false;
    i += length;
  }
  return true;
}

TEST(IsUtf8, AgreesWithTheDefinitionOnEverySequenceOfTwoBytesAndItsSurroundings) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      for (const std::string_view tail : {"", "\x80", "\xbf\x80", "a", "\x80\xc0"}) {
        const std::string text = std::string{static_cast<char>(first), static_cast<char>(second)}.append(tail);
        ASSERT_EQ(is_utf8(text), naive_is_utf8(text)) << first << ' ' << second << ' ' << tail.size();
      }
    }
  }
}

RC_GTEST_PROP(IsUtf8, AgreesWithTheDefinition, ()) {
  const auto part =
      rc::gen::element<std::string>("a", "12345678", "é", "€", "😀", "\x80", "\xc2", "\xe0\xa0", "\xed\xa0\x80",
                                    "\xf4\x90\x80\x80", "\xc0\xaf", "\xf0\x9f\x98", "\xff", "\xef\xbb\xbf");
  const auto valid_part = rc::gen::element<std::string>("a", "12345678", "é", "€", "😀", "\x7f", "\xf4\x8f\xbf\xbf");
  std::string text;
  for (const auto& piece : *rc::gen::container<std::vector<std::string>>(valid_part)) text += piece;
  RC_ASSERT(is_utf8(text));
  for (const auto& piece : *rc::gen::container<std::vector<std::string>>(part)) text += piece;
  RC_ASSERT(is_utf8(text) == naive_is_utf8(text));
}

TEST(Utf8Prefix, EndsBeforeTheFirstMalformedSequence) {
  struct Row {
    std::string_view text;
    std::size_t expected;
  };
  constexpr Row kRows[] = {{"", 0},           {"plain and long enough", 21},
                           {"é€😀", 9},       {"12345678\xff", 8},
                           {"aé\xe2\x82", 3}, {"aé\xe2\x82z", 3},
                           {"\x80", 0},       {"a\xed\xa0\x80\xff", 1}};
  for (const Row& row : kRows) EXPECT_EQ(utf8_prefix(row.text), row.expected) << row.text;
}

TEST(ParseDuration, Table) {
  struct Row {
    std::string_view text;
    std::optional<DurationMs> expected;
  };
  constexpr Row kRows[] = {
      {"0s", 0},
      {"1ms", 1},
      {"1500ms", 1500},
      {"90s", 90'000},
      {"5m", 300'000},
      {"2h", 7'200'000},
      {"90d", 90 * kDay},
      {"007s", 7000},
      {"3650d", kMaxTextDuration},
      {"3651d", std::nullopt},
      {"315360000000ms", kMaxTextDuration},
      {"315360000001ms", std::nullopt},
      {"18446744073709551615ms", std::nullopt},
      {"18446744073709551616d", std::nullopt},
      {"", std::nullopt},
      {"s", std::nullopt},
      {"5", std::nullopt},
      {"-1s", std::nullopt},
      {"+1s", std::nullopt},
      {"1.5s", std::nullopt},
      {"1 s", std::nullopt},
      {" 1s", std::nullopt},
      {"1s ", std::nullopt},
      {"1S", std::nullopt},
      {"1us", std::nullopt},
      {"1m30s", std::nullopt},
      {"0x1s", std::nullopt},
  };
  for (const Row& row : kRows) EXPECT_EQ(parse_duration(row.text), row.expected) << row.text;
}

TEST(FormatDuration, TakesTheLongestUnitThatDivides) {
  EXPECT_EQ(format_duration(0), "0s");
  EXPECT_EQ(format_duration(1), "1ms");
  EXPECT_EQ(format_duration(1500), "1500ms");
  EXPECT_EQ(format_duration(90'000), "90s");
  EXPECT_EQ(format_duration(kMinute), "1m");
  EXPECT_EQ(format_duration(36 * kHour), "36h");
  EXPECT_EQ(format_duration(kDay), "1d");
}

TEST(FormatDurationDeathTest, RefusesNegativeDurations) { EXPECT_DEATH(format_duration(-1), "assertion failed"); }

RC_GTEST_PROP(FormatDuration, IsReadBack, ()) {
  const DurationMs unit = *rc::gen::element(DurationMs{1}, kSecond, kMinute, kHour, kDay);
  const DurationMs duration = unit * *rc::gen::inRange<DurationMs>(0, kMaxTextDuration / unit + 1);
  RC_ASSERT(parse_duration(format_duration(duration)) == duration);
}

}  // namespace
}  // namespace turnout
