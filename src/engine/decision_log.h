#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "engine/events.h"
#include "engine/log_file.h"
#include "engine/record_queue.h"

namespace turnout::engine {

/// Takes the records from the workers' queues on a thread of its own: writes them as lines to the log files, keeps the
/// most recent decisions of every channel, and shows a sample to listeners. Deciding never waits for it. All public
/// functions are thread-safe.
class DecisionLog {
 public:
  /// Decisions kept per channel; fewer when there are so many channels that all together would be more than
  /// kRecentTotal.
  static constexpr std::size_t kRecentPerChannel = 200;
  static constexpr std::size_t kRecentTotal = 50'000;

  /// Without a file only the recent decisions are kept.
  DecisionLog(Events& events, std::unique_ptr<LogFile> file) : events_(events), file_(std::move(file)) {}
  ~DecisionLog() { stop(); }
  DecisionLog(const DecisionLog&) = delete;
  DecisionLog& operator=(const DecisionLog&) = delete;

  /// Before start(). The queue must outlive the log.
  void add_queue(RecordQueue& queue) { queues_.push_back(&queue); }
  void start();
  /// Writes what waits, then ends the thread.
  void stop();

  /// Has the thread look at the queues now; called by a worker whose queue is crowded.
  void wake() { wake_.notify_one(); }

  /// The newest `limit` decisions of a channel as JSON objects, newest first, including those still in the queues.
  std::vector<std::string> recent(std::string_view channel, std::size_t limit);

  /// Drops the recent decisions of a channel that was removed, with the snapshots they were made on.
  void forget(std::string_view channel);

  /// Records lost since the start: queue full or file not writable.
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  using RecentDecisions = std::deque<std::unique_ptr<DecisionRecord>>;  ///< newest first

  void run();
  void drain();
  void take(QueuedRecord& record);
  void keep_recent(std::unique_ptr<DecisionRecord>& record);

  Events& events_;
  std::unique_ptr<LogFile> file_;
  std::vector<RecordQueue*> queues_;
  std::mutex drain_mutex_;  ///< one consumer at a time; guards recent_, file_ and line_
  std::map<std::string, RecentDecisions, std::less<>> recent_;
  std::string line_;
  std::uint64_t taken_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace turnout::engine
