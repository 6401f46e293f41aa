#pragma once

#include <cstdint>

namespace turnout {

/// A moment, in milliseconds since the Unix epoch. Always handed in by the caller; only engine/clock asks the machine.
using TimeMs = std::int64_t;

/// A span of time in milliseconds.
using DurationMs = std::int64_t;

inline constexpr DurationMs kSecond = 1000;
inline constexpr DurationMs kMinute = 60 * kSecond;
inline constexpr DurationMs kHour = 60 * kMinute;
inline constexpr DurationMs kDay = 24 * kHour;

}  // namespace turnout
