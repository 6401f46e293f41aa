#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/awaitable.h"
#include "base/result.h"
#include "base/time.h"

namespace turnout::store {

/// The overrides of one channel: name → text. core/channel_overrides.h gives them their meaning; a store only keeps
/// them.
using Overrides = std::map<std::string, std::string, std::less<>>;

/// Changes to overrides: nothing as text removes the entry.
using OverrideChanges = std::map<std::string, std::optional<std::string>, std::less<>>;

/// One manual change, or the end of one.
struct AuditEntry {
  TimeMs at_ms = 0;
  std::string action;    ///< `open`, `close`, `auto`, `expired`, `settings`, `provider_added`, …
  std::string provider;  ///< empty when the channel itself is meant
  std::string author;
  std::string reason;
  std::string detail;  ///< what was changed to what, as text

  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};

/// Keeps what operators changed. Threads, views and errors as in ArmStore.
class SettingsStore {
 public:
  /// Audit entries kept per channel; the oldest go first.
  static constexpr std::size_t kAuditLimit = 1000;

  virtual ~SettingsStore() = default;

  /// The overrides of every channel that has any.
  virtual Awaitable<Result<std::map<std::string, Overrides>>> all_overrides() = 0;

  /// The overrides of one channel.
  virtual Awaitable<Result<Overrides>> overrides(std::string_view channel) = 0;

  /// Applies the changes and appends the entry, in one step.
  virtual Awaitable<Result<Done>> change_overrides(std::string_view channel, OverrideChanges changes,
                                                   AuditEntry entry) = 0;

  virtual Awaitable<Result<Done>> append_audit(std::string_view channel, AuditEntry entry) = 0;

  /// The newest `limit` entries, newest first.
  virtual Awaitable<Result<std::vector<AuditEntry>>> audit(std::string_view channel, std::size_t limit) = 0;

  /// Forgets the channel altogether: overrides, audit, arms, history and transactions.
  virtual Awaitable<Result<Done>> remove_channel(std::string_view channel) = 0;
};

}  // namespace turnout::store
