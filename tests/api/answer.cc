#include "api/answer.h"

#include <boost/json.hpp>
#include <charconv>

#include "http/request.h"

namespace turnout::api {

namespace json = boost::json;

json::value Answer::json() const { return json::parse(body); }

std::string Answer::header(std::string_view name) const {
  http::Request lines;
  lines.fields = headers;
  return std::string(lines.header(name));
}

std::string Answer::text(std::string_view field) const {
  const json::value value = at(json(), "/" + std::string(field));
  return value.is_string() ? std::string(value.as_string()) : "";
}

json::value at(const json::value& value, std::string_view pointer) {
  const json::value* place = &value;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view name = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(name.size());
    const json::value* next = nullptr;
    if (const auto* object = place->if_object()) {
      next = object->if_contains(name);
    } else if (const auto* array = place->if_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
      if (error == std::errc{} && index < array->size()) next = &(*array)[index];
    }
    if (next == nullptr) return nullptr;
    place = next;
  }
  return *place;
}

}  // namespace turnout::api
