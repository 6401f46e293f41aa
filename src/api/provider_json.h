#pragma once

#include "base/json_writer.h"
#include "base/time.h"
#include "core/arm.h"
#include "engine/activity.h"

namespace turnout::api {

/// What an operator sees of one provider.
struct ProviderRow {
  const core::ProviderSettings& provider;
  core::ProviderView view;
  double share_last_minute = 0;  ///< of the channel's decisions in this process
  std::uint64_t in_flight = 0;
};

/// Writes it as an element of the providers list.
void write_provider(JsonWriter& json, const ProviderRow& row, TimeMs now);

}  // namespace turnout::api
