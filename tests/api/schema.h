#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace turnout::api {

/// Checks JSON values against the schemas of an OpenAPI 3.1 document: the keywords of JSON Schema 2020-12 that
/// docs/openapi.yaml uses. One that it does not know asserts, so that none is passed over in silence. maxLength and
/// minLength count bytes, and 1.0 is no integer, as the document says of the server. `x-duration-range` bounds a text
/// that is a duration. The document outlives the check.
class SchemaCheck {
 public:
  /// What an object may hold besides the `properties` of a schema that says nothing of it.
  enum class Undeclared { allowed, refused };

  explicit SchemaCheck(const boost::json::value& document, Undeclared undeclared = Undeclared::allowed)
      : document_(document), undeclared_(undeclared) {}

  /// All that is wrong, as "/path: what"; empty when the value fits.
  [[nodiscard]] std::vector<std::string> faults(const boost::json::value& schema,
                                                const boost::json::value& instance) const;

  [[nodiscard]] bool accepts(const boost::json::value& schema, const boost::json::value& instance) const {
    return faults(schema, instance).empty();
  }

  /// The schema itself, those it refers to, and all alternatives and parts, as one list.
  [[nodiscard]] std::vector<const boost::json::object*> variants(const boost::json::value& schema) const;

  /// What `node` is or refers to.
  [[nodiscard]] const boost::json::value& resolve(const boost::json::value& node) const;

 private:
  const boost::json::value& document_;
  Undeclared undeclared_;
};

}  // namespace turnout::api
