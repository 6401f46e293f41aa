#pragma once

#include <cstdint>
#include <string_view>

#include "base/hash.h"

namespace turnout::store {

/// The fingerprint of an attempt: one transaction at one provider of one channel. Every store and the breaker's leases
/// know an attempt by this number; stores use its lowest bits for the outcome they remember with it. The ids cannot
/// contain the separator, and the transaction id comes last, so that two attempts never have the same text. With 2 ×
/// 10^7 attempts remembered, the chance that a new one meets any of them in the 62 bits kept is 4.3 × 10^−12.
std::uint64_t attempt_fingerprint(std::string_view channel, std::string_view provider, std::string_view transaction_id);

}  // namespace turnout::store
