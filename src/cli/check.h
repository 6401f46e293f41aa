#pragma once

#include <iosfwd>

#include "config/loader.h"

namespace turnout::cli {

/// `turnout check`: writes every problem of the configuration, one a line, to `err` and returns 1, or says to `out`
/// that it is valid, with a table of advice, and returns 0. Changes nothing and starts nothing.
int check(const config::Sources& sources, std::ostream& out, std::ostream& err);

}  // namespace turnout::cli
