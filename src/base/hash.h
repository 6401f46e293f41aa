#pragma once

#include <cstdint>
#include <string_view>

namespace turnout {

/// The 128-bit key of a SipHash.
struct HashKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// SipHash-2-4 of `bytes` (Aumasson, Bernstein 2012): the same on every machine and in every version, so it may be
/// stored. Example: key bytes 00..0f, empty input gives 0x726fdb47dd0e0e31.
std::uint64_t sip_hash(HashKey key, std::string_view bytes) noexcept;

}  // namespace turnout
