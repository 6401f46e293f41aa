#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/awaitable.h"
#include "base/result.h"
#include "engine/channels.h"
#include "engine/transitions.h"
#include "store/stores.h"

namespace turnout::engine {

/// What an operator orders for a provider's circuit.
enum class CircuitAction : std::uint8_t { open, close, auto_ };

/// An order with who gave it and why.
struct CircuitOrder {
  CircuitAction action = CircuitAction::open;
  std::string author;
  std::string reason;
  std::optional<DurationMs> expires_in_ms;  ///< of an opening; without it, it lasts until told otherwise
};

/// What operators may change while the server runs. Every change is stored, audited and seen by all instances. Settings
/// handed in have been checked (core/channel_fields.h). Thread-safe.
class Operations {
 public:
  Operations(store::Stores stores, Channels& channels, Transitions& transitions)
      : stores_(stores), channels_(channels), transitions_(transitions) {}

  /// Opens, closes or hands back a provider's circuit; gives the breaker afterwards. When only the audit entry could
  /// not be stored, the order is carried out and the error says that the entry is missing.
  Awaitable<Result<core::Breaker>> order_circuit(std::shared_ptr<Channel> channel, std::string provider,
                                                 CircuitOrder order, TimeMs now);

  /// Puts `settings` in force for the channel, which is created when it does not exist.
  Awaitable<Result<Done>> put_channel(std::string channel, core::ChannelSettings settings, std::string author,
                                      TimeMs now);

  /// Changes the named fields (name → text).
  Awaitable<Result<Done>> patch_channel(std::shared_ptr<Channel> channel, std::map<std::string, std::string> fields,
                                        std::string author, TimeMs now);

  /// Removes a channel that an operator created, with its state.
  Awaitable<Result<Done>> remove_channel(std::string channel) { return channels_.remove(std::move(channel)); }

  /// Adds a provider or sets the named fields of one that is there.
  Awaitable<Result<Done>> put_provider(std::shared_ptr<Channel> channel, std::string provider,
                                       std::map<std::string, std::string> fields, std::string author, TimeMs now);

  /// Removes a provider, with its state.
  Awaitable<Result<Done>> remove_provider(std::shared_ptr<Channel> channel, std::string provider, std::string author,
                                          TimeMs now);

 private:
  store::Stores stores_;
  Channels& channels_;
  Transitions& transitions_;
};

}  // namespace turnout::engine
