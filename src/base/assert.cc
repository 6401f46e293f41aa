#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace turnout {

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "turnout: assertion failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace turnout
