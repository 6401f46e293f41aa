#pragma once

#include "config/draft.h"

namespace turnout::config {

/// Adds to `draft` what is wrong with its settings as a whole: keys that need or exclude one another, an open address
/// without tokens, channels that contradict themselves, too many channels, files that cannot be read, stores that this
/// version does not have.
void check_settings(Draft& draft);

}  // namespace turnout::config
