#include "cli/version.h"

#include <openssl/opensslv.h>

#include <boost/version.hpp>
#include <ostream>

#ifndef TURNOUT_VERSION
#error "TURNOUT_VERSION is set by CMake"
#endif

namespace turnout::cli {

int print_version(std::ostream& out) {
  out << "turnout " << TURNOUT_VERSION << " (" << OPENSSL_VERSION_TEXT << ", Boost " << BOOST_VERSION / 100000 << '.'
      << BOOST_VERSION / 100 % 1000 << ")\n";
  return 0;
}

}  // namespace turnout::cli
