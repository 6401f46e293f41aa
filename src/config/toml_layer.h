#pragma once

#include <string>
#include <string_view>

#include "config/draft.h"

namespace turnout::config {

/// Reads the text of the file `name` into `draft`. Its channels take the place of those that are there. False when the
/// text is no TOML, so that nothing of it was read.
bool read_toml_file(Draft& draft, std::string_view text, const std::string& name);

/// Reads a list written as a TOML array: `[{id = "stripe"}]`. `source` is the variable or flag.
void read_tokens_text(Draft& draft, const std::string& source, std::string_view text);
void read_providers_text(Draft& draft, const std::string& source, std::string_view text, const std::string& channel);

}  // namespace turnout::config
