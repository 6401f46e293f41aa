#include "engine/log_file.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

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

Result<std::unique_ptr<LogFile>> LogFile::open(LogFileOptions options) {
  std::error_code failure;
  std::filesystem::create_directories(options.directory, failure);
  std::unique_ptr<LogFile> file(new LogFile(std::move(options)));
  if (!file->reopen()) {
    return Error{Error::Code::unavailable,
                 "cannot open the decision log " + file->path(0).string() + ": " + std::strerror(errno)};
  }
  return file;
}

LogFile::~LogFile() {
  flush();
  if (file_ >= 0) ::close(file_);
}

std::filesystem::path LogFile::path(std::size_t age) const {
  return options_.directory / (age == 0 ? "decisions.ndjson" : "decisions." + std::to_string(age) + ".ndjson");
}

bool LogFile::reopen() {
  if (file_ >= 0) ::close(file_);
  file_ = ::open(path(0).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (file_ < 0) return false;
  const auto end = ::lseek(file_, 0, SEEK_END);
  written_ = end > 0 ? static_cast<std::uint64_t>(end) : 0;
  return true;
}

void LogFile::append_line(std::string_view line) {
  buffer_.append(line).push_back('\n');
  buffered_lines_ += 1;
  if (buffer_.size() >= kBufferBytes) flush();
}

void LogFile::flush() {
  if (buffer_.empty()) return;
  if (written_ > 0 && written_ + buffer_.size() > options_.max_file_bytes) rotate();
  std::string_view rest = buffer_;
  const int error = file_ < 0 && !reopen() ? errno : write_all(file_, rest);
  if (error == 0) {
    if (failing_) spdlog::info("decision log: writing again");
    failing_ = false;
  } else {
    report_failure(error);
    // Ends a line that was cut, so that the next one can be read.
    if (rest.size() < buffer_.size() && file_ >= 0) (void)!::write(file_, "\n", 1);
  }
  written_ += buffer_.size() - rest.size();
  buffer_.clear();
  buffered_lines_ = 0;
}

void LogFile::rotate() {
  std::error_code ignored;
  std::filesystem::remove(path(options_.max_files), ignored);
  for (std::size_t age = options_.max_files; age > 0; --age) std::filesystem::rename(path(age - 1), path(age), ignored);
  if (!reopen()) report_failure(errno);
}

void LogFile::report_failure(int error) {
  dropped_.fetch_add(buffered_lines_, std::memory_order_relaxed);
  if (!failing_) spdlog::error("decision log: cannot write {}: {}", path(0).string(), std::strerror(error));
  failing_ = true;
}

}  // namespace turnout::engine
