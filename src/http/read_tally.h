#pragma once

#include <algorithm>

namespace turnout::http {

/// Tells whether it pays to look for the next request before waiting for it: a look that finds one saves about as much
/// as one that finds none costs. Follows the load, since only a busy thread comes to a connection late enough. One
/// thread only.
class ReadTally {
 public:
  /// True when more than half of the last looks found something; now and then anyway, to notice when that changes.
  [[nodiscard]] bool is_promising() noexcept { return score_ > kHighestScore / 2 || ++passed_over_ % kTrialEvery == 0; }

  void note(bool found) noexcept { score_ = std::clamp(score_ + (found ? 1 : -1), 0, kHighestScore); }

 private:
  static constexpr int kHighestScore = 32;
  static constexpr unsigned kTrialEvery = 16;

  int score_ = 0;
  unsigned passed_over_ = 0;
};

}  // namespace turnout::http
