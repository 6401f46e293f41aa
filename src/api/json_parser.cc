#include "api/json_parser.h"

#include <limits>

#include "api/json_scan.h"
#include "base/text.h"

namespace turnout {
namespace {

/// Sizes of texts and counts of nodes are kept in 32 bits.
constexpr std::size_t kMaxBodySize = std::numeric_limits<std::uint32_t>::max();

/// So much of a text is searched for card numbers. A longer one is longer than every field may be, so it is refused
/// anyway, and of a name no more than its beginning is shown. A search of a megabyte of digits would keep the thread
/// for a fifth of a second.
constexpr std::size_t kSearchedBytes = 4096;

constexpr std::string_view kTooDeep = "nested deeper than 16 levels";
static_assert(JsonDocument::kMaxDepth == 16);

constexpr std::string_view kTooManyFields = "more than 64 fields";
static_assert(JsonDocument::kMaxFields == 64);

}  // namespace

bool JsonParser::parse() {
  if (body_.size() > kMaxBodySize) {
    fault_.message = "longer than " + std::to_string(kMaxBodySize) + " bytes";
    return false;
  }
  const char* at = read_value(body_.data(), {});
  if (at == nullptr) return false;
  at = skip_space(at);
  if (at != end_) fail(at);
  return at == end_;
}

// The three that most bytes go through are inlined by order: left to itself, g++ does not, which costs a tenth.

[[gnu::always_inline]] inline const char* JsonParser::read_text(const char* begin, std::string_view& text) {
  const char* end = begin;
  for (; end < words_end_; end += 8) {
    const std::uint64_t special = find_special(load_word(end));
    if (special == 0) continue;
    end += lowest_byte(special);
    if (*end != '"') break;
    text = {begin, static_cast<std::size_t>(end - begin)};
    return end + 1;
  }
  std::string_view difficult;  // apart, so that a plain text need not be in memory
  end = read_difficult_text(begin, end, difficult);
  text = difficult;
  return end;
}

[[gnu::always_inline]] inline const char* JsonParser::read_string(const char* at, std::string_view name) {
  std::string_view text;
  at = read_text(at, text);
  if (at == nullptr) return nullptr;
  JsonNode& node = add(JsonKind::string, name);
  node.text_ = text.data();
  node.size_ = static_cast<std::uint32_t>(text.size());
  node.holds_card_number_ = contains_card_number(text.substr(0, kSearchedBytes));
  return at;
}

[[gnu::always_inline]] inline const char* JsonParser::read_name(const char* at, std::size_t object,
                                                                std::uint64_t& name_bits, std::string_view& name) {
  at = read_text(at, name);
  if (at == nullptr) return nullptr;
  if (contains_card_number(name.substr(0, kSearchedBytes))) {
    return refuse(JsonFault::Code::pan_detected, "a field's name looks like a card number");
  }
  const std::uint64_t bit = JsonNode::name_bit(name);
  if ((name_bits & bit) != 0 && is_repeated(object, name)) {
    refuse(JsonFault::Code::invalid_request, "duplicate key");
    return within(name);
  }
  name_bits |= bit;
  return at;
}

const char* JsonParser::read_object(const char* at, std::string_view name) {
  const std::size_t object = count();
  if (!open(JsonKind::object, at, name)) return nullptr;
  std::uint32_t size = 0;
  std::uint64_t name_bits = 0;
  ++at;
  if (!take('}', at)) {
    do {
      if (!take('"', at)) return fail(at);
      if (size == JsonDocument::kMaxFields) return fail(at - 1, kTooManyFields);
      std::string_view field;
      at = read_name(at, object, name_bits, field);
      if (at == nullptr) return nullptr;
      if (!take(':', at)) {
        fail(at);
        return within(field);
      }
      at = take('"', at) ? read_string(at, field) : read_value(at, field);
      if (at == nullptr) return within(field);
      ++size;
    } while (take(',', at));
    if (!take('}', at)) return fail(at);
  }
  close(object, size).name_bits_ = name_bits;
  return at;
}

const char* JsonParser::read_array(const char* at, std::string_view name) {
  const std::size_t array = count();
  if (!open(JsonKind::array, at, name)) return nullptr;
  std::uint32_t size = 0;
  ++at;
  if (!take(']', at)) {
    do {
      at = take('"', at) ? read_string(at, {}) : read_value(at, {});
      if (at == nullptr) return within(std::to_string(size));
      ++size;
    } while (take(',', at));
    if (!take(']', at)) {
      fail(at);
      return within(std::to_string(size));
    }
  }
  close(array, size);
  return at;
}

const char* JsonParser::read_value(const char* at, std::string_view name) {
  at = skip_space(at);
  switch (peek(at)) {
    case '"':
      return read_string(at + 1, name);
    case '{':
      return read_object(at, name);
    case '[':
      return read_array(at, name);
    case 't':
      return read_literal(at, name, "true", JsonKind::boolean);
    case 'f':
      return read_literal(at, name, "false", JsonKind::boolean);
    case 'n':
      return read_literal(at, name, "null", JsonKind::null);
    default:
      return read_number(at, name);  // or nothing that begins a value
  }
}

const char* JsonParser::read_literal(const char* at, std::string_view name, std::string_view word, JsonKind kind) {
  for (const char c : word) {
    if (peek(at) != c) return fail(at);
    ++at;
  }
  add(kind, name).boolean_ = word.front() == 't';
  return at;
}

bool JsonParser::open(JsonKind kind, const char* at, std::string_view name) {
  if (depth_ == JsonDocument::kMaxDepth) {
    fail(at, kTooDeep);
    return false;
  }
  ++depth_;
  add(kind, name);
  return true;
}

JsonNode& JsonParser::close(std::size_t index, std::uint32_t size) noexcept {
  --depth_;
  JsonNode& node = document_.nodes_[index];
  node.size_ = size;
  node.span_ = static_cast<std::uint32_t>(count() - index);
  return node;
}

void JsonParser::make_room() {
  const std::size_t used = count();
  document_.nodes_.resize(2 * used);
  next_ = document_.nodes_.data() + used;
  last_ = document_.nodes_.data() + document_.nodes_.size();
}

bool JsonParser::is_repeated(std::size_t object, std::string_view name) const noexcept {
  const JsonNode* field = document_.nodes_.data() + object + 1;
  for (; field != next_; field += field->span_) {
    if (field->key() == name) return true;
  }
  return false;
}

const char* JsonParser::fail(const char* at, std::string_view message) {
  if (body_.empty()) {
    fault_.message = "empty document: a JSON object is expected, such as {}";
    return nullptr;
  }
  auto offset = static_cast<std::size_t>(at - body_.data());
  const std::size_t well_formed = utf8_prefix(body_);
  if (well_formed <= offset && well_formed < body_.size()) {
    offset = well_formed;
    message = "not UTF-8";
    shows_path_ = true;
  } else if (at == end_) {
    message = "unexpected end";
  }
  fault_.message.assign(message).append(" at byte ").append(std::to_string(offset));
  return nullptr;
}

const char* JsonParser::refuse(JsonFault::Code code, std::string_view message) {
  fault_.code = code;
  fault_.message = message;
  shows_path_ = true;
  return nullptr;
}

const char* JsonParser::within(std::string_view name) {
  if (shows_path_) {
    std::string step;
    append_json_pointer(step, name);
    fault_.path.insert(0, step);
  }
  return nullptr;
}

}  // namespace turnout
