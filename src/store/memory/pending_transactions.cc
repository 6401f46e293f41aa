#include "store/memory/pending_transactions.h"

#include "base/assert.h"

namespace turnout::store {

const PendingTransaction* PendingTransactions::find(std::uint64_t fingerprint) const {
  const auto found = by_fingerprint_.find(fingerprint);
  return found == by_fingerprint_.end() ? nullptr : &found->second;
}

void PendingTransactions::add(std::uint64_t fingerprint, PendingTransaction transaction) {
  if (journaling_ == Journaling::on) changes_.insert_or_assign(fingerprint, transaction);
  restore(fingerprint, std::move(transaction));
}

void PendingTransactions::restore(std::uint64_t fingerprint, PendingTransaction transaction) {
  by_deadline_.emplace(transaction.deadline_ms, fingerprint);
  const bool added = by_fingerprint_.emplace(fingerprint, std::move(transaction)).second;
  TURNOUT_ASSERT(added);
}

PendingTransaction PendingTransactions::remove(std::uint64_t fingerprint) {
  auto node = by_fingerprint_.extract(fingerprint);
  TURNOUT_ASSERT(!node.empty());
  by_deadline_.erase({node.mapped().deadline_ms, fingerprint});
  if (journaling_ == Journaling::on) changes_.insert_or_assign(fingerprint, std::nullopt);
  return std::move(node.mapped());
}

std::vector<PendingTransaction> PendingTransactions::first(std::size_t limit, TimeMs latest) const {
  std::vector<PendingTransaction> transactions;
  for (const auto& [deadline_ms, fingerprint] : by_deadline_) {
    if (transactions.size() == limit || deadline_ms > latest) break;
    transactions.push_back(by_fingerprint_.at(fingerprint));
  }
  return transactions;
}

void PendingTransactions::clear() {
  by_fingerprint_.clear();
  by_deadline_.clear();
  changes_.clear();
}

}  // namespace turnout::store
