#include "config/suggestion.h"

#include <algorithm>
#include <vector>

namespace turnout::config {
namespace {

/// Letters to add, drop, change or swap with their neighbour to get from one text to the other (optimal string
/// alignment).
std::size_t slips_between(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before_last(other.size() + 1);
  std::vector<std::size_t> last(other.size() + 1);
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t change = one[i - 1] == other[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[other.size()];
}

bool is_last_part(std::string_view name, std::string_view candidate) {
  return candidate.size() > name.size() && candidate.ends_with(name) &&
         candidate[candidate.size() - name.size() - 1] == '.';
}

}  // namespace

std::string_view closest(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t kLongest = 200;
  if (name.empty() || name.size() > kLongest) return {};
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (is_last_part(name, candidate)) return candidate;
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t shorter = std::min(name.size(), candidate.size());
    if (longer - shorter >= fewest) continue;
    const std::size_t slips = slips_between(name, candidate);
    if (slips >= fewest) continue;
    fewest = slips;
    best = candidate;
  }
  return best;
}

std::string unknown(std::string_view what, std::string_view name, std::span<const std::string> candidates) {
  std::string message = std::string("unknown ").append(what);
  const std::string_view meant = closest(name, candidates);
  if (!meant.empty()) message.append("; did you mean ").append(meant).append("?");
  return message;
}

}  // namespace turnout::config
