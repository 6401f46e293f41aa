#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "store/memory/channel_state.h"

namespace turnout::store {

/// A channel's state and the lock that guards it.
struct LockedChannel {
  LockedChannel(std::string_view channel_name, Journaling journaling) : name(channel_name), state(journaling) {}

  const std::string name;
  std::mutex mutex;
  ChannelState state;  ///< guarded by mutex
};

/// The channels by name. Thread-safe. Channels are only ever added (removing one empties it), so that a reference stays
/// valid and the table's own lock is held for the look-up alone, shared.
class ChannelTable {
 public:
  explicit ChannelTable(Journaling journaling) : journaling_(journaling) {}

  /// The channel, or null.
  [[nodiscard]] LockedChannel* find(std::string_view name) const;

  /// The channel, new and empty if there was none.
  LockedChannel& get(std::string_view name);

  /// All channels, by name.
  [[nodiscard]] std::vector<LockedChannel*> all() const;

 private:
  Journaling journaling_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::unique_ptr<LockedChannel>, std::less<>> channels_;
};

}  // namespace turnout::store
