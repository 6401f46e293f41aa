#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/arm.h"

namespace turnout::store {

/// An arm as bytes, all numbers little-endian: version (1 byte, 1); forgetting kind (1), span, landmark (8 each);
/// successes, total (8 each); number of bins that are not zero (1) and each of them as index (1), sum (8); circuit,
/// manual, lease count (1 each); consecutive failures (4); generation, opened_at, half_open_at, last_probe_at (8 each);
/// each lease as attempt, decision id high, low, expiry (8 each); revision (8).
std::vector<std::byte> encode_arm(const core::Arm& arm);

/// The arm that encode_arm made the bytes of; nothing when they are damaged.
std::optional<core::Arm> decode_arm(std::span<const std::byte> bytes);

}  // namespace turnout::store
