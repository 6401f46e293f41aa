#include "api/yaml.h"

#include <yaml-cpp/yaml.h>

#include <boost/json.hpp>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace turnout::api {
namespace {

namespace json = boost::json;

template <class Number>
std::optional<json::value> number_of(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return json::value(number);
}

json::value scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  const bool quoted = node.Tag() == "!";
  if (quoted) return json::value(text);
  if (text == "true" || text == "false") return json::value(text == "true");
  if (auto integer = number_of<std::int64_t>(text)) return *integer;
  if (auto number = number_of<double>(text)) return *number;
  return json::value(text);
}

json::value convert(const YAML::Node& node) {
  if (node.IsScalar()) return scalar(node);
  if (node.IsSequence()) {
    json::array array;
    for (const auto& element : node) array.push_back(convert(element));
    return array;
  }
  if (!node.IsMap()) return nullptr;
  json::object object;
  for (const auto& field : node) {
    const bool inserted = object.emplace(field.first.Scalar(), convert(field.second)).second;
    if (!inserted) throw std::runtime_error(field.first.Scalar() + " is there twice");
  }
  return object;
}

}  // namespace

json::value read_yaml(const std::string& path) { return convert(YAML::LoadFile(path)); }

}  // namespace turnout::api
