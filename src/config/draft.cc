#include "config/draft.h"

#include <tuple>

namespace turnout::config {

Place Draft::place_of(std::string_view key) const {
  while (!key.empty()) {
    const auto found = places_.find(key);
    if (found != places_.end()) return found->second;
    const std::size_t end = key.find_last_of(".[");
    key = key.substr(0, end == std::string_view::npos ? 0 : end);
  }
  return {};
}

bool Draft::has_problem(std::string_view key) const {
  return std::any_of(problems_.begin(), problems_.end(), [key](const Problem& problem) {
    const std::string_view found = problem.key;
    return found.starts_with(key) &&
           (found.size() == key.size() || found[key.size()] == '.' || found[key.size()] == '[');
  });
}

std::vector<Problem> Draft::take_problems() {
  const auto has_line = [](const Problem& problem) { return problem.place.line > 0; };
  const auto rest = std::stable_partition(problems_.begin(), problems_.end(), has_line);
  std::stable_sort(problems_.begin(), rest, [](const Problem& one, const Problem& other) {
    return std::tie(one.place.line, one.place.column) < std::tie(other.place.line, other.place.column);
  });
  return std::exchange(problems_, {});
}

}  // namespace turnout::config
