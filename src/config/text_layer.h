#pragma once

#include <vector>

#include "config/assignment.h"
#include "config/draft.h"

namespace turnout::config {

/// How the names of assignments are spelled.
enum class Spelling : std::uint8_t {
  key,       ///< `server.listen`, `channels.payments.epsilon`
  variable,  ///< SERVER_LISTEN or LISTEN, STORE_PATH or PATH, CHANNELS_PAYMENTS_EPSILON
};

/// Sets what the assignments name, over what `draft` has. A name that no key has, one that two channels or providers
/// share, and one that is set twice are problems. With `channels_known` false, because the file could not be read,
/// those of channels are passed over.
void apply_assignments(Draft& draft, const std::vector<Assignment>& assignments, Spelling spelling,
                       bool channels_known);

}  // namespace turnout::config
