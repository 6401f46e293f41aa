#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "support/json_reference.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string difference = turnout::difference({reinterpret_cast<const char*>(data), size});
  if (!difference.empty()) std::fprintf(stderr, "%s\n", difference.c_str());
  TURNOUT_ASSERT(difference.empty());
  return 0;
}
