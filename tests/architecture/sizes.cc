#include "architecture/sizes.h"

#include <algorithm>

namespace turnout::architecture {
namespace {

/// What an opening brace starts.
enum class Scope { outer, function, inner };

/// `head` is the code since the last brace or semicolon. Namespaces, types and initializers are not functions; what has
/// parameters is one, unless it is inside of one already.
Scope scope_of(const std::string& head, bool inside_function) {
  if (inside_function) return Scope::inner;
  return head.find(')') == std::string::npos ? Scope::outer : Scope::function;
}

}  // namespace

std::vector<Function> functions_of(const std::string& text) {
  std::vector<Function> functions;
  std::vector<Scope> scopes;
  std::string head;
  std::size_t line = 1;
  std::size_t start = 0;
  for (const char c : code_only(text)) {
    if (c == '\n') ++line;
    if (c == '{') {
      const bool inside = !scopes.empty() && scopes.back() != Scope::outer;
      scopes.push_back(scope_of(head, inside));
      if (scopes.back() == Scope::function) start = line;
    }
    if (c == '}' && !scopes.empty()) {
      if (scopes.back() == Scope::function) functions.push_back({start, line - start + 1});
      scopes.pop_back();
    }
    if (c == '{' || c == '}' || c == ';') {
      head.clear();
    } else {
      head.push_back(c);
    }
  }
  return functions;
}

Violations check_file_sizes(const std::vector<SourceFile>& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    if (!file.path.starts_with("src/")) continue;
    const std::size_t limit = file.path.starts_with("src/core/") ? kMaxCoreFileLines : kMaxFileLines;
    const auto lines = static_cast<std::size_t>(std::ranges::count(file.text, '\n'));
    if (lines > limit) {
      violations.push_back(file.path + " has " + std::to_string(lines) + " lines, more than " + std::to_string(limit));
    }
  }
  return violations;
}

Violations check_function_sizes(const std::vector<SourceFile>& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    if (!file.path.starts_with("src/") || !is_cpp(file)) continue;
    for (const Function& function : functions_of(file.text)) {
      if (function.length <= kMaxFunctionLines) continue;
      violations.push_back(file.path + ":" + std::to_string(function.line) + " starts a function of " +
                           std::to_string(function.length) + " lines, more than " + std::to_string(kMaxFunctionLines));
    }
  }
  return violations;
}

}  // namespace turnout::architecture
