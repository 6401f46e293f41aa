#pragma once

#include <boost/json/value.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "api/answer.h"
#include "api/schema.h"

namespace turnout::api {

/// One parameter of a call, as documented.
struct Parameter {
  std::string name;
  bool in_query = false;  ///< else in the path
  const boost::json::value* schema = nullptr;
  std::string example;  ///< of one in the path
};

/// One call of the API, as documented.
struct Operation {
  std::string method;                        ///< `GET`
  std::string path;                          ///< with parameters in braces
  std::vector<std::string> scopes;           ///< empty: everybody
  std::vector<Parameter> parameters;         ///< those of its path come first
  const boost::json::value* body = nullptr;  ///< schema of the request, when it takes one
  std::vector<boost::json::value> examples;  ///< of the request
  const boost::json::object* responses = nullptr;

  /// `GET /v1/channels/{channel}`
  [[nodiscard]] std::string name() const { return method + " " + path; }
  /// The path with the examples of its parameters.
  [[nodiscard]] std::string example_path() const;
  [[nodiscard]] bool has_query() const;
};

/// For the messages of gtest.
inline void PrintTo(const Operation& operation, std::ostream* out) { *out << operation.name(); }

/// docs/openapi.yaml.
class OpenApiDocument {
 public:
  /// Read once.
  static const OpenApiDocument& get();

  [[nodiscard]] const boost::json::value& root() const { return root_; }
  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }
  /// A schema by name; asserts that it is there.
  [[nodiscard]] const boost::json::value& schema(std::string_view name) const;

  /// What answers that method (HEAD: what GET would) at that path, which has values in place of its parameters.
  [[nodiscard]] const Operation* find(std::string_view method, std::string_view path) const;

  /// All that an answer has otherwise than documented; `operation` is null for what leads nowhere, where it must be a
  /// problem.
  [[nodiscard]] std::vector<std::string> faults(const Operation* operation, const Answer& answer) const;

 private:
  OpenApiDocument();
  void read_operation(const std::string& path, const boost::json::object& item, const std::string& method);
  void check_headers(const boost::json::object& response, const Answer& answer, std::vector<std::string>& out) const;
  void check_body(const boost::json::object& response, const Answer& answer, std::vector<std::string>& out) const;

  boost::json::value root_;
  SchemaCheck schemas_;
  std::vector<Operation> operations_;
};

}  // namespace turnout::api
