#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/arm.h"
#include "store/arm_store.h"
#include "store/memory/expiring_fingerprints.h"
#include "store/memory/pending_transactions.h"
#include "store/memory/remembered_choices.h"
#include "store/settings_store.h"

namespace turnout::store {

/// What changed in one provider's part of a channel.
struct ProviderChanges {
  std::string provider;
  std::optional<core::Arm> arm;           ///< as it is now, when it changed
  std::vector<HistoryPoint> new_points;   ///< added, or given another weight
  std::optional<TimeMs> oldest_point_ms;  ///< points before it are gone
};

/// Everything that changed in one channel since its changes were last taken, all of one instant. To be applied in the
/// order of the members.
struct ChannelChanges {
  bool removed = false;                        ///< all that was known of the channel before is gone
  std::vector<std::string> removed_providers;  ///< arm and history are gone
  std::vector<ProviderChanges> providers;
  FingerprintChanges final_attempts;
  PendingChanges pending;
  ChoiceChanges choices;
  std::optional<Overrides> overrides;  ///< all of them as they are now, when they changed
  std::vector<AuditEntry> new_audit;

  [[nodiscard]] bool empty() const {
    return !removed && removed_providers.empty() && providers.empty() && final_attempts.empty() && pending.empty() &&
           choices.empty() && !overrides && new_audit.empty();
  }
};

}  // namespace turnout::store
