// Whatever a client sends and however the network cuts it, the parser must say the same and touch nothing it should
// not. Of a head it must not say what Beast's parser contradicts.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../http/beast_head.h"
#include "../http/parse_transcript.h"
#include "base/assert.h"

/// The first byte chooses where the rest is cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnout::http;
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Transcript whole = read_whole(bytes);
  TURNOUT_ASSERT(read_cut(bytes, bytes.size() * data[0] / 255) == whole);
  TURNOUT_ASSERT(read_in_pieces(bytes, 1 + data[0] % 16) == whole);
  TURNOUT_ASSERT(contradiction(bytes).empty());
  return 0;
}
