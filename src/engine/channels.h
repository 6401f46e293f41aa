#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/awaitable.h"
#include "base/result.h"
#include "core/channel_settings.h"
#include "engine/channel.h"
#include "store/stores.h"

namespace turnout::engine {

/// Channels as a configuration file gives them.
using ConfiguredChannels = std::map<std::string, core::ChannelSettings, std::less<>>;

/// All channels in force: those of the file with the operators' overrides applied, and those that operators created.
/// Thread-safe.
class Channels {
 public:
  Channels(store::Stores stores, std::size_t workers) : stores_(stores), workers_(workers) {}

  /// Takes the configuration (again) and reads the overrides: at the start and on reload. Channels of the old file that
  /// are neither in the new one nor created by an operator disappear from routing; their state stays in the store.
  Awaitable<Result<Done>> configure(ConfiguredChannels configured, TimeMs now);

  /// Stores the changes with their audit entry, then puts in force what the store holds. The caller has checked the
  /// texts. When that second half fails, the error says so, and the next change or configure() makes up for it.
  Awaitable<Result<Done>> change(std::string channel, store::OverrideChanges changes, store::AuditEntry entry,
                                 TimeMs now);

  /// Removes a channel that an operator created, with its state.
  Awaitable<Result<Done>> remove(std::string channel);

  /// The channel, or nothing.
  [[nodiscard]] std::shared_ptr<Channel> find(std::string_view name) const;
  [[nodiscard]] std::vector<std::shared_ptr<Channel>> all() const;
  [[nodiscard]] std::size_t size() const;
  /// What the file says of the channel; nothing when it does not name it.
  [[nodiscard]] std::optional<core::ChannelSettings> configured(std::string_view name) const;
  [[nodiscard]] store::Overrides overrides(std::string_view name) const;

  /// Grows whenever a channel appears or disappears.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }

 private:
  struct Plan {
    std::shared_ptr<Channel> channel;
    core::ChannelSettings settings;
    Origin origin = Origin::file;
    std::uint64_t sequence = 0;
  };
  /// A channel's overrides as a read found them.
  struct ReadOverrides {
    store::Overrides texts;
    std::uint64_t turn = 0;
  };
  /// Begins a read of overrides. Of two reads of one channel the one that began later counts: it has seen all that was
  /// stored before the other began.
  std::uint64_t begin_read();
  /// Needs mutex_.
  void take_overrides(const std::string& channel, store::Overrides texts, std::uint64_t turn);
  Awaitable<Result<Done>> read_overrides(std::string channel);
  Plan plan(const std::string& name);
  std::vector<Plan> plan_all();
  Awaitable<Result<Done>> put_in_force(std::string channel, TimeMs now);
  Awaitable<Result<Done>> carry_out(Plan plan, TimeMs now);
  [[nodiscard]] bool exists(std::string_view name) const;

  store::Stores stores_;
  const std::size_t workers_;
  mutable std::shared_mutex mutex_;
  ConfiguredChannels configured_;
  std::map<std::string, ReadOverrides, std::less<>> overrides_;
  TextMap<std::shared_ptr<Channel>> channels_;
  std::uint64_t sequence_ = 0;
  std::uint64_t reads_begun_ = 0;
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace turnout::engine
