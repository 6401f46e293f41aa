#include "api/json_document.h"

#include "api/json_parser.h"
#include "base/assert.h"

namespace turnout {
namespace {

/// Longest part of a field's name that a path shows.
constexpr std::size_t kMaxShownName = 64;

}  // namespace

void append_json_pointer(std::string& path, std::string_view name) {
  path.push_back('/');
  for (const char c : name.substr(0, kMaxShownName)) {
    if (c == '~') {
      path.append("~0");
    } else if (c == '/') {
      path.append("~1");
    } else {
      path.push_back(c >= 0x20 && c < 0x7f ? c : '?');
    }
  }
  if (name.size() > kMaxShownName) path.append("...");
}

std::string JsonFault::text() const { return path.empty() ? message : path + ": " + message; }

double JsonNode::number() const {
  if (kind_ == JsonKind::integer) return static_cast<double>(integer_);
  if (kind_ == JsonKind::unsigned_integer) return static_cast<double>(unsigned_integer_);
  TURNOUT_ASSERT(kind_ == JsonKind::number || kind_ == JsonKind::huge_integer);
  return number_;
}

const JsonNode* JsonNode::find(std::string_view name) const noexcept {
  if (!may_have(name)) return nullptr;
  for (const JsonNode& field : children()) {
    if (field.key() == name) return &field;
  }
  return nullptr;
}

const JsonNode* JsonNode::first_card_number() const noexcept {
  const JsonNode* const end = this + span_;
  for (const JsonNode* node = this; node != end; ++node) {
    if (node->holds_card_number()) return node;
  }
  return nullptr;
}

JsonDocument::JsonDocument() : nodes_(1) {}

bool JsonDocument::parse(std::string_view body, JsonFault& fault) {
  if (!fault.happened() && JsonParser(*this, body, fault).parse()) return true;
  nodes_.front() = JsonNode{};
  return false;
}

std::string JsonDocument::path_of(const JsonNode& node) const {
  std::string path;
  const JsonNode* at = &root();
  while (at != &node) {
    const bool is_array = at->kind() == JsonKind::array;
    const JsonNode* next = nullptr;
    std::size_t index = 0;
    for (const JsonNode& child : at->children()) {
      next = &child;
      if (&node < next + next->span_) break;
      ++index;
    }
    TURNOUT_ASSERT(next != nullptr);
    append_json_pointer(path, is_array ? std::to_string(index) : std::string(next->key()));
    at = next;
  }
  return path;
}

std::string JsonDocument::path_of(const JsonNode& object, std::string_view field) const {
  std::string path = path_of(object);
  append_json_pointer(path, field);
  return path;
}

}  // namespace turnout
