#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "base/assert.h"
#include "base/uuid.h"

namespace turnout {
namespace {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_separator(char c) noexcept { return c == ' ' || c == '-'; }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A table, since ids are checked several times a request.
constexpr std::array<bool, 256> kIdCharacters = [] {
  std::array<bool, 256> table{};
  for (std::size_t byte = 0; byte < 128; ++byte) {
    const char c = static_cast<char>(byte);
    table[byte] = is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == ':' || c == '-';
  }
  return table;
}();

constexpr bool is_id_character(char c) noexcept { return kIdCharacters[static_cast<unsigned char>(c)]; }

constexpr std::size_t kMaxCardDigits = 19;
constexpr std::size_t kUuidLength = 36;

/// Digits in a row, in text[begin, end), with at most one separator between two of them.
struct DigitRun {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t digits = 0;
};

DigitRun read_run(std::string_view text, std::size_t begin) noexcept {
  DigitRun run{begin, begin + 1, 1};
  for (;;) {
    std::size_t next = run.end;
    if (next < text.size() && is_separator(text[next])) ++next;
    if (next == text.size() || !is_digit(text[next])) return run;
    run.end = next + 1;
    ++run.digits;
  }
}

bool passes_luhn(std::string_view run) noexcept {
  int sum = 0;
  bool doubled = false;
  for (auto c = run.rbegin(); c != run.rend(); ++c) {
    if (!is_digit(*c)) continue;
    const int digit = (*c - '0') * (doubled ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
    doubled = !doubled;
  }
  return sum % 10 == 0;
}

/// Mir and Mastercard 2200 to 2720; Diners, American Express, JCB, Visa, Mastercard, Maestro, Discover, UnionPay 3 to
/// 6; UnionPay 8100 to 8171.
bool begins_like_a_card(std::string_view run) noexcept {
  int prefix = 0;
  int digits = 0;
  for (const char c : run) {
    if (!is_digit(c)) continue;
    prefix = prefix * 10 + (c - '0');
    if (++digits == 4) break;
  }
  return (prefix >= 2200 && prefix <= 2720) || (prefix >= 3000 && prefix <= 6999) || (prefix >= 8100 && prefix <= 8171);
}

/// Whether the run lies within a UUID that begins there.
bool is_in_uuid_at(std::string_view text, std::size_t begin, const DigitRun& run) noexcept {
  return run.end <= begin + kUuidLength && begin + kUuidLength <= text.size() &&
         Uuid::parse(text.substr(begin, kUuidLength)).has_value();
}

/// Of the groups of a UUID (8-4-4-4-12), only the first three and the last two can make a run of 13 to 19 digits
/// together.
bool is_part_of_uuid(std::string_view text, const DigitRun& run) noexcept {
  constexpr std::size_t kFourthGroup = 19;
  return is_in_uuid_at(text, run.begin, run) ||
         (run.begin >= kFourthGroup && is_in_uuid_at(text, run.begin - kFourthGroup, run));
}

bool is_card_number(std::string_view text, const DigitRun& run) noexcept {
  if (run.digits < kMinCardDigits || run.digits > kMaxCardDigits) return false;
  const std::string_view digits = text.substr(run.begin, run.end - run.begin);
  const std::string_view before = text.substr(0, run.begin);
  const std::string_view after = text.substr(run.end);
  if (!before.empty() && is_letter(before.back())) return false;
  if (!after.empty() && is_letter(after.front())) return false;
  if (!passes_luhn(digits)) return false;
  const bool alone =
      before.find_first_not_of(' ') == std::string_view::npos && after.find_first_not_of(' ') == std::string_view::npos;
  return alone || (begins_like_a_card(digits) && !is_part_of_uuid(text, run));
}

/// Whether some of the groups of a run, taken together, are a card number: as in "4111111111111111 1227", where the
/// expiry follows. The whole run is one of the choices.
bool holds_card_number(std::string_view text, const DigitRun& run) noexcept {
  for (std::size_t begin = run.begin; begin < run.end; ++begin) {
    const bool starts_group = begin == run.begin || is_separator(text[begin - 1]);
    if (!starts_group || !is_digit(text[begin])) continue;
    DigitRun part{begin, begin, 0};
    while (part.end < run.end && part.digits <= kMaxCardDigits) {
      part.digits += is_digit(text[part.end]) ? 1 : 0;
      ++part.end;
      const bool ends_group = part.end == run.end || is_separator(text[part.end]);
      if (ends_group && is_card_number(text, part)) return true;
    }
  }
  return false;
}

/// What may follow the first byte of a sequence of several: its length, and the range of the second byte. The third and
/// fourth are always 80..BF.
struct Utf8Lead {
  std::size_t length = 0;
  unsigned char second_low = 0x80;
  unsigned char second_high = 0xbf;
};

constexpr Utf8Lead utf8_lead(unsigned char lead) noexcept {
  if (lead < 0xc2 || lead > 0xf4) return {};
  if (lead < 0xe0) return {2};
  if (lead == 0xe0) return {3, 0xa0, 0xbf};
  if (lead == 0xed) return {3, 0x80, 0x9f};
  if (lead < 0xf0) return {3};
  if (lead == 0xf0) return {4, 0x90, 0xbf};
  if (lead == 0xf4) return {4, 0x80, 0x8f};
  return {4};
}

/// The length of the sequence that `text` begins with, its first byte not being ASCII; 0 when it is malformed.
std::size_t utf8_sequence_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Utf8Lead lead = utf8_lead(byte(0));
  if (lead.length == 0 || lead.length > text.size()) return 0;
  if (byte(1) < lead.second_low || byte(1) > lead.second_high) return 0;
  for (std::size_t i = 2; i < lead.length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return lead.length;
}

struct DurationUnit {
  std::string_view name;
  DurationMs length;
};

/// Longest first, so that the first one that divides a duration gives the fewest digits.
constexpr DurationUnit kDurationUnits[] = {{"d", kDay}, {"h", kHour}, {"m", kMinute}, {"s", kSecond}, {"ms", 1}};

}  // namespace

bool is_id(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kMaxIdLength && std::all_of(text.begin(), text.end(), is_id_character);
}

bool search_card_number(std::string_view text) noexcept {
  std::size_t i = 0;
  while (i + kMinCardDigits <= text.size()) {
    // A run that begins within the next 13 characters is long enough only if it reaches over the last of them.
    const char reached = text[i + kMinCardDigits - 1];
    if (!is_digit(reached) && !is_separator(reached)) {
      i += kMinCardDigits;
    } else if (!is_digit(text[i])) {
      ++i;
    } else {
      const DigitRun run = read_run(text, i);
      if (holds_card_number(text, run)) return true;
      i = run.end;
    }
  }
  return false;
}

std::size_t utf8_prefix(std::string_view text) noexcept {
  constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080U;
  std::size_t i = 0;
  while (i < text.size()) {
    std::uint64_t word = 0;
    if (i + sizeof word <= text.size()) {
      std::memcpy(&word, text.data() + i, sizeof word);
      if ((word & kHighBits) == 0) {
        i += sizeof word;
        continue;
      }
    }
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = utf8_sequence_length(text.substr(i));
    if (length == 0) break;
    i += length;
  }
  return i;
}

std::optional<DurationMs> parse_duration(std::string_view text) noexcept {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view name(rest, static_cast<std::size_t>(end - rest));
  for (const DurationUnit& unit : kDurationUnits) {
    if (unit.name != name) continue;
    if (count > static_cast<std::uint64_t>(kMaxTextDuration / unit.length)) return std::nullopt;
    return static_cast<DurationMs>(count) * unit.length;
  }
  return std::nullopt;
}

std::string format_duration(DurationMs duration) {
  TURNOUT_ASSERT(duration >= 0);
  if (duration == 0) return "0s";
  const auto* const unit = std::find_if(std::begin(kDurationUnits), std::end(kDurationUnits),
                                        [&](const DurationUnit& u) { return duration % u.length == 0; });
  return std::to_string(duration / unit->length).append(unit->name);
}

}  // namespace turnout
