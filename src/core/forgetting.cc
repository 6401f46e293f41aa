#include "core/forgetting.h"

#include <algorithm>
#include <cmath>

namespace turnout::core {
namespace {

constexpr double kLargestExponent = 40;

/// Half-lives between the landmark and now, never negative.
double half_lives(const Forgetting& forgetting, TimeMs landmark_ms, TimeMs now) {
  return static_cast<double>(std::max<TimeMs>(now - landmark_ms, 0)) / static_cast<double>(forgetting.span_ms);
}

bool window_ended(const Forgetting& forgetting, TimeMs landmark_ms, TimeMs now) {
  return now >= landmark_ms + forgetting.span_ms;
}

}  // namespace

double increment_at(const Forgetting& forgetting, TimeMs landmark_ms, TimeMs now) {
  if (forgetting.kind == Forgetting::Kind::window) return 1;
  return std::exp2(half_lives(forgetting, landmark_ms, now));
}

double scale_at(const Forgetting& forgetting, TimeMs landmark_ms, TimeMs now) {
  if (forgetting.kind == Forgetting::Kind::window) return window_ended(forgetting, landmark_ms, now) ? 0 : 1;
  return std::exp2(-half_lives(forgetting, landmark_ms, now));
}

bool needs_rebase(const Forgetting& forgetting, TimeMs landmark_ms, TimeMs now) {
  if (forgetting.kind == Forgetting::Kind::window) return window_ended(forgetting, landmark_ms, now);
  return half_lives(forgetting, landmark_ms, now) >= kLargestExponent;
}

}  // namespace turnout::core
