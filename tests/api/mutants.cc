#include "api/mutants.h"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>

#include "base/text.h"

namespace turnout::api {
namespace {

namespace json = boost::json;

constexpr std::string_view kCardNumbers[] = {R"("4111111111111111")", R"("ref 4111-1111-1111-1111")"};

/// Values of every kind that some field may not take.
const std::vector<std::string> kEveryKind{"null",
                                          "true",
                                          "false",
                                          "0",
                                          "-1",
                                          "1",
                                          "1.5",
                                          "1.0",
                                          "1e300",
                                          "9223372036854775807",
                                          R"("")",
                                          R"("5")",
                                          R"("x y")",
                                          R"("é")",
                                          R"("\u0000")",
                                          "[]",
                                          "[1]",
                                          R"([""])",
                                          "{}",
                                          "18446744073709551615",
                                          "99999999999999999999999",
                                          "1e999",
                                          R"({"unknown_field":1})",
                                          R"([[]])"};

const std::vector<std::string> kBadDurations{"10", "1.5s", "-1s", "1 s", "1s ", " 1s", "1S", "1w", "s", "9999999999d"};

std::string raw_text(std::string_view text) { return json::serialize(json::value(text)); }

/// The object's text with `raw` as the value of a field, or without the field.
std::string with_field(const json::object& object, std::string_view name, const std::optional<std::string>& raw) {
  std::string text = "{";
  const auto append = [&](std::string_view key, const std::string& value) {
    text += (text.size() > 1 ? "," : "") + raw_text(key) + ":" + value;
  };
  for (const auto& [key, value] : object) {
    if (std::string_view(key) != name) append(key, json::serialize(value));
  }
  if (raw) append(name, *raw);
  return text + "}";
}

/// The object's text with more at its end.
std::string with_more(const json::object& object, const std::string& more) {
  const std::string text = json::serialize(object);
  return text.substr(0, text.size() - 1) + (object.empty() ? "" : ",") + more + "}";
}

/// The simplest value of a schema of strings, or of objects of strings; another one for each number.
std::string simplest(const SchemaCheck& schemas, const json::value& schema, std::size_t number) {
  const json::object& resolved = schemas.resolve(schema).as_object();
  if (resolved.at("type") == "string") return raw_text("p" + std::to_string(number));
  json::object object;
  for (const auto& name : resolved.at("required").as_array()) object[name.as_string()] = "p" + std::to_string(number);
  return json::serialize(object);
}

void add_boundaries(const json::object& schema, std::vector<std::string>& out) {
  const bool whole = schema.contains("type") && schema.at("type") == "integer";
  for (const char* keyword : {"minimum", "maximum"}) {
    const auto* limit = schema.if_contains(keyword);
    if (limit == nullptr) continue;
    for (const int step : {-1, 0, 1}) {
      out.push_back(whole ? std::to_string(limit->as_int64() + step)
                          : json::serialize(json::value(limit->to_number<double>() + 1e-4 * step)));
    }
  }
  for (const char* keyword : {"minLength", "maxLength"}) {
    const auto* limit = schema.if_contains(keyword);
    if (limit == nullptr) continue;
    for (const int step : {-1, 0, 1}) {
      const auto length = std::max<std::int64_t>(0, limit->as_int64() + step);
      out.push_back(raw_text(std::string(static_cast<std::size_t>(length), 'x')));
    }
  }
}

void add_words(const json::object& schema, std::vector<std::string>& out) {
  if (const auto* words = schema.if_contains("enum")) {
    for (const auto& word : words->as_array()) {
      const std::string text(word.as_string());
      out.push_back(raw_text(text));
      out.push_back(raw_text(text + " "));
      out.push_back(raw_text(static_cast<char>(text[0] - 'a' + 'A') + text.substr(1)));
    }
  }
  if (const auto* range = schema.if_contains("x-duration-range")) {
    const auto low = parse_duration(std::string(range->as_array()[0].as_string())).value();
    const auto high = parse_duration(std::string(range->as_array()[1].as_string())).value();
    for (const auto duration : {low - 1, low, high, high + 1}) out.push_back(raw_text(format_duration(duration)));
    for (const auto& text : kBadDurations) out.push_back(raw_text(text));
  }
}

/// One more element than allowed, and as many.
void add_long_arrays(const SchemaCheck& schemas, const json::object& schema, std::vector<std::string>& out) {
  const auto* limit = schema.if_contains("maxItems");
  if (limit == nullptr) return;
  std::string elements;
  const auto count = static_cast<std::size_t>(limit->as_int64());
  for (std::size_t i = 0; i < count; ++i) elements += (i == 0 ? "" : ",") + simplest(schemas, schema.at("items"), i);
  out.push_back("[" + elements + "]");
  out.push_back("[" + elements + "," + simplest(schemas, schema.at("items"), count) + "]");
}

std::string shown(const std::string& raw) { return raw.size() <= 60 ? raw : raw.substr(0, 60) + "…"; }

std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) text += c == '/' ? "~1" : std::string(1, c);
  return text;
}

}  // namespace

