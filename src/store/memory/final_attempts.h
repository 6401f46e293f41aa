#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "core/channel_settings.h"
#include "store/memory/expiring_fingerprints.h"

namespace turnout::store {

/// What is remembered of a final attempt.
struct FinalAttempt {
  bool success = false;
  bool ended_pending = false;  ///< a webhook or a time-out made it final, not a report

  friend bool operator==(const FinalAttempt&, const FinalAttempt&) = default;
};

/// The final attempts of one channel, each in two tag bits beside 62 bits of its fingerprint, for the channel's
/// dedupe_for and at most dedupe_max of them. Not thread-safe.
class FinalAttempts {
 public:
  explicit FinalAttempts(Journaling journaling) : fingerprints_(2, journaling) {}

  /// Forgets what the channel no longer wants remembered at `now`.
  void forget(const core::ChannelSettings& channel, TimeMs now) {
    fingerprints_.apply({channel.dedupe_for_ms, static_cast<std::size_t>(channel.dedupe_max)}, now);
  }

  [[nodiscard]] std::optional<FinalAttempt> find(std::uint64_t fingerprint, TimeMs now) const {
    const auto tag = fingerprints_.find(fingerprint, now);
    if (!tag) return std::nullopt;
    return FinalAttempt{(*tag & kSuccess) != 0, (*tag & kEndedPending) != 0};
  }

  void remember(std::uint64_t fingerprint, FinalAttempt attempt, TimeMs now) {
    fingerprints_.put(fingerprint, (attempt.success ? kSuccess : 0) | (attempt.ended_pending ? kEndedPending : 0), now);
  }

  [[nodiscard]] ExpiringFingerprints& fingerprints() { return fingerprints_; }
  [[nodiscard]] const ExpiringFingerprints& fingerprints() const { return fingerprints_; }

 private:
  // Never change: they are stored.
  static constexpr std::uint64_t kSuccess = 1;
  static constexpr std::uint64_t kEndedPending = 2;

  ExpiringFingerprints fingerprints_;
};

}  // namespace turnout::store
