#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace turnout::http {

/// `character` in lower case when it is an ASCII letter; independent of the locale.
constexpr char ascii_lower(char character) noexcept {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
}

/// True when both are the same but for the case of ASCII letters.
constexpr bool equals_ignoring_case(std::string_view left, std::string_view right) noexcept {
  return left.size() == right.size() && std::equal(left.begin(), left.end(), right.begin(),
                                                   [](char a, char b) { return ascii_lower(a) == ascii_lower(b); });
}

/// `text` without spaces and tabs at its ends (the optional white space of RFC 9110).
constexpr std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

/// A set of bytes, as grammars name them.
class CharacterSet {
 public:
  constexpr void add(char character) noexcept { members_[static_cast<unsigned char>(character)] = true; }

  [[nodiscard]] constexpr bool has(char character) const noexcept {
    return members_[static_cast<unsigned char>(character)];
  }

  [[nodiscard]] constexpr bool has_all(std::string_view text) const noexcept {
    return std::all_of(text.begin(), text.end(), [this](char character) { return has(character); });
  }

  friend constexpr CharacterSet operator|(CharacterSet left, const CharacterSet& right) noexcept {
    for (std::size_t i = 0; i < left.members_.size(); ++i) {
      left.members_[i] |= right.members_[i];
    }
    return left;
  }

 private:
  std::array<bool, 256> members_{};
};

constexpr CharacterSet characters_of(std::string_view text) noexcept {
  CharacterSet set;
  for (const char character : text) {
    set.add(character);
  }
  return set;
}

/// Both ends belong to it; the order is that of unsigned bytes.
constexpr CharacterSet characters_between(char first, char last) noexcept {
  CharacterSet set;
  for (int byte = static_cast<unsigned char>(first); byte <= static_cast<unsigned char>(last); ++byte) {
    set.add(static_cast<char>(byte));
  }
  return set;
}

}  // namespace turnout::http
