#include "engine/clock.h"

#include <chrono>

namespace turnout::engine {

TimeMs SystemClock::now_ms() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace turnout::engine
