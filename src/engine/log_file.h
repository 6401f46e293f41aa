#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace turnout::engine {

/// Where the decision log goes and how much of it is kept.
struct LogFileOptions {
  std::filesystem::path directory;
  std::uint64_t max_file_bytes = 256ULL << 20;
  std::size_t max_files = 8;  ///< rotated files kept beside the current one
};

/// `decisions.ndjson` in a directory, one JSON object a line. When it is full it becomes `decisions.1.ndjson`, the one
/// before `decisions.2.ndjson` and so on. A file that cannot be written costs lines, which are counted, and nothing
/// else. Not thread-safe but for dropped().
class LogFile {
 public:
  /// Makes the directory when it is missing. When that or opening the file fails, it is tried again with every flush.
  explicit LogFile(LogFileOptions options);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  /// `line` without its end.
  void append_line(std::string_view line);
  /// Hands what is buffered to the operating system.
  void flush();
  [[nodiscard]] std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] std::filesystem::path path(std::size_t age) const;
  /// 0, or errno.
  int reopen();
  void rotate();
  /// After a write of the buffer that failed with errno `error` after `written` bytes: counts the lines that were lost.
  void drop_unwritten(std::size_t written, int error);
  /// Says so once, until writing works again.
  void fail(int error);

  LogFileOptions options_;
  int file_ = -1;
  bool was_open_ = false;
  std::uint64_t written_ = 0;
  std::string buffer_;
  bool failing_ = false;
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace turnout::engine
