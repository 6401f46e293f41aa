#include "architecture/conventions.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

namespace turnout::architecture {
namespace {

// Spelled in two halves, so that this file passes its own rules.
constexpr std::array<std::string_view, 3> kUnfinishedMarks = {
    "TO"
    "DO",
    "FIX"
    "ME",
    "HA"
    "CK"};
constexpr std::array<std::string_view, 2> kSkippingMarks = {
    "DIS"
    "ABLED_",
    "GTEST"
    "_SKIP"};

constexpr std::array<std::string_view, 7> kOperators = {" * ", " / ", " + ", " - ", " ^ ", " × ", " · "};

std::string_view doc_comment(std::string_view line) {
  const std::size_t start = line.find("///");
  return start == std::string_view::npos ? std::string_view() : line.substr(start + 3);
}

bool gives_formula(std::string_view comment) {
  const std::size_t equals = comment.find(" = ");
  if (equals == std::string_view::npos) return false;
  const std::string_view right_side = comment.substr(equals + 3);
  return std::ranges::any_of(kOperators,
                             [&](std::string_view op) { return right_side.find(op) != std::string_view::npos; });
}

bool is_readme(const SourceFile& file) { return file.path.ends_with("/README.md"); }

/// "0001-some-title.md"
bool is_decision_name(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::size_t kNumberLength = 4;
  return name.size() > kNumberLength + 4 && name.ends_with(".md") && name[kNumberLength] == '-' &&
         name.substr(0, kNumberLength).find_first_not_of(kDigits) == std::string_view::npos;
}

}  // namespace

Violations check_pragma_once(const std::vector<SourceFile>& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    if (is_header(file) && !file.text.starts_with("#pragma once\n")) {
      violations.push_back(file.path + " does not start with #pragma once");
    }
  }
  return violations;
}

Violations check_scripts_are_executable(const std::vector<SourceFile>& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    const bool is_script = file.text.starts_with("#!");
    if (is_script && !file.executable) violations.push_back(file.path + " has a #! line and is not executable");
    if (!is_script && file.executable) violations.push_back(file.path + " is executable without a #! line");
  }
  return violations;
}

Violations check_worked_examples(const std::vector<SourceFile>& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    if (!file.path.starts_with("src/core/") || !is_header(file)) continue;
    bool has_formula = false;
    bool has_example = false;
    for (const std::string& line : split_lines(file.text)) {
      const std::string_view comment = doc_comment(line);
      has_formula = has_formula || gives_formula(comment);
      has_example = has_example || has_word(comment, "Example") || has_word(comment, "Examples");
    }
    if (has_formula && !has_example) violations.push_back(file.path + " gives a formula without a worked example");
  }
  return violations;
}

Violations check_no_unfinished_marks(const std::vector<SourceFile>& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    for (const std::string_view mark : kUnfinishedMarks) {
      if (has_word(file.text, mark)) violations.push_back(file.path + " has a mark " + std::string(mark));
    }
  }
  return violations;
}

Violations check_no_skipped_tests(const std::vector<SourceFile>& files) {
  Violations violations;
  for (const SourceFile& file : files) {
    for (const std::string_view mark : kSkippingMarks) {
      if (file.text.find(mark) != std::string::npos) violations.push_back(file.path + " has " + std::string(mark));
    }
  }
  return violations;
}

Violations check_decisions(const std::vector<SourceFile>& files) {
  constexpr std::string_view kFolder = "docs/decisions/";
  Violations violations;
  int expected = 1;
  for (const SourceFile& file : files) {
    if (!file.path.starts_with(kFolder) || is_readme(file)) continue;
    const std::string name = file.path.substr(kFolder.size());
    if (!is_decision_name(name)) {
      violations.push_back(file.path + " is not named like 0001-some-title.md");
      continue;
    }
    if (std::stoi(name.substr(0, 4)) != expected)
      violations.push_back(file.path + " should be number " + std::to_string(expected));
    expected = std::stoi(name.substr(0, 4)) + 1;
    if (!file.text.starts_with("# ") || file.text.find_first_not_of("# \n") == std::string::npos) {
      violations.push_back(file.path + " does not start with a title");
    }
  }
  return violations;
}

Violations check_everything_is_built(const std::vector<SourceFile>& files, std::string_view root,
                                     std::string_view compile_commands) {
  Violations violations;
  for (const SourceFile& file : files) {
    if (!file.path.ends_with(".cc")) continue;
    const std::string entry = "\"file\": \"" + std::string(root) + "/" + file.path + "\"";
    if (compile_commands.find(entry) == std::string_view::npos) violations.push_back(file.path + " is not built");
  }
  return violations;
}

std::map<std::string, std::string> parse_embedded(std::string_view text) {
  std::map<std::string, std::string> embedded;
  for (const std::string& line : split_lines(text)) {
    std::istringstream words(line);
    std::string header;
    std::string file;
    words >> header >> file;
    embedded[header] = file;
  }
  return embedded;
}

Violations check_embedded(const std::vector<SourceFile>& files, const std::map<std::string, std::string>& embedded) {
  std::set<std::string> embedded_files;
  for (const auto& [header, file] : embedded) embedded_files.insert(file);
  std::set<std::string> included;
  Violations violations;
  for (const SourceFile& file : files) {
    for (const Include& include : includes_of(file)) included.insert(include.target);
    if (!is_cpp(file) && !is_readme(file) && !embedded_files.contains(file.path)) {
      violations.push_back(file.path + " is neither C++ nor embedded");
    }
  }
  for (const auto& [header, file] : embedded) {
    if (!included.contains(header)) violations.push_back(header + ", made of " + file + ", is included nowhere");
  }
  return violations;
}

}  // namespace turnout::architecture
