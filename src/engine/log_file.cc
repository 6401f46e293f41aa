#include "engine/log_file.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace turnout::engine {
namespace {

constexpr std::size_t kBufferBytes = 64 << 10;

/// Writes all of it; 0, or errno and how much was written in `text`, which is shortened to the rest.
int write_all(int file, std::string_view& text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

}  // namespace

LogFile::LogFile(LogFileOptions options) : options_(std::move(options)) {
  if (const int error = reopen()) fail(error);
}

LogFile::~LogFile() {
  flush();
  if (file_ >= 0) ::close(file_);
}

std::filesystem::path LogFile::path(std::size_t age) const {
  return options_.directory / (age == 0 ? "decisions.ndjson" : "decisions." + std::to_string(age) + ".ndjson");
}

int LogFile::reopen() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
  // Not again once it was there: a folder that goes away is a disk that is not mounted, whose lines belong nowhere
  // else.
  std::error_code failure;
  if (!was_open_) std::filesystem::create_directories(options_.directory, failure);
  if (failure) return failure.value();
  file_ = ::open(path(0).c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (file_ < 0) return errno;
  was_open_ = true;
  const off_t end = ::lseek(file_, 0, SEEK_END);
  written_ = end > 0 ? static_cast<std::uint64_t>(end) : 0;
  // A machine that lost its power may have left half a line.
  if (char last = '\n'; end > 0 && ::pread(file_, &last, 1, end - 1) == 1 && last != '\n')
    (void)!::write(file_, "\n", 1);
  return 0;
}

void LogFile::append_line(std::string_view line) {
  buffer_.append(line).push_back('\n');
  if (buffer_.size() >= kBufferBytes) flush();
}

void LogFile::flush() {
  if (buffer_.empty()) return;
  if (written_ > 0 && written_ + buffer_.size() > options_.max_file_bytes) rotate();
  std::string_view rest = buffer_;
  int error = file_ < 0 ? reopen() : 0;
  if (error == 0) error = write_all(file_, rest);
  if (error == 0) {
    if (failing_) spdlog::info("decision log: writing again");
    failing_ = false;
    written_ += buffer_.size();
  } else {
    drop_unwritten(buffer_.size() - rest.size(), error);
  }
  buffer_.clear();
}

void LogFile::rotate() {
  std::error_code ignored;
  std::filesystem::remove(path(options_.max_files), ignored);
  for (std::size_t age = options_.max_files; age > 0; --age) std::filesystem::rename(path(age - 1), path(age), ignored);
  (void)reopen();
}

void LogFile::drop_unwritten(std::size_t written, int error) {
  const std::size_t whole_lines = std::string_view(buffer_).substr(0, written).rfind('\n') + 1;
  const std::string_view lost = std::string_view(buffer_).substr(whole_lines);
  dropped_.fetch_add(static_cast<std::uint64_t>(std::count(lost.begin(), lost.end(), '\n')), std::memory_order_relaxed);
  written_ += whole_lines;
  if (written > whole_lines) {
    // Takes the line that was cut back. On a full disk that works where ending it would not.
    const off_t end = ::lseek(file_, 0, SEEK_END);
    (void)!::ftruncate(file_, end - static_cast<off_t>(written - whole_lines));
  }
  fail(error);
}

void LogFile::fail(int error) {
  if (!failing_) spdlog::error("decision log: cannot write {}: {}", path(0).string(), std::strerror(error));
  failing_ = true;
}

}  // namespace turnout::engine
