#pragma once

#include <map>
#include <string>

#include "base/awaitable.h"
#include "engine/channels.h"
#include "engine/events.h"
#include "engine/router.h"

namespace turnout::engine {

/// The work that time alone brings: pending transactions time out, open periods and manual openings end, weights are
/// recomputed and get their point of history. Driven by whoever has a timer, in steps; used by one thread.
class Sweeper {
 public:
  Sweeper(store::Stores stores, Channels& channels, Router& router, Transitions& transitions, Events& events,
          Worker& worker)
      : stores_(stores),
        channels_(channels),
        router_(router),
        transitions_(transitions),
        events_(events),
        worker_(worker) {}

  /// How often step() wants to be called, so that a time-out is counted within a second of its deadline.
  static constexpr DurationMs kStepEvery = 200;

  /// Everything that is due at `now`. A store that fails is logged and tried again with the next step.
  Awaitable<void> step(TimeMs now);

 private:
  /// How far the sweeps of one channel are.
  struct Progress {
    TimeMs asked_at_ms = 0;   ///< when the store last said whose sweep it is
    bool owes_sweep = false;  ///< ours, and not done yet
  };

  Awaitable<void> time_out_pending(std::shared_ptr<Channel> channel, TimeMs now);
  Awaitable<void> sweep(std::shared_ptr<Channel> channel, TimeMs now);
  Awaitable<void> end_manual_openings(std::shared_ptr<Channel> channel, std::shared_ptr<const Snapshot> snapshot,
                                      TimeMs now);
  /// Makes what time alone changed in the breakers the stored state.
  Awaitable<Result<Done>> store_time_passed(Channel& channel, std::shared_ptr<const Snapshot> snapshot, TimeMs now);
  Awaitable<Result<Done>> pass_time(Channel& channel, std::shared_ptr<const Snapshot> snapshot, TimeMs now);
  void publish_event(const Channel& channel, const Snapshot& snapshot, TimeMs now);

  store::Stores stores_;
  Channels& channels_;
  Router& router_;
  Transitions& transitions_;
  Events& events_;
  Worker& worker_;
  std::map<std::string, Progress> progress_;  ///< by channel
};

}  // namespace turnout::engine
