#include "store/file/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace turnout::store {
namespace {

Error unavailable(std::string message) { return {Error::Code::unavailable, std::move(message)}; }

std::string reason_of(int error) { return std::generic_category().message(error); }

}  // namespace

Result<DirectoryLock> DirectoryLock::acquire(const std::filesystem::path& directory) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure) return unavailable("cannot make the folder " + directory.string() + ": " + failure.message());
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return unavailable("cannot open the folder " + directory.string() + ": " + reason_of(errno));
  DirectoryLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno == EWOULDBLOCK) return unavailable("the folder " + directory.string() + " is in use by another process");
  return unavailable("cannot lock the folder " + directory.string() + ": " + reason_of(errno));
}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace turnout::store