std::vector<Mutant> MutantMaker::of_body(const json::value& schema, const json::value& example) {
  mutants_.clear();
  for (const char* body : {"", " ", "null", "true", "1", "\"x\"", "[]", "[{}]"}) add("no object", body, "");
  const std::string good = json::serialize(example);
  for (const std::string& body :
       std::vector<std::string>{good + "x", good + good, good + ",", "\xef\xbb\xbf" + good, "{", good + "\xff",
                                good.substr(0, good.size() - 1), "/**/" + good, "{'a':1}", "{,}"}) {
    add("malformed: " + shown(body), body, "");
    mutants_.back().whole = true;
  }
  descend(schema, example, "", [](const std::string& raw) { return raw; });
  return std::move(mutants_);
}

std::vector<std::string> MutantMaker::untouched() const {
  std::vector<std::string> paths;
  for (const auto& [path, touched] : touched_) {
    if (!touched) paths.push_back(path);
  }
  return paths;
}

void MutantMaker::add(const std::string& what, std::string body, const std::string& path) {
  Mutant mutant;
  mutant.what = path + " " + what;
  mutant.body = std::move(body);
  mutant.path = path;
  mutants_.push_back(std::move(mutant));
}

void MutantMaker::descend(const json::value& schema, const json::value& example, const std::string& path,
                          const Wrap& wrap) {
  for (const auto* variant : schemas_.variants(schema)) {
    if (example.is_object() && variant->contains("properties")) {
      change_object(*variant, example.as_object(), path, wrap);
    } else if (example.is_array() && variant->contains("items") && !example.as_array().empty()) {
      const json::value& items = variant->at("items");
      const json::array& elements = example.as_array();
      const Wrap wrap_element = [&](const std::string& raw) {
        std::string text = "[" + raw;
        for (std::size_t i = 1; i < elements.size(); ++i) text += "," + json::serialize(elements[i]);
        return wrap(text + "]");
      };
      change_field(items, path + "/0", wrap_element);
      descend(items, elements[0], path + "/0", wrap_element);
    }
  }
}

void MutantMaker::change_object(const json::object& schema, const json::object& example, const std::string& path,
                                const Wrap& wrap) {
  for (const char* name : {"unknown_field", "a/b", ""}) {
    add("unknown", wrap(with_more(example, raw_text(name) + ":1")), path + "/" + escaped(name));
  }
  add("unknown object", wrap(with_more(example, R"("unknown_field":{})")), path + "/unknown_field");
  add("name with bad UTF-8", wrap(with_more(example, "\"\xff\":1")), path);
  mutants_.back().whole = true;
  add("name with a card number", wrap(with_more(example, R"("4111111111111111":1)")), path);
  mutants_.back().whole = true;
  mutants_.back().code = "pan_detected";

  const auto* required = schema.if_contains("required");
  for (const auto& [key, field] : schema.at("properties").as_object()) {
    const std::string name(key);
    const std::string below = path + "/" + name;
    const auto* value = example.if_contains(name);
    touched_[below] = touched_[below] || value != nullptr;
    const Wrap wrap_field = [&](const std::string& raw) { return wrap(with_field(example, name, raw)); };
    const std::size_t before = mutants_.size();
    change_field(field, below, wrap_field);
    if (value == nullptr) {
      // Where a field may be added depends on the others.
      const auto harmless = [](const Mutant& mutant) { return !mutant.faulty; };
      mutants_.erase(std::remove_if(mutants_.begin() + static_cast<std::ptrdiff_t>(before), mutants_.end(), harmless),
                     mutants_.end());
      continue;
    }
    add("twice", wrap(with_more(example, raw_text(name) + ":" + json::serialize(*value))), below);
    mutants_.back().whole = true;
    if (required != nullptr && required->as_array().end() != std::find(required->as_array().begin(),
                                                                       required->as_array().end(), json::value(name))) {
      add("missing", wrap(with_field(example, name, std::nullopt)), below);
    }
    descend(field, *value, below, wrap_field);
  }
}

void MutantMaker::change_field(const json::value& schema, const std::string& path, const Wrap& wrap) {
  std::vector<std::string> candidates = kEveryKind;
  bool is_object = false;
  bool is_array = false;
  for (const auto* variant : schemas_.variants(schema)) {
    add_boundaries(*variant, candidates);
    add_words(*variant, candidates);
    add_long_arrays(schemas_, *variant, candidates);
    is_object = is_object || variant->contains("properties");
    is_array = is_array || variant->contains("items");
  }
  for (const auto& raw : candidates) {
    // What stands within objects and arrays is changed where it stands.
    if (is_object && raw[0] == '{') continue;
    if (is_array && raw[0] == '[' && raw.size() > 2 && raw.size() < 100) continue;
    json::error_code error;
    const json::value parsed = json::parse(raw, error);
    add("is " + shown(raw), wrap(raw), path);
    mutants_.back().faulty = error || !schemas_.accepts(schema, parsed);
  }
  add("with bad UTF-8", wrap("\"a\xc3\x28\""), path);
  mutants_.back().whole = true;
  const bool amount = schemas_.accepts(schema, 1) && schemas_.accepts(schema, "1");
  for (const auto raw : kCardNumbers) {
    if (amount && raw == kCardNumbers[0]) continue;
    add("holds a card number", wrap(std::string(raw)), path);
    mutants_.back().code = "pan_detected";
  }
}

}  // namespace turnout::api
