#pragma once

#include <iosfwd>

#include "config/loader.h"

namespace turnout::cli {

/// `turnout serve`: prints one line to `out` when it listens and runs until it is told to stop. 1 when it cannot start,
/// with the reasons on `err`.
int serve(const config::Sources& sources, std::ostream& out, std::ostream& err);

}  // namespace turnout::cli
