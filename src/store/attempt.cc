#include "store/attempt.h"

#include <string>

namespace turnout::store {

std::uint64_t attempt_fingerprint(std::string_view channel, std::string_view provider,
                                  std::string_view transaction_id) {
  // Never change: fingerprints are stored. The key only sets this hash apart from others of the same text.
  constexpr HashKey kKey{0x7475726e6f757431U, 0x617474656d707431U};
  thread_local std::string text;
  text.assign(channel).append(1, '\0').append(provider).append(1, '\0').append(transaction_id);
  return sip_hash(kKey, text);
}

}  // namespace turnout::store
