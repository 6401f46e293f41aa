#pragma once

#include <functional>
#include <string>

#include "config/toml_source.h"

namespace turnout::config {

/// Calls `read` for every table of `list` with its key, "server.tokens[2]". Anything else in its place is a problem.
void for_each_table(Draft& draft, const TomlSource& source, const toml::node& list, const std::string& key,
                    const std::function<void(const toml::table&, const std::string&)>& read);

/// Reads the providers of a channel, in place of those that it has; `prefix` is "channels.NAME.".
void read_providers(Draft& draft, const TomlSource& source, const toml::node& list, const std::string& prefix,
                    core::ChannelSettings& channel);

}  // namespace turnout::config
