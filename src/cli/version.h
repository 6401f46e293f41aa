#pragma once

#include <iosfwd>

namespace turnout::cli {

/// `turnout version`: the version and what it was built with. Returns 0.
int print_version(std::ostream& out);

}  // namespace turnout::cli
