#include "api/openapi_document.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/yaml.h"
#include "base/assert.h"

namespace turnout::api {
namespace {

namespace json = boost::json;

constexpr std::string_view kProblemType = "application/problem+json";

std::string upper(std::string_view text) {
  std::string out;
  for (const char c : text) out.push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
  return out;
}

std::string text_of(const json::value& value) { return std::string(value.as_string()); }

/// Whether a path fits a pattern whose parts in braces stand for any one part.
bool fits(std::string_view pattern, std::string_view path) {
  while (!pattern.empty() && !path.empty()) {
    pattern.remove_prefix(1);
    path.remove_prefix(1);
    const std::string_view wanted = pattern.substr(0, pattern.find('/'));
    const std::string_view part = path.substr(0, path.find('/'));
    if (wanted != part && (!wanted.starts_with('{') || part.empty())) return false;
    pattern.remove_prefix(wanted.size());
    path.remove_prefix(part.size());
  }
  return pattern.empty() && path.empty();
}

}  // namespace

std::string Operation::example_path() const {
  std::string filled = path;
  for (const Parameter& parameter : parameters) {
    const std::string name = "{" + parameter.name + "}";
    const auto place = filled.find(name);
    if (!parameter.in_query && place != std::string::npos) filled.replace(place, name.size(), parameter.example);
  }
  return filled;
}

bool Operation::has_query() const {
  return std::any_of(parameters.begin(), parameters.end(), [](const auto& parameter) { return parameter.in_query; });
}

const OpenApiDocument& OpenApiDocument::get() {
  static const OpenApiDocument document;
  return document;
}

OpenApiDocument::OpenApiDocument()
    : root_(read_yaml(TURNOUT_SOURCE_DIR "/docs/openapi.yaml")), schemas_(root_, SchemaCheck::Undeclared::refused) {
  for (const auto& [path, item] : root_.at("paths").as_object()) {
    for (const auto& [name, unused] : item.as_object()) {
      if (name != "parameters") read_operation(std::string(path), item.as_object(), std::string(name));
    }
  }
}

void OpenApiDocument::read_operation(const std::string& path, const json::object& item, const std::string& method) {
  const json::object& description = item.at(method).as_object();
  Operation operation;
  operation.method = upper(method);
  operation.path = path;
  for (const auto& requirement : description.at("security").as_array()) {
    for (const auto& scope : requirement.at("bearer").as_array()) operation.scopes.push_back(text_of(scope));
  }
  for (const auto* owner : {&item, &description}) {
    const auto* parameters = owner->if_contains("parameters");
    if (parameters == nullptr) continue;
    for (const auto& reference : parameters->as_array()) {
      const json::object& parameter = schemas_.resolve(reference).as_object();
      Parameter read;
      read.name = text_of(parameter.at("name"));
      read.in_query = parameter.at("in") == "query";
      read.schema = &parameter.at("schema");
      if (!read.in_query) read.example = text_of(parameter.at("example"));
      operation.parameters.push_back(std::move(read));
    }
  }
  if (const auto* request = description.if_contains("requestBody")) {
    const json::value& content = request->at("content").at("application/json");
    operation.body = &content.at("schema");
    for (const auto& [name, example] : content.at("examples").as_object()) {
      operation.examples.push_back(example.at("value"));
    }
  }
  operation.responses = &description.at("responses").as_object();
  operations_.push_back(std::move(operation));
}

const json::value& OpenApiDocument::schema(std::string_view name) const {
  return root_.at("components").at("schemas").at(name);
}

const Operation* OpenApiDocument::find(std::string_view method, std::string_view path) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const Operation& operation : operations_) {
    if (operation.method == wanted && fits(operation.path, path)) return &operation;
  }
  return nullptr;
}

std::vector<std::string> OpenApiDocument::faults(const Operation* operation, const Answer& answer) const {
  if (operation == nullptr) {
    if (answer.content_type != kProblemType) return {"is no problem"};
    return schemas_.faults(schema("Problem"), answer.json());
  }
  std::vector<std::string> out;
  const json::value* response = operation->responses->if_contains(std::to_string(answer.status));
  if (response == nullptr) return {"status " + std::to_string(answer.status) + " is not documented: " + answer.body};
  const json::object& resolved = schemas_.resolve(*response).as_object();
  check_headers(resolved, answer, out);
  check_body(resolved, answer, out);
  return out;
}

void OpenApiDocument::check_headers(const json::object& response, const Answer& answer,
                                    std::vector<std::string>& out) const {
  const auto* headers = response.if_contains("headers");
  if (headers == nullptr) return;
  for (const auto& [name, header] : headers->as_object()) {
    const std::string value = answer.header(name);
    const auto* required = header.as_object().if_contains("required");
    if (value.empty()) {
      if (required != nullptr && required->as_bool()) out.push_back("header " + std::string(name) + " is missing");
      continue;
    }
    const bool is_number = header.at("schema").at("type") == "integer";
    const json::value parsed = is_number ? json::parse(value) : json::value(value);
    for (const auto& fault : schemas_.faults(header.at("schema"), parsed)) out.push_back(std::string(name) + fault);
  }
}

void OpenApiDocument::check_body(const json::object& response, const Answer& answer,
                                 std::vector<std::string>& out) const {
  const auto* content = response.if_contains("content");
  if (content == nullptr) {
    if (!answer.body.empty()) out.push_back("there is a body");
    return;
  }
  const std::string type = answer.events ? "text/event-stream" : answer.content_type;
  const auto* media = content->as_object().if_contains(type);
  if (media == nullptr) {
    out.push_back(type + " is not documented");
    return;
  }
  const bool is_json = type.find("json") != std::string::npos;
  const json::value body = is_json ? answer.json() : json::value(answer.body);
  for (auto& fault : schemas_.faults(media->at("schema"), body)) out.push_back(std::move(fault));
}

}  // namespace turnout::api
