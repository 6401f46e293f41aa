#include "api/json_document.h"

#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/assert.h"
#include "base/text.h"

namespace turnout {
namespace {

constexpr std::size_t kMaxBodySize = std::numeric_limits<std::uint32_t>::max();

/// Longest part of a field's name that a path shows.
constexpr std::size_t kMaxShownName = 64;

void append_name(std::string& path, std::string_view name) {
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

std::string syntax_message(const boost::json::error_code& code, std::string_view body, std::size_t offset) {
  using boost::json::error;
  std::string message = "unexpected character";
  if (body.empty()) return "empty document";
  if (!is_utf8(body)) {
    message = "not UTF-8";
  } else if (code == error::incomplete) {
    message = "unexpected end";
  } else if (code == error::too_deep) {
    message = "nested deeper than " + std::to_string(JsonDocument::kMaxDepth) + " levels";
  } else if (code == error::object_too_large) {
    message = "more than " + std::to_string(JsonDocument::kMaxFields) + " fields";
  } else if (code == error::exponent_overflow) {
    message = "exponent out of range";
  } else if (code == error::expected_hex_digit || code == error::expected_utf16_escape ||
             code == error::illegal_leading_surrogate || code == error::illegal_trailing_surrogate) {
    message = "bad escape";
  }
  return message + " at byte " + std::to_string(offset);
}

}  // namespace

/// The handler of Boost.JSON's parser: writes each value to the tape. The names and signatures are Boost's. A callback
/// that returns false ends the parse; it has recorded the fault.
class JsonTapeBuilder {
 public:
  using error_code = boost::json::error_code;
  using string_view = boost::json::string_view;

  // NOLINTBEGIN(readability-identifier-naming)
  static constexpr std::size_t max_object_size = JsonDocument::kMaxFields;
  static constexpr std::size_t max_array_size = kMaxBodySize;
  static constexpr std::size_t max_key_size = kMaxBodySize;
  static constexpr std::size_t max_string_size = kMaxBodySize;
  // NOLINTEND(readability-identifier-naming)

  JsonTapeBuilder(JsonDocument& document, std::string_view body, JsonFault& fault) noexcept
      : document_(document), body_(body), fault_(fault) {}

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return open(JsonKind::object); }
  bool on_object_end(std::size_t, error_code&) { return close(); }
  bool on_array_begin(error_code&) { return open(JsonKind::array); }
  bool on_array_end(std::size_t, error_code&) { return close(); }
  bool on_key_part(string_view part, std::size_t, error_code&) { return keep_part(part); }
  bool on_string_part(string_view part, std::size_t, error_code&) { return keep_part(part); }
  bool on_number_part(string_view, error_code&) { return true; }
  bool on_comment_part(string_view, error_code&) { return false; }
  bool on_comment(string_view, error_code&) { return false; }

  bool on_null(error_code&) {
    add(JsonKind::null);
    return true;
  }

  bool on_bool(bool flag, error_code&) {
    add(JsonKind::boolean).boolean_ = flag;
    return true;
  }

  bool on_int64(std::int64_t number, string_view, error_code&) {
    add(JsonKind::integer).integer_ = number;
    return true;
  }

  bool on_uint64(std::uint64_t number, string_view, error_code&) {
    add(JsonKind::unsigned_integer).unsigned_integer_ = number;
    return true;
  }

  bool on_double(double approximation, string_view token, error_code&);
  bool on_key(string_view last, std::size_t, error_code&);

  /// The JSON Pointer to the value that was being read when the text turned out to be malformed. Ends the parse.
  std::string interrupted_path();

  bool on_string(string_view last, std::size_t, error_code&) {
    const std::string_view text = whole_text(last);
    JsonNode& node = add(JsonKind::string);
    node.text_ = text.data();
    node.size_ = static_cast<std::uint32_t>(text.size());
    node.holds_card_number_ = contains_card_number(text);
    return true;
  }

 private:
  /// An array or object whose end is still to come.
  struct Open {
    std::size_t index = 0;   ///< of its node
    std::uint32_t size = 0;  ///< children so far
  };

  Open& innermost() noexcept { return open_[depth_ - 1]; }
  JsonNode& add(JsonKind kind);
  bool open(JsonKind kind);
  bool close();
  bool is_repeated(std::string_view name);
  bool refuse_name(JsonFault::Code code, std::string_view message, bool show_name, std::string_view name);
  bool keep_part(std::string_view part);
  std::string_view whole_text(std::string_view last);

