#include "api/schema.h"

#include <boost/json.hpp>
#include <map>
#include <regex>
#include <set>

#include "base/assert.h"
#include "base/text.h"

namespace turnout::api {
namespace {

namespace json = boost::json;

/// Keywords that say nothing about validity.
const std::set<std::string_view> kAnnotations{"description", "default", "format", "title", "example"};

std::string_view text_of(const json::value& value) { return {value.as_string().data(), value.as_string().size()}; }

bool is_integer(const json::value& value) { return value.is_int64() || value.is_uint64(); }

double number_of(const json::value& value) { return value.to_number<double>(); }

bool has_type(const json::value& instance, std::string_view type) {
  if (type == "null") return instance.is_null();
  if (type == "boolean") return instance.is_bool();
  if (type == "integer") return is_integer(instance);
  if (type == "number") return instance.is_number();
  if (type == "string") return instance.is_string();
  if (type == "array") return instance.is_array();
  TURNOUT_ASSERT(type == "object");
  return instance.is_object();
}

/// Less than, equal to or greater than 0 as `a` is less than, equal to or greater than `b`; exact for integers.
int compare(const json::value& a, const json::value& b) {
  const auto sign = [](const auto& x, const auto& y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (a.is_int64() && b.is_int64()) return sign(a.get_int64(), b.get_int64());
  return sign(number_of(a), number_of(b));
}

const std::regex& compiled(const std::string& pattern) {
  static std::map<std::string, std::regex> known;
  const auto found = known.find(pattern);
  return found != known.end() ? found->second : known.emplace(pattern, std::regex(pattern)).first->second;
}

/// One value against one schema and what stands within them.
class Visit {
 public:
  Visit(const SchemaCheck& check, bool refuse_undeclared, std::vector<std::string>& faults)
      : check_(check), refuse_undeclared_(refuse_undeclared), faults_(faults) {}

  /// `whole`: no other schema applies to the same value, so an undeclared field is one.
  void visit(const json::value& schema, const json::value& instance, const std::string& path, bool whole) {
    const json::object& keywords = schema.as_object();
    for (const auto& [name, argument] : keywords) {
      const std::string_view keyword(name.data(), name.size());
      if (kAnnotations.contains(keyword)) continue;
      if (keyword == "$ref") {
        visit(check_.resolve(schema), instance, path, false);
      } else if (keyword == "allOf") {
        for (const auto& part : argument.as_array()) visit(part, instance, path, false);
      } else if (keyword == "oneOf") {
        visit_one_of(argument.as_array(), instance, path);
      } else {
        visit_keyword(keyword, argument, keywords, instance, path);
      }
    }
    if (whole && refuse_undeclared_ && instance.is_object()) refuse_undeclared(schema, instance.as_object(), path);
  }

 private:
  void fault(const std::string& path, const std::string& message) { faults_.push_back(path + ": " + message); }

  void visit_one_of(const json::array& branches, const json::value& instance, const std::string& path) {
    std::size_t fitting = 0;
    std::string why_not;
    for (const auto& branch : branches) {
      std::vector<std::string> faults;
      Visit(check_, refuse_undeclared_, faults).visit(branch, instance, path, true);
      if (faults.empty()) ++fitting;
      for (const auto& each : faults) why_not += "\n  " + each;
    }
    if (fitting != 1) fault(path, "fits " + std::to_string(fitting) + " alternatives instead of one" + why_not);
  }

  void visit_keyword(std::string_view keyword, const json::value& argument, const json::object& schema,
                     const json::value& instance, const std::string& path) {
    if (keyword == "type") {
      visit_type(argument, instance, path);
    } else if (keyword == "enum" || keyword == "const") {
      visit_values(argument, instance, path);
    } else if (keyword == "properties" || keyword == "required" || keyword == "additionalProperties") {
      if (instance.is_object()) visit_object(keyword, argument, schema, instance.as_object(), path);
    } else if (keyword == "items" || keyword == "prefixItems" || keyword == "minItems" || keyword == "maxItems") {
      if (instance.is_array()) visit_array(keyword, argument, instance.as_array(), path);
    } else if (keyword == "minimum" || keyword == "maximum" || keyword == "exclusiveMinimum") {
      if (instance.is_number()) visit_number(keyword, argument, instance, path);
    } else if (instance.is_string()) {
      visit_text(keyword, argument, std::string(text_of(instance)), path);
    } else {
      TURNOUT_ASSERT(is_text_keyword(keyword));
    }
  }

  void visit_type(const json::value& argument, const json::value& instance, const std::string& path) {
    const json::array types = argument.is_array() ? argument.as_array() : json::array{argument};
    for (const auto& type : types) {
      if (has_type(instance, text_of(type))) return;
    }
    fault(path, "is not of type " + json::serialize(argument));
  }

  void visit_values(const json::value& argument, const json::value& instance, const std::string& path) {
    const json::array values = argument.is_array() ? argument.as_array() : json::array{argument};
    for (const auto& value : values) {
      const bool both_numbers = value.is_number() && instance.is_number();
      if (both_numbers ? number_of(value) == number_of(instance) : value == instance) return;
    }
    fault(path, "is none of " + json::serialize(values));
  }

  void visit_object(std::string_view keyword, const json::value& argument, const json::object& schema,
                    const json::object& instance, const std::string& path) {
    if (keyword == "required") {
      for (const auto& name : argument.as_array()) {
        if (!instance.contains(text_of(name))) fault(path + "/" + std::string(text_of(name)), "is missing");
      }
      return;
    }
    const json::value* properties = schema.if_contains("properties");
    for (const auto& [name, value] : instance) {
      const std::string below = path + "/" + std::string(name);
      const bool declared = properties != nullptr && properties->as_object().contains(name);
      if (keyword == "properties") {
        if (declared) visit(properties->as_object().at(name), value, below, true);
      } else if (!declared && argument.is_object()) {
        visit(argument, value, below, true);
      } else if (!declared && !argument.as_bool()) {
        fault(below, "is not declared");
      }
    }
  }

  void visit_array(std::string_view keyword, const json::value& argument, const json::array& instance,
                   const std::string& path) {
    if (keyword == "minItems" || keyword == "maxItems") {
      const auto limit = static_cast<std::size_t>(argument.as_int64());
      if (keyword == "minItems" ? instance.size() < limit : instance.size() > limit) {
        fault(path, "breaks " + std::string(keyword));
      }
      return;
    }
    for (std::size_t i = 0; i < instance.size(); ++i) {
      if (argument.is_array() && i >= argument.as_array().size()) break;
      const json::value& schema = argument.is_array() ? argument.as_array()[i] : argument;
      visit(schema, instance[i], path + "/" + std::to_string(i), true);
    }
  }

  void visit_number(std::string_view keyword, const json::value& limit, const json::value& number,
                    const std::string& path) {
    const int order = compare(number, limit);
    const bool fits = keyword == "minimum" ? order >= 0 : keyword == "maximum" ? order <= 0 : order > 0;
    if (!fits) fault(path, "breaks " + std::string(keyword));
  }

  static bool is_text_keyword(std::string_view keyword) {
    return keyword == "minLength" || keyword == "maxLength" || keyword == "pattern" || keyword == "x-duration-range";
  }

  void visit_text(std::string_view keyword, const json::value& argument, const std::string& text,
                  const std::string& path) {
    TURNOUT_ASSERT(is_text_keyword(keyword));
    bool fits = true;
    if (keyword == "pattern") {
      fits = std::regex_search(text, compiled(std::string(text_of(argument))));
    } else if (keyword == "x-duration-range") {
      const auto duration = parse_duration(text);
      fits = duration && *duration >= *parse_duration(text_of(argument.as_array()[0])) &&
             *duration <= *parse_duration(text_of(argument.as_array()[1]));
    } else {
      const auto limit = static_cast<std::size_t>(argument.as_int64());
      fits = keyword == "minLength" ? text.size() >= limit : text.size() <= limit;
    }
    if (!fits) fault(path, "breaks " + std::string(keyword));
  }

  /// Adds the names that the schema and those it is made of declare; false when one of them settles the matter itself.
  bool collect_declared(const json::value& schema, std::set<std::string_view>& names) const {
    const json::object& keywords = schema.as_object();
    if (keywords.contains("additionalProperties")) return false;
    if (const auto* properties = keywords.if_contains("properties")) {
      for (const auto& [name, unused] : properties->as_object()) names.emplace(name.data(), name.size());
    }
    if (keywords.contains("$ref") && !collect_declared(check_.resolve(schema), names)) return false;
    if (const auto* parts = keywords.if_contains("allOf")) {
      for (const auto& part : parts->as_array()) {
        if (!collect_declared(part, names)) return false;
      }
    }
    return true;
  }

  void refuse_undeclared(const json::value& schema, const json::object& instance, const std::string& path) {
    std::set<std::string_view> declared;
    if (!collect_declared(schema, declared) || declared.empty()) return;
    for (const auto& [name, unused] : instance) {
      if (!declared.contains({name.data(), name.size()})) fault(path + "/" + std::string(name), "is not declared");
    }
  }

  const SchemaCheck& check_;
  bool refuse_undeclared_;
  std::vector<std::string>& faults_;
};

void collect_variants(const SchemaCheck& check, const json::value& schema, std::vector<const json::object*>& out) {
  const json::object& keywords = schema.as_object();
  out.push_back(&keywords);
  if (keywords.contains("$ref")) collect_variants(check, check.resolve(schema), out);
  for (const char* parts : {"oneOf", "allOf"}) {
    const auto* branches = keywords.if_contains(parts);
    if (branches == nullptr) continue;
    for (const auto& branch : branches->as_array()) collect_variants(check, branch, out);
  }
}

}  // namespace

std::vector<std::string> SchemaCheck::faults(const json::value& schema, const json::value& instance) const {
  std::vector<std::string> faults;
  Visit(*this, undeclared_ == Undeclared::refused, faults).visit(schema, instance, "", true);
  return faults;
}

std::vector<const json::object*> SchemaCheck::variants(const json::value& schema) const {
  std::vector<const json::object*> out;
  collect_variants(*this, schema, out);
  return out;
}

const json::value& SchemaCheck::resolve(const json::value& node) const {
  const auto* reference = node.as_object().if_contains("$ref");
  if (reference == nullptr) return node;
  std::string_view rest = text_of(*reference);
  TURNOUT_ASSERT(rest.starts_with("#/"));
  rest.remove_prefix(2);
  const json::value* at = &document_;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    at = &at->as_object().at(name);
  }
  return resolve(*at);
}

}  // namespace turnout::api
