#include "store/memory/weight_history.h"

#include <algorithm>

namespace turnout::store {

void WeightHistory::add(HistoryPoint point) {
  const auto later = std::lower_bound(points_.begin(), points_.end(), point.at_ms,
                                      [](const HistoryPoint& kept, TimeMs at_ms) { return kept.at_ms < at_ms; });
  if (later != points_.end() && later->at_ms == point.at_ms) {
    later->weight = point.weight;
    return;
  }
  points_.insert(later, point);
  if (points_.size() > ArmStore::kHistoryLimit) points_.erase(points_.begin());
}

std::vector<HistoryPoint> WeightHistory::newest(std::size_t limit) const {
  return {points_.end() - static_cast<std::ptrdiff_t>(std::min(limit, points_.size())), points_.end()};
}

std::optional<TimeMs> WeightHistory::oldest_ms() const {
  if (points_.empty()) return std::nullopt;
  return points_.front().at_ms;
}

}  // namespace turnout::store
