#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "store/arm_store.h"

namespace turnout::store {

/// The newest ArmStore::kHistoryLimit points of one provider, by time. Two points of the same moment are one, the later
/// given stands. Not thread-safe.
class WeightHistory {
 public:
  /// Adds a point; one older than all of a full history is dropped at once.
  void add(HistoryPoint point);

  /// The newest `limit` points, oldest first.
  [[nodiscard]] std::vector<HistoryPoint> newest(std::size_t limit) const;

  /// The moment of the oldest point kept.
  [[nodiscard]] std::optional<TimeMs> oldest_ms() const;

 private:
  std::vector<HistoryPoint> points_;  ///< oldest first
};

}  // namespace turnout::store
