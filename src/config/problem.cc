#include "config/problem.h"

namespace turnout::config {

std::string describe(const Problem& problem) {
  std::string line = problem.place.source;
  if (problem.place.line > 0) {
    line.append(":")
        .append(std::to_string(problem.place.line))
        .append(":")
        .append(std::to_string(problem.place.column));
  }
  for (const std::string* const part : {&problem.key, &problem.message}) {
    if (part->empty()) continue;
    if (!line.empty()) line += ": ";
    line += *part;
  }
  return line;
}

std::string quote(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  std::string quoted = "\"";
  for (const char c : text.substr(0, kLongest)) {
    const bool plain = c >= ' ' && c <= '~';
    quoted += plain ? c : '?';
  }
  return quoted + (text.size() > kLongest ? "…\"" : "\"");
}

}  // namespace turnout::config
