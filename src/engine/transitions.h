#pragma once

#include <string_view>

#include "base/awaitable.h"
#include "core/breaker.h"
#include "engine/channel.h"
#include "engine/events.h"
#include "store/settings_store.h"

namespace turnout::engine {

/// Tells the world that a breaker changed its circuit: log line, metric, event, and an audit entry when a manual
/// opening was found to be over, whoever is first to find it. Thread-safe.
class Transitions {
 public:
  Transitions(Events& events, store::SettingsStore& settings) : events_(events), settings_(settings) {}

  /// Does nothing when `before` and `after` have the same generation. `snapshot` is any of the channel.
  Awaitable<void> observe(const Channel& channel, std::shared_ptr<const Snapshot> snapshot, std::string_view provider,
                          core::Breaker before, core::Breaker after, TimeMs now);

 private:
  Events& events_;
  store::SettingsStore& settings_;
};

}  // namespace turnout::engine
