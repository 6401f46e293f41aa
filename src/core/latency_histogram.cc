#include "core/latency_histogram.h"

#include <algorithm>

#include "base/assert.h"
#include "core/latency_bins.h"

namespace turnout::core {
namespace {

constexpr double kRatio = 1.06;

/// kEdges[i] is where bin i starts; by repeated multiplication, so that every compiler has the same edges.
constexpr auto kEdges = [] {
  std::array<double, LatencyHistogram::kBins + 1> edges{};
  double edge = 1;
  for (auto& e : edges) {
    e = edge;
    edge *= kRatio;
  }
  return edges;
}();

/// The value with the smallest largest relative error within the bin: the harmonic mean of its edges.
constexpr double middle(std::size_t bin) { return 2 * kEdges[bin] * kEdges[bin + 1] / (kEdges[bin] + kEdges[bin + 1]); }

std::size_t bin_of(DurationMs latency_ms) {
  const auto value = std::max(static_cast<double>(latency_ms), 1.0);
  const auto after = std::upper_bound(kEdges.begin(), kEdges.end(), value);
  return std::min(static_cast<std::size_t>(after - kEdges.begin()) - 1, LatencyHistogram::kBins - 1);
}

/// Four sums side by side, since one addition at a time would wait for the one before.
double sum_of(const std::array<double, LatencyHistogram::kBins>& bins) {
  constexpr std::size_t kLanes = 4;
  std::array<double, kLanes> sums{};
  for (std::size_t i = 0; i + kLanes <= bins.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += bins[i + lane];
  }
  static_assert(LatencyHistogram::kBins % kLanes == 1);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]) + bins.back();
}

}  // namespace

double as_remembered(DurationMs latency_ms) { return middle(bin_of(latency_ms)); }

void LatencyHistogram::add(DurationMs latency_ms, double increment) {
  TURNOUT_ASSERT(latency_ms >= 0 && increment >= 0);
  bins_[bin_of(latency_ms)] += increment;
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < kBins; ++i) bins_[i] += other.bins_[i];
}

void LatencyHistogram::scale(double factor) {
  for (auto& bin : bins_) bin *= factor;
}

std::optional<double> LatencyHistogram::quantile(double q) const {
  TURNOUT_ASSERT(q > 0 && q <= 1);
  const double total = sum_of(bins_);
  if (!(total > 0)) return std::nullopt;
  // Nearest rank; the tiny slack keeps 0.95 × 100 = 95.00000000000001 from asking for a 96th sample.
  const double above_rank = total - q * total * (1 - 1e-12);
  // From the top, since high quantiles are what is asked for: the last bin that is not wholly above the rank.
  double above = 0;
  std::size_t lowest = 0;
  for (std::size_t i = kBins; i-- > 0;) {
    if (bins_[i] <= 0) continue;
    above += bins_[i];
    lowest = i;
    if (above > above_rank) break;
  }
  return middle(lowest);
}

}  // namespace turnout::core
