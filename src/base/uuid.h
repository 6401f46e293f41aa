#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace turnout {

/// A UUID version 7 (RFC 9562): 48 bits of Unix milliseconds, then random bits. Sorts by time.
struct Uuid {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  /// Made of a moment and 128 random bits, of which 74 are used.
  static constexpr Uuid make(TimeMs now, std::uint64_t random_high, std::uint64_t random_low) noexcept {
    const auto milliseconds = static_cast<std::uint64_t>(now) & 0xffff'ffff'ffffU;
    return {(milliseconds << 16) | 0x7000U | (random_high & 0x0fffU), 0x8000'0000'0000'0000U | (random_low >> 2)};
  }

  /// The canonical lower-case text, 36 characters.
  [[nodiscard]] std::array<char, 36> text() const noexcept;

  /// Reads the canonical form, either case; nothing else.
  static std::optional<Uuid> parse(std::string_view text) noexcept;

  /// The moment it was made at; meaningful for version 7 only.
  [[nodiscard]] constexpr TimeMs time_ms() const noexcept { return static_cast<TimeMs>(high >> 16); }

  friend constexpr bool operator==(const Uuid&, const Uuid&) = default;
};

}  // namespace turnout
