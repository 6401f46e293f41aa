#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "store/memory/fingerprint_table.h"

namespace turnout::store {

/// Whether a container keeps a list of what changed in it, for somebody who collects it from time to time.
enum class Journaling : bool { off, on };

/// Words that were added to one bucket.
struct BucketWords {
  std::uint64_t bucket = 0;
  TimeMs end_ms = 0;
  std::vector<std::uint64_t> words;
};

/// What changed in an ExpiringFingerprints, oldest first.
struct FingerprintChanges {
  std::vector<BucketWords> added;
  std::vector<std::uint64_t> dropped;  ///< buckets that are gone; some were perhaps never collected as added

  [[nodiscard]] bool empty() const { return added.empty() && dropped.empty(); }
};

/// Remembers tagged fingerprints for a time: at least keep_for and less than 9/8 of it (longer while nothing is added),
/// and never more than max_count. They lie in buckets that take keep_for / 8 of time, or max_count / 8 entries, and are
/// dropped whole, the oldest first. Time that goes backwards drops nothing; what is added then lies in the newest
/// bucket. Not thread-safe.
class ExpiringFingerprints {
 public:
  struct Limits {
    DurationMs keep_for_ms = 0;  ///< > 0
    std::size_t max_count = 0;   ///< > 0
  };

  /// `tag_bits` as in FingerprintTable. Nothing expires before the first call of apply().
  ExpiringFingerprints(unsigned tag_bits, Journaling journaling) : tag_bits_(tag_bits), journaling_(journaling) {}

  /// Takes over limits, which may differ from the last ones, and drops the buckets that are over at `now`.
  void apply(const Limits& limits, TimeMs now);

  /// The tag last put for the fingerprint, unless it is forgotten at `now`. Changes nothing.
  [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t fingerprint, TimeMs now) const;

  /// Adds a fingerprint, or one more time with another tag; that needs room of its own unless both fall into one
  /// bucket. Beyond max_count the oldest buckets are dropped. apply() must have said what the limits are.
  void put(std::uint64_t fingerprint, std::uint64_t tag, TimeMs now);

  /// Puts words of an earlier process back, oldest bucket first.
  void restore(const BucketWords& bucket);

  /// Drops everything.
  void clear();

  /// The changes since the last call.
  FingerprintChanges take_changes() { return std::exchange(changes_, {}); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const;
  /// Entries dropped because of max_count, ever.
  [[nodiscard]] std::uint64_t dropped_early() const { return dropped_early_; }

 private:
  struct Bucket {
    std::uint64_t number = 0;
    TimeMs end_ms = 0;
    FingerprintTable table;
  };

  [[nodiscard]] bool is_over(const Bucket& bucket, TimeMs now) const {
    return now - limits_.keep_for_ms >= bucket.end_ms;
  }
  Bucket& bucket_for(TimeMs now);
  void drop(std::deque<Bucket>::iterator bucket);

  unsigned tag_bits_;
  Journaling journaling_;
  // A thousand years: what was restored stays until somebody says how long it is to be kept.
  Limits limits_{1000 * (365 * kDay), std::numeric_limits<std::size_t>::max()};
  std::deque<Bucket> buckets_;  ///< oldest first
  std::vector<FingerprintTable> retired_;
  std::uint64_t next_number_ = 1;
  std::size_t size_ = 0;
  std::uint64_t dropped_early_ = 0;
  FingerprintChanges changes_;
};

}  // namespace turnout::store
