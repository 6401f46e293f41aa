#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/awaitable.h"
#include "base/result.h"
#include "base/uuid.h"
#include "core/arm.h"
#include "core/outcome.h"

namespace turnout::store {

/// Names one attempt in a call. `fingerprint` is attempt_fingerprint of the rest.
struct AttemptKey {
  std::string_view channel;
  std::string_view provider;
  std::string_view transaction_id;
  std::uint64_t fingerprint = 0;
};

/// An attempt that was reported pending and waits for its webhook.
struct PendingTransaction {
  std::string transaction_id;
  std::string provider;
  std::optional<Uuid> decision_id;
  TimeMs reported_at_ms = 0;
  TimeMs deadline_ms = 0;                ///< without a webhook by then, a failure of kind `provider` is counted
  std::optional<DurationMs> latency_ms;  ///< of the report; used when the webhook brings none
  std::string merchant_id;
  std::string customer_id;
  std::string payment_method;
  std::string payment_method_type;

  friend bool operator==(const PendingTransaction&, const PendingTransaction&) = default;
};

/// Who says that an attempt is final.
enum class Source : std::uint8_t {
  report,    ///< counts whether or not the attempt was pending
  webhook,   ///< counts only for a pending attempt
  time_out,  ///< counts only for a pending attempt whose deadline has passed
};

/// What became of a report, webhook or time-out.
enum class Verdict : std::uint8_t {
  recorded,
  duplicate,  ///< the attempt was final, or pending and reported pending again; nothing changed
  late,  ///< the attempt became final while pending (by webhook or time-out), or a webhook came after the end; nothing
         ///< changed
  unknown,  ///< a webhook for an attempt that is neither pending nor remembered, or a time-out for one that is not
            ///< pending or not due; nothing changed
};

/// A final outcome to be recorded once.
struct FinalReport {
  AttemptKey attempt;
  Source source = Source::report;
  core::Outcome outcome;
  const core::ChannelSettings* channel = nullptr;
  TimeMs now = 0;
};

/// What a final outcome changed.
struct Counted {
  core::Arm arm;                               ///< the provider's, afterwards
  core::Breaker breaker_before;                ///< as stored before
  std::optional<PendingTransaction> resolved;  ///< the pending transaction that became final by this call
};

/// The answer to a report. Small, since it travels through several coroutines: Asio recycles only small frames.
struct Recording {
  Verdict verdict = Verdict::unknown;
  core::Status recorded_status = core::Status::pending;  ///< what stands recorded now, for all verdicts but unknown
  std::unique_ptr<const Counted> counted;                ///< for `recorded` finals, otherwise null
};

/// A provider chosen for a transaction of a channel with stable_per_transaction.
struct RememberedChoice {
  std::string provider;
  bool earlier = false;  ///< true when it stood already, false when the proposal was stored
};

/// Remembers which attempts are pending, and which are final: those for at least dedupe_for and less than 9/8 of it,
/// but no more than dedupe_max per channel, the oldest going first. Threads, views and errors as in ArmStore.
class TransactionStore {
 public:
  virtual ~TransactionStore() = default;

  /// Records a final outcome if it is the first: remembers it, drops the pending entry and applies core::apply_outcome
  /// to the provider's arm, all in one atomic step, so that a crash or a race never counts it twice or loses one half.
  virtual Awaitable<Result<Recording>> finish(FinalReport report) = 0;

  /// Stores a pending transaction unless the attempt is pending (duplicate) or final (duplicate, or late after a
  /// time-out or webhook).
  virtual Awaitable<Result<Recording>> begin_pending(AttemptKey attempt, PendingTransaction pending, TimeMs now) = 0;

  /// Up to `limit` pending transactions whose deadline is at or before `now`, the most overdue first. Changes nothing:
  /// finish() with Source::time_out decides which instance counts each.
  virtual Awaitable<Result<std::vector<PendingTransaction>>> due(std::string_view channel, TimeMs now,
                                                                 std::size_t limit) = 0;

  /// Up to `limit` pending transactions, the earliest deadline first.
  virtual Awaitable<Result<std::vector<PendingTransaction>>> pending(std::string_view channel, std::size_t limit) = 0;

  /// How many are pending.
  virtual Awaitable<Result<std::size_t>> pending_count(std::string_view channel) = 0;

  /// The provider remembered under `key`, otherwise stores the proposal. Choices are remembered for at least `keep_for`
  /// and less than 9/8 of it. The lowest 16 bits of a key are not looked at.
  virtual Awaitable<Result<RememberedChoice>> remember_choice(std::string_view channel, std::uint64_t key,
                                                              std::string_view proposal, DurationMs keep_for,
                                                              TimeMs now) = 0;

  /// Replaces what is remembered under `key`, whose provider can no longer be chosen.
  virtual Awaitable<Result<Done>> replace_choice(std::string_view channel, std::uint64_t key, std::string_view provider,
                                                 DurationMs keep_for, TimeMs now) = 0;
};

}  // namespace turnout::store
