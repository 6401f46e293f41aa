#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace turnout {

/// Eight bytes, the first of them lowest, whatever the order of the machine. Compilers make one load of it.
inline std::uint64_t load_word(const char* at) noexcept {
  const auto byte = [at](unsigned i) { return std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i); };
  return byte(0) | byte(1) | byte(2) | byte(3) | byte(4) | byte(5) | byte(6) | byte(7);
}

/// One byte in all eight places of a word.
constexpr std::uint64_t in_every_byte(std::uint64_t byte) noexcept { return byte * 0x0101'0101'0101'0101U; }

/// The high bit of each byte that is not plain in a JSON string: the quote that ends it, a backslash, a control
/// character, or one that is not ASCII. Exact up to the lowest such byte; the bits above it mean nothing. Zero when all
/// are plain.
constexpr std::uint64_t find_special(std::uint64_t word) noexcept {
  // A subtraction sets the high bit of an ASCII byte that is smaller, and borrows from the byte above, which is why
  // only the lowest one counts. Flipping the 2 swaps the quote, 0x22, with the space, 0x20, and leaves control
  // characters below both. A byte that is not ASCII keeps its high bit in the second difference, but for 0xdc, which
  // keeps it in the first.
  const std::uint64_t quote_or_control = (word ^ in_every_byte(0x02)) - in_every_byte(0x21);
  const std::uint64_t backslash = (word ^ in_every_byte('\\')) - in_every_byte(0x01);
  return (quote_or_control | backslash) & in_every_byte(0x80);
}

constexpr bool is_special(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '"' || byte == '\\' || byte < 0x20 || byte >= 0x80;
}

/// Which byte of a word the lowest bit is in, for a word that is not 0.
constexpr unsigned lowest_byte(std::uint64_t word) noexcept {
  return static_cast<unsigned>(std::countr_zero(word)) / 8;
}

/// The first byte from `at` on that is not plain, or `end`.
inline const char* skip_plain(const char* at, const char* end) noexcept {
  for (; end - at >= 8; at += 8) {
    const std::uint64_t special = find_special(load_word(at));
    if (special != 0) return at + lowest_byte(special);
  }
  while (at != end && !is_special(*at)) ++at;
  return at;
}

}  // namespace turnout
