#include "store/memory/fingerprint_table.h"

#include <random>

#include "base/assert.h"
#include "base/random.h"

namespace turnout::store {
namespace {

/// Entries at which a page splits: 88 % of its slots, beyond which probing gets slow.
constexpr std::uint32_t kFullPage = 112;

/// With 2^28 pages to spread over, a full one means that the hash is broken: a table holds some 10^7 entries.
constexpr std::uint32_t kMaxDepth = 28;

/// Unknown outside the process, so that nobody can choose ids that crowd into one page.
std::uint64_t salt() {
  static const std::uint64_t value = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }();
  return value;
}

/// The position in a page at which probing starts, from the hash's low bits; the directory uses the high ones.
std::size_t start_in_page(std::uint64_t hash, std::size_t slots) {
  return static_cast<std::size_t>(((hash & 0xffff'ffffU) * slots) >> 32);
}

}  // namespace

FingerprintTable::FingerprintTable(unsigned tag_bits) : tag_mask_((std::uint64_t{1} << tag_bits) - 1) {
  TURNOUT_ASSERT(tag_bits >= 1 && tag_bits <= 16);
  directory_.push_back(new_page(0));
}

FingerprintTable::Place FingerprintTable::place_of(std::uint64_t fingerprint) const {
  // A word of zero is an empty slot, so the key zero is taken for its neighbour.
  const std::uint64_t masked = fingerprint & ~tag_mask_;
  const std::uint64_t key = masked != 0 ? masked : tag_mask_ + 1;
  std::uint64_t state = key ^ salt();
  return {key, split_mix64(state)};
}

std::uint64_t* FingerprintTable::slot_in(Page& page, const Place& place) const {
  // Ends, because a page is never quite full.
  std::size_t slot = start_in_page(place.hash, page.words.size());
  while (page.words[slot] != 0 && (page.words[slot] & ~tag_mask_) != place.key) {
    slot = slot + 1 == page.words.size() ? 0 : slot + 1;
  }
  return &page.words[slot];
}

void FingerprintTable::prefetch_page(const Place& place) const {
  const Page& page = *directory_[index_of(place.hash)];
  __builtin_prefetch(&page.words[start_in_page(place.hash, page.words.size())]);
}

std::optional<std::uint64_t> FingerprintTable::find(const Place& place) const {
  const std::uint64_t word = *slot_in(*directory_[index_of(place.hash)], place);
  if (word == 0) return std::nullopt;
  return word & tag_mask_;
}

std::uint64_t FingerprintTable::put(const Place& place, std::uint64_t tag) {
  TURNOUT_ASSERT((tag & ~tag_mask_) == 0);
  put_word_at(place, place.key | tag);
  return place.key | tag;
}

void FingerprintTable::put_word(std::uint64_t word) { put_word_at(place_of(word), word); }

void FingerprintTable::put_word_at(const Place& place, std::uint64_t word) {
  for (;;) {
    Page& page = *directory_[index_of(place.hash)];
    std::uint64_t* slot = slot_in(page, place);
    const bool is_new = *slot == 0;
    if (is_new && page.count == kFullPage) {
      split_page_of(place.hash);
      continue;
    }
    *slot = word;
    page.count += is_new ? 1 : 0;
    size_ += is_new ? 1 : 0;
    return;
  }
}

FingerprintTable::Page* FingerprintTable::new_page(std::uint32_t depth) {
  const std::size_t position = pages_used_ % std::tuple_size_v<Slab>;
  if (position == 0) slabs_.push_back(std::make_unique<Slab>());
  ++pages_used_;
  Page* page = &(*slabs_.back())[position];
  page->depth = depth;
  return page;
}

void FingerprintTable::split_page_of(std::uint64_t hash) {
  Page* lower = directory_[index_of(hash)];
  TURNOUT_ASSERT(lower->depth < kMaxDepth);
  if (lower->depth == depth_) {
    std::vector<Page*> doubled(directory_.size() * 2);
    for (std::size_t i = 0; i < doubled.size(); ++i) doubled[i] = directory_[i / 2];
    directory_ = std::move(doubled);
    ++depth_;
  }
  const std::size_t span = std::size_t{1} << (depth_ - lower->depth);
  const std::size_t first = index_of(hash) & ~(span - 1);
  Page* upper = new_page(lower->depth + 1);
  for (std::size_t i = first + span / 2; i < first + span; ++i) directory_[i] = upper;

  const Page before = *lower;
  *lower = Page{};
  lower->depth = upper->depth;
  for (const std::uint64_t word : before.words) {
    if (word == 0) continue;
    const Place place = place_of(word);
    Page& page = *directory_[index_of(place.hash)];
    *slot_in(page, place) = word;
    page.count += 1;
  }
}

std::size_t FingerprintTable::bytes() const {
  return slabs_.size() * sizeof(Slab) + directory_.capacity() * sizeof(Page*);
}

bool FingerprintTable::release_some() {
  directory_ = std::vector<Page*>();
  if (!slabs_.empty()) slabs_.pop_back();
  return !slabs_.empty();
}

}  // namespace turnout::store
