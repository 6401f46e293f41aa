#include "http/response.h"

#include <algorithm>

#include "base/assert.h"

namespace turnout::http {
namespace {

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

void Response::add_header(std::string_view name, std::string_view value) {
  TURNOUT_ASSERT(!name.empty() && !has_control_character(name) && !has_control_character(value));
  extra_headers_.append(name).append(": ").append(value).append("\r\n");
}

void Response::reset() {
  status = 200;
  content_type = "application/json";
  if (body.capacity() > kKeptBodyBytes) {
    std::string().swap(body);
  }
  body.clear();
  extra_headers_.clear();
  events.reset();
}

}  // namespace turnout::http
