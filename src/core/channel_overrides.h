#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/channel_settings.h"

namespace turnout::core {

/// What operators changed at run time, as it is stored: name → text.
///   `epsilon` → "0.1"                                   a field of core/channel_fields.h
///   `provider/ID` → "present" | "removed"               a provider added by an operator, or one of the file taken away
///   `provider/ID/business_multiplier` → "1.2", `provider/ID/enabled` → "false"
///   `channel` → "present"                               the channel exists by an operator's word, not by the file
using OverrideTexts = std::map<std::string, std::string, std::less<>>;

/// The settings in force: `base` (of the file, or the defaults) with the overrides applied. An entry that no longer fits (unknown
/// name, bad text, a provider that is gone) is left out and named in `ignored` when that is given.
ChannelSettings with_overrides(ChannelSettings base, const OverrideTexts& overrides,
                               std::vector<std::string>* ignored = nullptr);

/// Names of overrides, so that each is spelled in one place.
inline constexpr std::string_view kChannelPresent = "channel";
std::string provider_override(std::string_view provider);
std::string provider_override(std::string_view provider, std::string_view field);

}  // namespace turnout::core
