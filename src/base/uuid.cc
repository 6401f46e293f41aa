#include "base/uuid.h"

namespace turnout {
namespace {

constexpr bool is_dash_position(std::size_t i) noexcept { return i == 8 || i == 13 || i == 18 || i == 23; }

constexpr int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::array<char, 36> Uuid::text() const noexcept {
  std::array<char, 36> out{};
  unsigned shift = 64;
  std::uint64_t word = high;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (is_dash_position(i)) {
      out[i] = '-';
      if (i == 18) word = low, shift = 64;
      continue;
    }
    shift -= 4;
    out[i] = "0123456789abcdef"[(word >> shift) & 0xf];
  }
  return out;
}

std::optional<Uuid> Uuid::parse(std::string_view text) noexcept {
  if (text.size() != 36) return std::nullopt;
  Uuid uuid;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_dash_position(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int digit = hex_digit(text[i]);
    if (digit < 0) return std::nullopt;
    std::uint64_t& word = i < 18 ? uuid.high : uuid.low;
    word = (word << 4) | static_cast<std::uint64_t>(digit);
  }
  return uuid;
}

}  // namespace turnout
