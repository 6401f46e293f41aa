#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "core/breaker.h"
#include "core/decide.h"
#include "core/outcome.h"

namespace turnout::engine {

inline constexpr std::size_t kReasons = 5;       ///< enumerators of core::Reason
inline constexpr std::size_t kOutcomeKinds = 4;  ///< success, then a failure of each core::FailureKind
inline constexpr std::size_t kCircuits = 3;      ///< enumerators of core::Circuit

/// Position of an outcome among the kOutcomeKinds: success 0, failures 1 + kind.
constexpr std::size_t outcome_kind(const core::Outcome& outcome) {
  return outcome.success ? 0 : 1 + static_cast<std::size_t>(outcome.failure_kind);
}

/// Counts the decisions of the last 60 seconds, one slot a second. Written by one thread, read by any.
class MinuteCounter {
 public:
  void add(TimeMs now);
  [[nodiscard]] std::uint64_t last_minute(TimeMs now) const;

 private:
  static constexpr std::size_t kSlots = 64;
  struct Slot {
    std::uint32_t second = 0;  ///< since the Unix epoch
    std::uint32_t count = 0;
  };
  static_assert(std::atomic<Slot>::is_always_lock_free);
  std::array<std::atomic<Slot>, kSlots> slots_{};
};

/// How well the moment of a decision is known: from its id, or from its outcome's latency.
enum class Moment : std::uint8_t { exact, guessed };

/// Counts decisions that still wait for an outcome, in slots of the moment they were made, so that one without an
/// outcome leaves the count when its webhook time-out is over (or up to 2 % later). Without any memory per decision it
/// is exact as long as outcomes name their decision_id, and otherwise close when they tell their latency. Thread-safe.
class InFlightCounter {
 public:
  void decided(TimeMs at, DurationMs timeout);
  /// The outcome of a decision made at `at`.
  void resolved(TimeMs at, Moment moment, DurationMs timeout);
  [[nodiscard]] std::uint64_t count(TimeMs now, DurationMs timeout) const;

 private:
  static constexpr std::int64_t kSlots = 64;

  /// The decisions of one period less the outcomes that were put there. One word, so that a slot changes as a whole.
  struct Slot {
    std::uint32_t period = 0;  ///< its lowest bits, of which those around now are enough
    std::int32_t count = 0;
    [[nodiscard]] bool is_of(std::int64_t of) const { return period == static_cast<std::uint32_t>(of); }
  };
  static_assert(std::atomic<Slot>::is_always_lock_free);

  static std::int64_t period_of(TimeMs at, DurationMs timeout);

  std::array<std::atomic<Slot>, kSlots> slots_{};
};

/// What happened with one provider of one channel in this process, for metrics and operators. Survives changes of
/// settings. The counters of decisions and outcomes have one shard per worker, so that threads do not wait for each
/// other's cache lines.
class ProviderActivity {
 public:
  explicit ProviderActivity(std::size_t workers) : shards_(workers) {}

  void decided(std::size_t worker, core::Reason reason, TimeMs now, DurationMs timeout);
  void outcome(std::size_t worker, const core::Outcome& outcome, TimeMs decided_at, Moment moment, DurationMs timeout);
  void transition(core::Circuit to);

  [[nodiscard]] std::uint64_t decisions(core::Reason reason) const;
  [[nodiscard]] std::uint64_t outcomes(std::size_t kind) const;
  [[nodiscard]] std::uint64_t transitions(core::Circuit to) const;
  [[nodiscard]] std::uint64_t decisions_last_minute(TimeMs now) const;
  [[nodiscard]] std::uint64_t in_flight(TimeMs now, DurationMs timeout) const { return in_flight_.count(now, timeout); }

 private:
  struct alignas(64) Shard {
    std::array<std::atomic<std::uint64_t>, kReasons> decisions{};
    std::array<std::atomic<std::uint64_t>, kOutcomeKinds> outcomes{};
    MinuteCounter minute;
  };
  std::vector<Shard> shards_;
  std::array<std::atomic<std::uint64_t>, kCircuits> transitions_{};
  InFlightCounter in_flight_;
};

}  // namespace turnout::engine
