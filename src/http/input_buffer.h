#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "base/assert.h"

namespace turnout::http {

/// The bytes that arrived on a connection and are not used up: one piece of memory, taken from the front, filled at the
/// back. Grows by doubling, as bytes really arrive, never by what a client announces.
class InputBuffer {
 public:
  /// Enough for a usual request; more is allocated when one is larger.
  static constexpr std::size_t kInitialBytes = 4096;

  [[nodiscard]] std::string_view view() const noexcept { return {memory_.get() + begin_, end_ - begin_}; }
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }

  /// Room at the back, at least kInitialBytes / 2. Moves the bytes: views end here.
  std::span<char> prepare() {
    if (empty()) {
      release_if_large();
    }
    const std::size_t size = end_ - begin_;
    if (capacity_ < size + kInitialBytes / 2) {
      const std::size_t capacity = capacity_ == 0 ? kInitialBytes : capacity_ * 2;
      auto memory = std::make_unique_for_overwrite<char[]>(capacity);
      if (size != 0) {
        std::memcpy(memory.get(), memory_.get() + begin_, size);
      }
      memory_ = std::move(memory);
      capacity_ = capacity;
    } else if (size != 0 && begin_ != 0) {
      std::memmove(memory_.get(), memory_.get() + begin_, size);
    }
    begin_ = 0;
    end_ = size;
    return {memory_.get() + end_, capacity_ - end_};
  }

  /// `size` bytes were put into the room.
  void commit(std::size_t size) {
    TURNOUT_ASSERT(size <= capacity_ - end_);
    end_ += size;
  }

  /// Drops the first `size` bytes.
  void consume(std::size_t size) {
    TURNOUT_ASSERT(size <= end_ - begin_);
    begin_ += size;
  }

  /// Keeps only the first `size` bytes.
  void truncate(std::size_t size) {
    TURNOUT_ASSERT(size <= end_ - begin_);
    end_ = begin_ + size;
  }

 private:
  /// Many idle connections must not each keep the memory of their largest request.
  void release_if_large() {
    if (capacity_ > 4 * kInitialBytes) {
      memory_.reset();
      capacity_ = 0;
    }
    begin_ = 0;
    end_ = 0;
  }

  std::unique_ptr<char[]> memory_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace turnout::http
