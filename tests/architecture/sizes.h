#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "architecture/layers.h"

namespace turnout::architecture {

/// Longest file of src/, in lines. Sizes are a symptom: when a file grows past it, a concept is missing.
inline constexpr std::size_t kMaxFileLines = 400;
/// Longest file of src/core.
inline constexpr std::size_t kMaxCoreFileLines = 250;
/// Longest function body, in lines, braces included. Most are half of that or less.
inline constexpr std::size_t kMaxFunctionLines = 80;

/// A function body in a file.
struct Function {
  std::size_t line = 0;    ///< of the opening brace, from 1
  std::size_t length = 0;  ///< in lines, braces included
};

/// The bodies of the functions in C++ text that is formatted as ours is. Lambdas count as part of the function around
/// them.
std::vector<Function> functions_of(const std::string& text);

/// Files of src/ over their limit.
Violations check_file_sizes(const std::vector<SourceFile>& files);

/// Functions of src/ over their limit.
Violations check_function_sizes(const std::vector<SourceFile>& files);

}  // namespace turnout::architecture
