#pragma once

#include <filesystem>
#include <utility>

#include "base/result.h"

namespace turnout::store {

/// Holds a directory for this process until destroyed, or until the process ends in whatever way. Others that ask for
/// the same directory in the same way are refused; nothing else is kept from using it.
class DirectoryLock {
 public:
  /// Makes the directory, with its parents, when it is missing.
  static Result<DirectoryLock> acquire(const std::filesystem::path& directory);

  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;

 private:
  explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace turnout::store
