#pragma once

#include <string>
#include <vector>

#include "config/loader.h"

namespace turnout::config {

using Lines = std::vector<std::string>;

/// The problems as `turnout check` prints them.
inline Lines described(const Loaded& loaded) {
  Lines lines;
  for (const Problem& problem : loaded.problems) lines.push_back(describe(problem));
  return lines;
}

/// The problems of a file called `t.toml` alone.
inline Lines problems_of(const std::string& toml) { return described(load_text(toml, "t.toml")); }

}  // namespace turnout::config
