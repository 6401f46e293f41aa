#include "architecture/source_file.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>

namespace turnout::architecture {
namespace {

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Walks C++ text once and copies what is code.
class CodeFilter {
 public:
  explicit CodeFilter(std::string_view text) : text_(text), out_(text.size(), ' ') {}

  std::string run() {
    while (position_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  void step() {
    if (starts_with("//")) return blank_line();
    if (starts_with("/*")) return blank_until("*/", position_ + 2);
    if (starts_with("R\"") && !after_word()) return blank_raw_string();
    if (text_[position_] == '"') return blank_literal('"');
    if (text_[position_] == '\'' && !after_word()) return blank_literal('\'');
    if (text_[position_] == '#' && line_is_blank_so_far()) return blank_line();
    keep();
  }

  bool starts_with(std::string_view prefix) const { return text_.substr(position_).starts_with(prefix); }

  /// After a word character an R is the end of a name and a quote separates digits.
  bool after_word() const { return position_ > 0 && is_word_character(text_[position_ - 1]); }

  bool line_is_blank_so_far() const {
    const std::size_t newline = text_.rfind('\n', position_);
    const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    return text_.substr(start, position_ - start).find_first_not_of(" \t") == std::string_view::npos;
  }

  void keep() {
    out_[position_] = text_[position_];
    ++position_;
  }

  void blank() {
    if (text_[position_] == '\n') out_[position_] = '\n';
    ++position_;
  }

  void blank_to(std::size_t end) {
    while (position_ < std::min(end, text_.size())) blank();
  }

  void blank_until(std::string_view end, std::size_t from) {
    const std::size_t found = text_.find(end, from);
    blank_to(found == std::string_view::npos ? text_.size() : found + end.size());
  }

  /// To the end of the line; a backslash there continues it.
  void blank_line() {
    while (position_ < text_.size() && (text_[position_] != '\n' || text_[position_ - 1] == '\\')) blank();
  }

  void blank_raw_string() {
    const std::size_t open = text_.find('(', position_);
    if (open == std::string_view::npos) return blank_to(text_.size());
    blank_until(")" + std::string(text_.substr(position_ + 2, open - position_ - 2)) + "\"", open);
  }

  void blank_literal(char quote) {
    blank();
    while (position_ < text_.size() && text_[position_] != quote) {
      if (text_[position_] == '\\') blank();
      if (position_ < text_.size()) blank();
    }
    if (position_ < text_.size()) blank();
  }

  std::string_view text_;
  std::string out_;
  std::size_t position_ = 0;
};

}  // namespace

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<SourceFile> read_folder(const std::filesystem::path& root, std::string_view folder) {
  std::vector<SourceFile> files;
  if (!std::filesystem::is_directory(root / folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    if (!entry.is_regular_file()) continue;
    const auto may = entry.status().permissions();
    files.push_back({entry.path().lexically_relative(root).generic_string(), read_text(entry.path()),
                     (may & std::filesystem::perms::owner_exec) != std::filesystem::perms::none});
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<Include> includes_of(const SourceFile& file) {
  constexpr std::string_view kDirective = "#include ";
  std::vector<Include> includes;
  std::size_t number = 0;
  for (const std::string& line : split_lines(file.text)) {
    ++number;
    if (!line.starts_with(kDirective) || line.size() < kDirective.size() + 2) continue;
    const bool quoted = line[kDirective.size()] == '"';
    const std::size_t end = line.find(quoted ? '"' : '>', kDirective.size() + 1);
    includes.push_back({line.substr(kDirective.size() + 1, end - kDirective.size() - 1), quoted, number});
  }
  return includes;
}

std::string code_only(std::string_view text) { return CodeFilter(text).run(); }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || !is_word_character(text[at - 1]);
    const bool ends = end == text.size() || !is_word_character(text[end]);
    if (starts && ends) return true;
  }
  return false;
}

bool is_header(const SourceFile& file) { return file.path.ends_with(".h"); }

bool is_cpp(const SourceFile& file) { return is_header(file) || file.path.ends_with(".cc"); }

}  // namespace turnout::architecture
