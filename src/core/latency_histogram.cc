#include "core/latency_histogram.h"

#include <algorithm>

#include "base/assert.h"

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

}  // namespace

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
  double total = 0;
  for (const double bin : bins_) total += bin;
  if (!(total > 0)) return std::nullopt;
  // Nearest rank; the tiny slack keeps 0.95 × 100 = 95.00000000000001 from asking for a 96th sample.
  const double rank = q * total * (1 - 1e-12);
  double cumulative = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    if (bins_[i] <= 0) continue;
    cumulative += bins_[i];
    last = i;
    if (cumulative >= rank) break;
  }
  return middle(last);
}

}  // namespace turnout::core
