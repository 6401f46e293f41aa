#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace turnout::store {

/// Maps 64-bit fingerprints to small tags in about 13 bytes each. The tag takes the place of the fingerprint's lowest
/// `tag_bits`, so fingerprints that differ in nothing else are the same.
///
/// Extendible hashing (Fagin and others 1979): pages of 1 KiB under a directory. A full page splits in two, so nothing
/// is ever rehashed as a whole: putting takes a few microseconds at worst, however many entries there are, and all
/// memory comes in slabs of one size, which leaves no holes. Entries are not removed one by one; the table goes as a
/// whole. Not thread-safe.
class FingerprintTable {
 public:
  /// Where a fingerprint belongs.
  struct Place {
    std::uint64_t key = 0;  ///< the fingerprint with zeros for the tag; never 0
    std::uint64_t hash = 0;
  };

  /// 1 <= tag_bits <= 16.
  explicit FingerprintTable(unsigned tag_bits);

  /// Also valid in every other table of this process with the same tag_bits.
  [[nodiscard]] Place place_of(std::uint64_t fingerprint) const;

  /// The tag of a fingerprint, or nothing.
  [[nodiscard]] std::optional<std::uint64_t> find(const Place& place) const;

  /// Starts to fetch what find() will read. Worth it before looking in several tables.
  void prefetch_directory(const Place& place) const { __builtin_prefetch(&directory_[index_of(place.hash)]); }
  void prefetch_page(const Place& place) const;

  /// Adds the fingerprint or replaces its tag, which must fit. Returns the word that keeps both, see put_word().
  std::uint64_t put(const Place& place, std::uint64_t tag);

  /// Adds a word that put() returned, perhaps in an earlier process.
  void put_word(std::uint64_t word);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Memory taken.
  [[nodiscard]] std::size_t bytes() const;

  /// Gives back a part of the memory of a table that is no longer used otherwise, so that nobody waits for all of it at
  /// once. True while there is more.
  bool release_some();

 private:
  struct Page {
    std::uint32_t count = 0;
    std::uint32_t depth = 0;  ///< how many leading bits of the hash all entries share
    std::array<std::uint64_t, 127> words{};
  };
  using Slab = std::array<Page, 16>;

  // Leading bits of the hash. Written so that depth 0 needs no shift by 64.
  [[nodiscard]] std::size_t index_of(std::uint64_t hash) const { return (hash >> 1) >> (63 - depth_); }
  [[nodiscard]] std::uint64_t* slot_in(Page& page, const Place& place) const;
  void put_word_at(const Place& place, std::uint64_t word);
  Page* new_page(std::uint32_t depth);
  void split_page_of(std::uint64_t hash);

  std::uint64_t tag_mask_;
  std::uint32_t depth_ = 0;
  std::size_t size_ = 0;
  std::size_t pages_used_ = 0;
  std::vector<Page*> directory_;
  std::vector<std::unique_ptr<Slab>> slabs_;
};

}  // namespace turnout::store
