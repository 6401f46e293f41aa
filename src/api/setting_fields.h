#pragma once

#include <map>
#include <string>

#include "api/json_reader.h"
#include "base/json_writer.h"
#include "core/channel_fields.h"

namespace turnout::api {

/// Fields as they were changed: name → text (core/field.h).
using FieldTexts = std::map<std::string, std::string>;

/// Reads the channel fields of a JSON object, nested as in the configuration file ({"breaker": {"open_for": "30s"}}),
/// into `settings` and gives those that were there. Refuses unknown names, wrong values and settings that contradict
/// each other. With `providers`, the object may also bring the list of providers, which replaces that of `settings`.
FieldTexts read_channel_fields(JsonReader& in, core::ChannelSettings& settings, bool providers);

/// Reads `business_multiplier` and `enabled` into `provider`.
FieldTexts read_provider_fields(JsonReader& in, core::ProviderSettings& provider);

/// Writes the settings as read_channel_fields reads them, into an object that is open.
void write_channel_fields(JsonWriter& json, const core::ChannelSettings& settings);

}  // namespace turnout::api
