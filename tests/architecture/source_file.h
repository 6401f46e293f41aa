#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace turnout::architecture {

/// A text file of the project. Rules work on these values, so that each can also be shown a made-up file.
struct SourceFile {
  std::string path;  ///< from the project's folder, with slashes: "src/core/decide.h"
  std::string text;
  bool executable = false;
};

/// One `#include` line.
struct Include {
  std::string target;
  bool quoted = false;
  std::size_t line = 0;  ///< from 1
};

/// The files below `root/folder`, sorted by path; none when there is no such folder.
std::vector<SourceFile> read_folder(const std::filesystem::path& root, std::string_view folder);

/// The whole text of a file; empty when it cannot be read.
std::string read_text(const std::filesystem::path& path);

std::vector<std::string> split_lines(std::string_view text);

/// The includes of a file, in order.
std::vector<Include> includes_of(const SourceFile& file);

/// C++ text with comments, literals and preprocessor lines blanked out; every line keeps its number.
std::string code_only(std::string_view text);

/// True when `word` occurs in `text` with no letter, digit or underscore on either side.
bool has_word(std::string_view text, std::string_view word);

bool is_header(const SourceFile& file);
bool is_cpp(const SourceFile& file);

}  // namespace turnout::architecture
