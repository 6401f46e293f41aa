#include <boost/json/parse.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/json_document.h"
#include "base/assert.h"

namespace turnout {
namespace {

/// The document says what Boost's own parser makes of the same bytes; its doubles may be off by a few units in the last
/// place.
void check_same(const JsonNode& node, const boost::json::value& value) {
  switch (node.kind()) {
    case JsonKind::null:
      TURNOUT_ASSERT(value.is_null());
      break;
    case JsonKind::boolean:
      TURNOUT_ASSERT(value.as_bool() == node.boolean());
      break;
    case JsonKind::integer:
      TURNOUT_ASSERT(value.as_int64() == node.integer());
      break;
    case JsonKind::unsigned_integer:
      TURNOUT_ASSERT(value.as_uint64() == node.unsigned_integer());
      break;
    case JsonKind::huge_integer:
    case JsonKind::number:
      TURNOUT_ASSERT(value.is_double());
      break;
    case JsonKind::string:
      TURNOUT_ASSERT(std::string_view(value.as_string()) == node.text());
      break;
    case JsonKind::array: {
      TURNOUT_ASSERT(value.as_array().size() == node.size());
      auto element = value.as_array().begin();
      for (const JsonNode& child : node.children()) check_same(child, *element++);
      break;
    }
    case JsonKind::object: {
      TURNOUT_ASSERT(value.as_object().size() == node.size());
      for (const JsonNode& child : node.children()) {
        TURNOUT_ASSERT(node.find(child.key()) == &child);
        check_same(child, value.as_object().at(child.key()));
      }
      break;
    }
  }
}

/// What is refused although the grammar allows it.
bool is_beyond_grammar(std::string_view message) {
  return message == "duplicate key" || message.starts_with("more than") || message.ends_with("card number");
}

void check(std::string_view body) {
  static JsonDocument document;
  JsonFault fault;
  const bool accepted = document.parse(body, fault);
  TURNOUT_ASSERT(accepted != fault.happened());
  boost::json::parse_options options;
  options.max_depth = JsonDocument::kMaxDepth;
  boost::json::error_code error;
  const boost::json::value value = boost::json::parse(body, error, {}, options);
  if (accepted) {
    TURNOUT_ASSERT(!error);
    check_same(document.root(), value);
  } else {
    TURNOUT_ASSERT(error || is_beyond_grammar(fault.message));
  }
}

}  // namespace
}  // namespace turnout

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  turnout::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
