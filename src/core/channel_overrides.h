#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/channel_settings.h"

namespace turnout::core {

/// What operators changed at run time, as it is stored: name → text.
/// - `epsilon` → "0.1": a field of core/channel_fields.h, the text as to_text of core/field.h writes it
/// - `provider/ID` → "present" or "removed": a provider added by an operator, or one of the file taken away
/// - `provider/ID/business_multiplier` → "1.2", `provider/ID/enabled` → "false"
/// - `channel` → "present": the channel exists by an operator's word, not by the file
using OverrideTexts = std::map<std::string, std::string, std::less<>>;

/// The settings in force: `base` (of the file, or the defaults) with the overrides applied, fields in the order of
/// channel_fields(). Providers that were added follow those of `base`, sorted by id. An entry that no longer fits
/// (unknown name, bad text, a provider that is gone or one too many) is left out and named in `ignored` when that is
/// given. When the two open periods of the breaker contradict each other, because the file changed below an override,
/// the overrides of both are left out.
ChannelSettings with_overrides(ChannelSettings base, const OverrideTexts& overrides,
                               std::vector<std::string>* ignored = nullptr);

/// The overrides that turn `base` into `settings`: the inverse of with_overrides. (Providers that `base` does not have
/// follow in the order of their ids, whatever their order in `settings`.)
OverrideTexts overrides_between(const ChannelSettings& base, const ChannelSettings& settings);

/// Names and texts of overrides, so that each is spelled in one place.
inline constexpr std::string_view kChannelPresent = "channel";
inline constexpr std::string_view kPresent = "present";
inline constexpr std::string_view kRemoved = "removed";
std::string provider_override(std::string_view provider);
std::string provider_override(std::string_view provider, std::string_view field);

}  // namespace turnout::core
