#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/assignment.h"
#include "config/problem.h"
#include "config/settings.h"

namespace turnout::config {

/// Where the configuration comes from. The environment wins over the file, flags win over both; README.md has the rule
/// of names.
struct Sources {
  /// The TOML file. Without one, and without TURNOUT_CONFIG in the environment, there is one channel `payments` without
  /// providers and a memory store to start from.
  std::optional<std::string> file = std::nullopt;
  Environment environment = {};  ///< variables that do not begin with TURNOUT_ are passed over
  Flags flags = {};
};

/// The settings, or all that is wrong with them.
struct Loaded {
  Settings settings;              ///< to be used only when ok()
  std::vector<Problem> problems;  ///< those of the file by line, then the environment's, then the flags'

  [[nodiscard]] bool ok() const noexcept { return problems.empty(); }
};

/// Reads and checks everything. May be called again for a reload. Blocks while it reads the file.
Loaded load(const Sources& sources);

/// The same with the text of the file at hand; `name` stands for it in problems.
Loaded load_text(std::string_view toml, const std::string& name, const Sources& sources = {});

/// The variables of this process that begin with TURNOUT_. Not to be called while another thread changes the
/// environment.
Environment process_environment();

}  // namespace turnout::config
