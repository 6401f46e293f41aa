#pragma once

#include <algorithm>
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

}  // namespace turnout::http
