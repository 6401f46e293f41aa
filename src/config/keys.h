#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "core/field.h"

namespace turnout::config {

using Key = core::Field<Settings>;

/// Every key outside [channels] that holds one value, in the order of the documentation: `server.listen`, `store.kind`,
/// … The list `server.tokens` is read by config/token_reader.h, the fields of channels are in core/channel_fields.h.
std::span<const Key> keys();

/// Names of the keys, and `server.tokens`, whose values differ: what a reload cannot put in force, since only channels
/// can change while the program runs.
std::vector<std::string_view> keys_that_differ(const Settings& one, const Settings& other);

}  // namespace turnout::config
