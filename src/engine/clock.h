#pragma once

#include "base/time.h"

namespace turnout::engine {

/// Where the present moment comes from. The only clock of the program; everything else takes `now` as an argument.
/// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual TimeMs now_ms() const = 0;
};

/// The machine's wall clock.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] TimeMs now_ms() const override;
};

}  // namespace turnout::engine
