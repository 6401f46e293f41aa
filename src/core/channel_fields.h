#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/channel_settings.h"
#include "core/field.h"

namespace turnout::core {

/// Most channels one installation has.
inline constexpr std::size_t kMaxChannels = 10'000;

/// Most providers one channel has.
inline constexpr std::size_t kMaxProviders = 1'000;

using ChannelField = Field<ChannelSettings>;
using ProviderField = Field<ProviderSettings>;

/// All that an operator may set for a channel, in the order of the documentation. The table is the only place that
/// knows a field's name, kind and range: configuration file, environment, PATCH, overrides and the listing all go
/// through it. Several fields at once are set in the order of the table, so that the more exact one has the last word:
/// - `prior` sets alpha and beta by name and reads as the name that fits; `prior.alpha` and `prior.beta` refine it.
/// - `half_life` and `window` replace each other; only the one in force reads as a value.
/// - `breaker.probe_lease` follows `webhook_timeout` as long as the two are equal, as they are by default.
std::span<const ChannelField> channel_fields();

/// The field of that name, or nothing.
const ChannelField* find_channel_field(std::string_view name);

/// What an operator may set for a provider besides its id: `business_multiplier`, `enabled`.
std::span<const ProviderField> provider_fields();

/// The field of that name, or nothing.
const ProviderField* find_provider_field(std::string_view name);

/// What is wrong with settings as a whole.
struct Contradiction {
  std::string field;    ///< a field of the channel, `providers`, or `providers[3].id` counted from 0
  std::string message;  ///< "expected …" or what is wrong

  friend bool operator==(const Contradiction&, const Contradiction&) = default;
};

/// All that no single field can say: max_open_for below open_for, provider ids that are no ids or appear twice, too
/// many providers. Empty when the settings may be put in force.
std::vector<Contradiction> contradictions(const ChannelSettings& settings);

}  // namespace turnout::core
