#pragma once

#include "config/toml_source.h"

namespace turnout::config {

/// Reads [[server.tokens]], in place of the tokens that `draft` has.
void read_tokens(Draft& draft, const TomlSource& source, const toml::node& list);

}  // namespace turnout::config
