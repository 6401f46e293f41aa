#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/memory/expiring_fingerprints.h"
#include "store/transaction_store.h"

namespace turnout::store {

/// Pending transactions that were added (with a value) or removed (without), by fingerprint.
using PendingChanges = std::unordered_map<std::uint64_t, std::optional<PendingTransaction>>;

/// The pending transactions of one channel, by fingerprint and by deadline. Not thread-safe.
class PendingTransactions {
 public:
  explicit PendingTransactions(Journaling journaling) : journaling_(journaling) {}

  /// The transaction, or null. Valid until the next change.
  [[nodiscard]] const PendingTransaction* find(std::uint64_t fingerprint) const;

  /// Adds one that is not there.
  void add(std::uint64_t fingerprint, PendingTransaction transaction);

  /// Takes one that is there out.
  PendingTransaction remove(std::uint64_t fingerprint);

  /// Up to `limit` with a deadline at or before `latest`, the earliest deadline first.
  [[nodiscard]] std::vector<PendingTransaction> first(std::size_t limit, TimeMs latest) const;

  [[nodiscard]] std::size_t size() const { return by_fingerprint_.size(); }

  /// Puts one of an earlier process back.
  void restore(std::uint64_t fingerprint, PendingTransaction transaction);

  void clear();

  /// The changes since the last call.
  PendingChanges take_changes() { return std::exchange(changes_, {}); }

 private:
  Journaling journaling_;
  std::unordered_map<std::uint64_t, PendingTransaction> by_fingerprint_;
  std::set<std::pair<TimeMs, std::uint64_t>> by_deadline_;
  PendingChanges changes_;
};

}  // namespace turnout::store
