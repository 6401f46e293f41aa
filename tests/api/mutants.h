#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema.h"

namespace turnout::api {

/// A body made of a good one by changing one thing.
struct Mutant {
  std::string what;    ///< for the message of a failing test
  std::string body;    ///< as sent
  std::string path;    ///< of the field that was changed
  bool faulty = true;  ///< false: still as the schema says, so it must not be refused for that field
  std::string code = "invalid_request";
  bool whole = false;  ///< the body as a whole cannot be read, whatever else is in it
};

/// Makes every faulty body that a schema allows to think of: each field missing, null, of every other type, out of
/// range, too long, too short, twice, with bad UTF-8, with a card number, and fields that are not in the schema, at
/// every depth. And, to see that no more is refused than the schema says, values that are within it.
class MutantMaker {
 public:
  explicit MutantMaker(const boost::json::value& document) : schemas_(document) {}

  std::vector<Mutant> of_body(const boost::json::value& schema, const boost::json::value& example);

  /// The fields of which no example that was given has a value, so that nothing could be tried on them.
  [[nodiscard]] std::vector<std::string> untouched() const;

 private:
  /// The whole body with `raw` in place of the value at hand; nothing: without it.
  using Wrap = std::function<std::string(const std::string& raw)>;

  void change_object(const boost::json::object& schema, const boost::json::object& example, const std::string& path,
                     const Wrap& wrap);
  void change_field(const boost::json::value& schema, const std::string& path, const Wrap& wrap);
  void descend(const boost::json::value& schema, const boost::json::value& example, const std::string& path,
               const Wrap& wrap);
  void add(const std::string& what, std::string body, const std::string& path);

  SchemaCheck schemas_;
  std::vector<Mutant> mutants_;
  std::map<std::string, bool> touched_;  ///< path of each field of a schema seen → an example has it
};

}  // namespace turnout::api
