#include "store/memory/expiring_fingerprints.h"

#include <algorithm>

#include "base/assert.h"

namespace turnout::store {
namespace {

/// Parts of keep_for, and of max_count, that one bucket takes: more parts forget more exactly and cost more look-ups.
constexpr DurationMs kParts = 8;

}  // namespace

void ExpiringFingerprints::apply(const Limits& limits, TimeMs now) {
  TURNOUT_ASSERT(limits.keep_for_ms > 0 && limits.max_count > 0);
  limits_ = limits;
  for (std::size_t i = buckets_.size(); i-- > 0;) {
    if (is_over(buckets_[i], now)) drop(buckets_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (!retired_.empty() && !retired_.back().release_some()) retired_.pop_back();
}

std::optional<std::uint64_t> ExpiringFingerprints::find(std::uint64_t fingerprint, TimeMs now) const {
  if (buckets_.empty()) return std::nullopt;
  const auto place = buckets_.front().table.place_of(fingerprint);
  // Three rounds, so that the cache misses of all buckets overlap.
  for (const Bucket& bucket : buckets_) bucket.table.prefetch_directory(place);
  for (const Bucket& bucket : buckets_) bucket.table.prefetch_page(place);
  for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket) {
    if (is_over(*bucket, now)) continue;
    if (const auto tag = bucket->table.find(place)) return tag;
  }
  return std::nullopt;
}

void ExpiringFingerprints::put(std::uint64_t fingerprint, std::uint64_t tag, TimeMs now) {
  Bucket& bucket = bucket_for(now);
  const std::size_t before = bucket.table.size();
  const std::uint64_t word = bucket.table.put(bucket.table.place_of(fingerprint), tag);
  size_ += bucket.table.size() - before;
  if (journaling_ == Journaling::on) {
    if (changes_.added.empty() || changes_.added.back().bucket != bucket.number) {
      changes_.added.push_back({bucket.number, bucket.end_ms, {}});
    }
    changes_.added.back().words.push_back(word);
  }
  while (size_ > limits_.max_count && buckets_.size() > 1) {
    dropped_early_ += buckets_.front().table.size();
    drop(buckets_.begin());
  }
}

ExpiringFingerprints::Bucket& ExpiringFingerprints::bucket_for(TimeMs now) {
  const std::size_t max_in_bucket = std::max<std::size_t>(1, limits_.max_count / kParts);
  if (buckets_.empty() || now >= buckets_.back().end_ms || buckets_.back().table.size() >= max_in_bucket) {
    const DurationMs width = (limits_.keep_for_ms + kParts - 1) / kParts;
    buckets_.push_back({next_number_++, now + width, FingerprintTable(tag_bits_)});
  }
  return buckets_.back();
}

void ExpiringFingerprints::drop(std::deque<Bucket>::iterator bucket) {
  size_ -= bucket->table.size();
  if (journaling_ == Journaling::on) {
    std::erase_if(changes_.added, [&](const BucketWords& added) { return added.bucket == bucket->number; });
    changes_.dropped.push_back(bucket->number);
  }
  retired_.push_back(std::move(bucket->table));
  buckets_.erase(bucket);
}

void ExpiringFingerprints::restore(const BucketWords& bucket) {
  if (buckets_.empty() || buckets_.back().number != bucket.bucket) {
    buckets_.push_back({bucket.bucket, bucket.end_ms, FingerprintTable(tag_bits_)});
    next_number_ = std::max(next_number_, bucket.bucket + 1);
  }
  FingerprintTable& table = buckets_.back().table;
  const std::size_t before = table.size();
  for (const std::uint64_t word : bucket.words) table.put_word(word);
  size_ += table.size() - before;
}

void ExpiringFingerprints::clear() {
  while (!buckets_.empty()) drop(buckets_.begin());
  retired_.clear();
}

std::size_t ExpiringFingerprints::bytes() const {
  std::size_t bytes = 0;
  for (const Bucket& bucket : buckets_) bytes += bucket.table.bytes();
  for (const FingerprintTable& table : retired_) bytes += table.bytes();
  return bytes;
}

}  // namespace turnout::store
