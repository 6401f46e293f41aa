#pragma once

#include <span>
#include <string>
#include <string_view>

namespace turnout::config {

/// The candidate that `name` most likely was meant to be: one whose last part it is (`open_for` for
/// `breaker.open_for`), or the one fewest typing slips away, at most a third of its length. Empty when there is none.
std::string_view closest(std::string_view name, std::span<const std::string> candidates);

/// The message for a name that nothing is known by: "unknown key; did you mean epsilon?".
std::string unknown(std::string_view what, std::string_view name, std::span<const std::string> candidates);

}  // namespace turnout::config
