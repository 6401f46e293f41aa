#include "config/loader.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "base/result.h"
#include "config/checks.h"
#include "config/text_layer.h"
#include "config/toml_layer.h"

namespace turnout::config {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { static_cast<void>(std::fclose(file)); }
};

Error read_error(int code) {
  return {Error::Code::unavailable, "cannot read it: " + std::generic_category().message(code)};
}

Result<std::string> read_file(const std::string& path) {
  constexpr std::size_t kLargest = std::size_t{64} << 20;
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "re"));
  if (file == nullptr) return read_error(errno);
  std::string text;
  std::array<char, 64 * 1024> block{};
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), count);
    if (text.size() > kLargest) return Error{Error::Code::invalid, "expected at most 64 MiB"};
  }
  if (std::ferror(file.get()) != 0) return read_error(errno);
  return text;
}

std::optional<std::string> file_of(const Sources& sources) {
  if (sources.file) return sources.file;
  const auto variable = sources.environment.find("TURNOUT_CONFIG");
  return variable == sources.environment.end() ? std::nullopt : std::optional(variable->second);
}

/// All that comes after the file. Without knowing its channels only single keys can be judged.
Loaded finish(Draft draft, const Sources& sources, bool file_known) {
  const auto variables = environment_assignments(draft, sources.environment);
  apply_assignments(draft, variables, Spelling::variable, file_known);
  apply_assignments(draft, flag_assignments(draft, sources.flags), Spelling::key, file_known);
  if (file_known) check_settings(draft);
  auto problems = draft.take_problems();
  return {std::move(draft.settings), std::move(problems)};
}

}  // namespace

Loaded load(const Sources& sources) {
  const auto path = file_of(sources);
  Draft draft;
  if (!path) {
    draft.settings.channels["payments"];
    return finish(std::move(draft), sources, true);
  }
  const auto text = read_file(*path);
  if (text) return load_text(*text, *path, sources);
  draft.add_problem({*path}, "", text.error().message);
  return finish(std::move(draft), sources, false);
}

Loaded load_text(std::string_view toml, const std::string& name, const Sources& sources) {
  Draft draft;
  const bool is_toml = read_toml_file(draft, toml, name);
  return finish(std::move(draft), sources, is_toml);
}

Environment process_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || !text.starts_with("TURNOUT_")) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

}  // namespace turnout::config
