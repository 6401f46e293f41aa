#include "http/request.h"

#include "http/ascii.h"

namespace turnout::http {

std::string_view Request::header(std::string_view name) const noexcept {
  for (std::string_view rest = fields; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(std::min(rest.size(), line.size() + 2));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && equals_ignoring_case(line.substr(0, colon), name)) {
      return trim(line.substr(colon + 1));
    }
  }
  return {};
}

}  // namespace turnout::http
