#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/awaitable.h"
#include "base/result.h"
#include "core/arm.h"
#include "core/breaker_transitions.h"

namespace turnout::store {

/// A provider's weight at one moment.
struct ProviderWeight {
  std::string provider;
  double weight = 0;
};

/// One point of a provider's history.
struct HistoryPoint {
  TimeMs at_ms = 0;
  double weight = 0;

  friend bool operator==(const HistoryPoint&, const HistoryPoint&) = default;
};

/// What an event did to a breaker. `before` is what was stored, so a change by time alone shows too.
struct BreakerChange {
  core::Breaker before;
  core::Arm arm;  ///< afterwards; its revision is one higher when the breaker changed
};

/// Keeps the arms (counts and breakers) of every channel's providers, their published weights and history. A provider
/// never seen has a fresh arm. Every operation is atomic and visible to all instances that share the store.
///
/// All ports: thread-safe; views passed in stay valid until the operation completes, which the caller awaits; errors
/// are Error::Code::unavailable or corrupt, and mean that nothing happened unless said otherwise.
class ArmStore {
 public:
  /// History points kept per provider.
  static constexpr std::size_t kHistoryLimit = 1000;

  virtual ~ArmStore() = default;

  /// The arms of `providers`, in that order.
  virtual Awaitable<Result<std::vector<core::Arm>>> read_arms(std::string_view channel,
                                                              std::vector<std::string> providers) = 0;

  /// Applies core::after_event to one provider's breaker.
  virtual Awaitable<Result<BreakerChange>> change_breaker(std::string_view channel, std::string_view provider,
                                                          core::BreakerSettings settings, core::BreakerEvent event,
                                                          TimeMs now) = 0;

  /// Forgets a provider: its arm, weight and history.
  virtual Awaitable<Result<Done>> remove_provider(std::string_view channel, std::string_view provider) = 0;

  /// True for exactly one caller per `interval` over all instances: that one sweeps the channel now. A clock set back
  /// by less than an interval gets no second sweep, one set back further does not stop them.
  virtual Awaitable<Result<bool>> claim_sweep(std::string_view channel, DurationMs interval, TimeMs now) = 0;

  /// Makes the weights visible to operators and adds one history point per provider, in place of one of the same
  /// moment; the oldest beyond kHistoryLimit go.
  virtual Awaitable<Result<Done>> publish_weights(std::string_view channel, std::vector<ProviderWeight> weights,
                                                  TimeMs now) = 0;

  /// The newest `limit` points of one provider, oldest first.
  virtual Awaitable<Result<std::vector<HistoryPoint>>> history(std::string_view channel, std::string_view provider,
                                                               std::size_t limit) = 0;
};

}  // namespace turnout::store
