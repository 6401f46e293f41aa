#pragma once

#include <cstdint>
#include <string>

namespace turnout::config {

/// Where a value was written.
struct Place {
  std::string source;        ///< the file's name, `TURNOUT_…`, or the flag
  std::uint32_t line = 0;    ///< from 1; 0 where there are no lines
  std::uint32_t column = 0;  ///< from 1, in characters; 0 where there are no lines

  friend bool operator==(const Place&, const Place&) = default;
};

/// One thing that is wrong with the configuration.
struct Problem {
  Place place;
  std::string key;      ///< path such as `channels.payments.epsilon`; empty when it is no single key's
  std::string message;  ///< what was expected, and what was found

  friend bool operator==(const Problem&, const Problem&) = default;
};

/// One line: `turnout.toml:12:11: channels.payments.epsilon: expected a number from 0 to 1, found 3`.
std::string describe(const Problem& problem);

/// `text` in quotes for a message: cut when long, and nothing in it that a terminal would obey.
std::string quote(const std::string& text);

}  // namespace turnout::config
