#include "engine/decision_log.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace turnout::engine {

void DecisionLog::start() {
  thread_ = std::thread([this] { run(); });
}

void DecisionLog::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void DecisionLog::run() {
  // A worker whose queue is crowded wakes us sooner.
  constexpr auto kInterval = std::chrono::milliseconds(100);
  for (bool stopping = false; !stopping;) {
    {
      std::unique_lock lock(mutex_);
      if (!stopping_) wake_.wait_for(lock, kInterval);
      stopping = stopping_;
    }
    const std::lock_guard lock(drain_mutex_);
    drain();
  }
}

void DecisionLog::drain() {
  // No more than waits at first, so that one busy worker does not keep the others', or the caller, waiting.
  for (RecordQueue* queue : queues_) {
    for (std::size_t left = queue->size(); left > 0; --left) {
      take(*queue->front());
      queue->pop();
    }
  }
  if (file_) file_->flush();
}

void DecisionLog::take(QueuedRecord& record) {
  constexpr std::uint64_t kSampleEvery = 10;
  const bool is_decision = record.kind == QueuedRecord::Kind::decision;
  const bool sampled = is_decision && events_.has_listeners() && taken_++ % kSampleEvery == 0;
  if (file_ || sampled) {
    line_.clear();
    if (is_decision) {
      append_json(line_, *record.decision);
    } else {
      append_json(line_, *record.outcome);
    }
    if (sampled) events_.publish("decision", line_);
    if (file_) file_->append_line(line_);
  }
  if (is_decision) keep_recent(record.decision);
}

void DecisionLog::keep_recent(std::unique_ptr<DecisionRecord>& record) {
  auto found = recent_.find(std::string_view(record->channel));
  if (found == recent_.end()) found = recent_.emplace(record->channel, RecentDecisions{}).first;
  auto& kept = found->second;
  const std::size_t limit = std::clamp<std::size_t>(kRecentTotal / recent_.size(), 5, kRecentPerChannel);
  while (kept.size() > limit) kept.pop_back();
  // The oldest record's memory goes back to the queue for a new one: nothing is allocated.
  std::unique_ptr<DecisionRecord> oldest;
  if (kept.size() == limit) {
    oldest = std::move(kept.back());
    kept.pop_back();
  } else {
    oldest = std::make_unique<DecisionRecord>();
  }
  kept.push_front(std::exchange(record, std::move(oldest)));
  record->snapshot.reset();  // or every slot of the queue would keep an old one alive
}

std::vector<std::string> DecisionLog::recent(std::string_view channel, std::size_t limit) {
  const std::lock_guard lock(drain_mutex_);
  drain();
  std::vector<std::string> decisions;
  const auto found = recent_.find(channel);
  if (found == recent_.end()) return decisions;
  // They came worker by worker.
  std::vector<const DecisionRecord*> records;
  for (const auto& record : found->second) records.push_back(record.get());
  std::stable_sort(records.begin(), records.end(), [](const auto* a, const auto* b) { return a->at_ms > b->at_ms; });
  records.resize(std::min(records.size(), limit));
  for (const auto* record : records) append_json(decisions.emplace_back(), *record);
  return decisions;
}

void DecisionLog::forget(std::string_view channel) {
  const std::lock_guard lock(drain_mutex_);
  drain();
  if (const auto found = recent_.find(channel); found != recent_.end()) recent_.erase(found);
}

std::uint64_t DecisionLog::dropped() const {
  std::uint64_t dropped = file_ ? file_->dropped() : 0;
  for (const RecordQueue* queue : queues_) dropped += queue->dropped();
  return dropped;
}

}  // namespace turnout::engine
