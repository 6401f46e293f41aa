#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "base/time.h"

namespace turnout::core {

/// Latencies in log-spaced bins from 1 ms to 120 s. A value read back differs from the recorded one by at most 2.92 %
/// (= (r − 1)/(r + 1) at bin ratio r = 1.06). Shorter latencies count as 1 ms, longer ones as 120 s. Bins hold sums of
/// any non-negative increments, so two histograms merge by addition and decay by multiplication. Not thread-safe; a
/// plain value.
class LatencyHistogram {
 public:
  /// 1.06^201 ms = 122.3 s.
  static constexpr std::size_t kBins = 201;

  /// Adds `increment` (>= 0) to the bin of `latency_ms` (>= 0); asserts otherwise.
  void add(DurationMs latency_ms, double increment);

  /// Adds every bin of `other`: the result is the histogram of both sets of latencies.
  void merge(const LatencyHistogram& other);

  /// Multiplies every bin by `factor` (>= 0).
  void scale(double factor);

  /// The latency in ms below or at which the share `q` (0 < q <= 1) of the sum lies: the middle of the first bin at
  /// which the cumulative sum reaches q × total (nearest rank). Nothing when the histogram is empty. A share of less
  /// than 10^−12 is not seen.
  /// Example: 96 × 100 ms and 4 × 2000 ms: p95 is 100 ms and p99 is 2000 ms, each within 2.92 %.
  [[nodiscard]] std::optional<double> quantile(double q) const;

  /// The sum of each bin; bin i holds latencies from 1.06^i up to 1.06^(i + 1) ms. Writable, for a store that reads one
  /// back.
  [[nodiscard]] std::span<const double, kBins> bins() const { return bins_; }
  [[nodiscard]] std::span<double, kBins> bins() { return bins_; }

  friend bool operator==(const LatencyHistogram&, const LatencyHistogram&) = default;

 private:
  std::array<double, kBins> bins_{};
};

}  // namespace turnout::core
