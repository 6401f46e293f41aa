#pragma once

#include "base/time.h"

namespace turnout::core {

/// What LatencyHistogram makes of a latency: the value that stands for its bin, at most 3 % away. A quantile is
/// compared with a bound that has been through this as well, or one that is met exactly might seem to be missed. Pure.
/// Example: 3000 ms give 3015.59.
double as_remembered(DurationMs latency_ms);

}  // namespace turnout::core