  JsonDocument& document_;
  std::string_view body_;
  JsonFault& fault_;
  std::string_view key_;
  std::array<Open, JsonDocument::kMaxDepth> open_;
  std::size_t depth_ = 0;
  std::size_t arena_size_ = 0;
  std::size_t part_begin_ = 0;  ///< in the arena, of the text whose parts are arriving
};

JsonNode& JsonTapeBuilder::add(JsonKind kind) {
  JsonNode& node = document_.nodes_.emplace_back();
  node.kind_ = kind;
  if (depth_ > 0) ++innermost().size;
  node.key_ = key_.data();
  node.key_size_ = static_cast<std::uint32_t>(key_.size());
  key_ = {};
  return node;
}

bool JsonTapeBuilder::open(JsonKind kind) {
  add(kind).name_bits_ = 0;
  open_[depth_++] = {document_.nodes_.size() - 1};
  return true;
}

bool JsonTapeBuilder::close() {
  JsonNode& node = document_.nodes_[innermost().index];
  node.size_ = innermost().size;
  node.span_ = static_cast<std::uint32_t>(document_.nodes_.size() - innermost().index);
  --depth_;
  return true;
}

bool JsonTapeBuilder::on_double(double approximation, string_view token, error_code&) {
  // Boost 1.81 rounds twice on the way to a double; a number must read back as it was written.
  double number = approximation;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (error == std::errc::result_out_of_range) number = approximation;
  const bool has_point = std::string_view(token).find_first_of(".eE") != std::string_view::npos;
  add(has_point ? JsonKind::number : JsonKind::huge_integer).number_ = number;
  return true;
}

bool JsonTapeBuilder::on_key(string_view last, std::size_t, error_code&) {
  key_ = whole_text(last);
  if (contains_card_number(key_)) {
    return refuse_name(JsonFault::Code::pan_detected, "a field's name looks like a card number", false, key_);
  }
  if (is_repeated(key_)) return refuse_name(JsonFault::Code::invalid_request, "duplicate key", true, key_);
  return true;
}

bool JsonTapeBuilder::is_repeated(std::string_view name) {
  const std::size_t object = innermost().index;
  JsonNode* const nodes = document_.nodes_.data();
  const std::uint64_t bit = JsonNode::name_bit(name);
  if ((nodes[object].name_bits_ & bit) == 0) {
    nodes[object].name_bits_ |= bit;
    return false;
  }
  const std::size_t end = document_.nodes_.size();
  for (std::size_t i = object + 1; i < end; i += nodes[i].span_) {
    if (nodes[i].key() == name) return true;
  }
  return false;
}

bool JsonTapeBuilder::refuse_name(JsonFault::Code code, std::string_view message, bool show_name,
                                  std::string_view name) {
  const std::size_t object = innermost().index;
  while (depth_ > 0) close();  // path_of() walks by spans
  fault_.code = code;
  fault_.path = document_.path_of(document_.nodes_[object]);
  if (show_name) append_name(fault_.path, name);
  fault_.message = message;
  return false;
}

std::string JsonTapeBuilder::interrupted_path() {
  if (depth_ == 0) return {};
  const Open at = innermost();
  while (depth_ > 0) close();  // path_of() walks by spans
  const JsonNode& parent = document_.nodes_[at.index];
  std::string path = document_.path_of(parent);
  if (parent.kind() == JsonKind::array) {
    append_name(path, std::to_string(at.size));
  } else if (key_.data() != nullptr) {
    append_name(path, key_);
  }
  return path;
}

bool JsonTapeBuilder::keep_part(std::string_view part) {
  if (document_.arena_capacity_ < body_.size()) {
    // No text is longer than it was with its escapes, so the arena never moves under the texts in it.
    TURNOUT_ASSERT(arena_size_ == 0);
    document_.arena_ = std::make_unique_for_overwrite<char[]>(body_.size());
    document_.arena_capacity_ = body_.size();
  }
  std::memcpy(document_.arena_.get() + arena_size_, part.data(), part.size());
  arena_size_ += part.size();
  return true;
}

std::string_view JsonTapeBuilder::whole_text(std::string_view last) {
  const auto address = reinterpret_cast<std::uintptr_t>(last.data());
  const auto body = reinterpret_cast<std::uintptr_t>(body_.data());
  const bool in_body = address >= body && address + last.size() <= body + body_.size();
  if (part_begin_ == arena_size_ && in_body) return last;
  keep_part(last);
  const std::string_view text(document_.arena_.get() + part_begin_, arena_size_ - part_begin_);
  part_begin_ = arena_size_;
  return text;
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

JsonDocument::JsonDocument() { clear(); }

void JsonDocument::clear() { nodes_.assign(1, JsonNode{}); }

bool JsonDocument::parse(std::string_view body, JsonFault& fault) {
  clear();
  if (fault.happened()) return false;
  if (body.size() > kMaxBodySize) {
    fault.message = "longer than " + std::to_string(kMaxBodySize) + " bytes";
    return false;
  }
  nodes_.clear();
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::json::basic_parser<JsonTapeBuilder> parser(options, *this, body, fault);
  boost::json::error_code error;
  const std::size_t used = parser.write_some(false, body.data(), body.size(), error);
  if (!error && used == body.size()) return true;
  if (!fault.happened()) {
    fault.message = syntax_message(error, body, used);
    if (!is_utf8(body)) fault.path = parser.handler().interrupted_path();
  }
  clear();
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
    append_name(path, is_array ? std::to_string(index) : std::string(next->key()));
    at = next;
  }
  return path;
}

std::string JsonDocument::path_of(const JsonNode& object, std::string_view field) const {
  std::string path = path_of(object);
  append_name(path, field);
  return path;
}

}  // namespace turnout
