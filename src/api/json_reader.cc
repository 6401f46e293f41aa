#include "api/json_reader.h"

#include <charconv>
#include <cmath>
#include <string>

#include "base/assert.h"
#include "base/text.h"

namespace turnout {
namespace {

constexpr std::string_view kExpectedAmount = "expected an integer or a string of decimal digits";
constexpr std::string_view kExpectedDuration = "expected an integer of milliseconds or a text such as 30s";

std::string shortest(double number) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

std::string range_message(const std::string& low, const std::string& high) {
  return "must be from " + low + " to " + high;
}

bool is_any_integer(JsonKind kind) noexcept {
  return kind == JsonKind::integer || kind == JsonKind::unsigned_integer || kind == JsonKind::huge_integer;
}

bool is_any_number(JsonKind kind) noexcept { return kind == JsonKind::number || is_any_integer(kind); }

/// Decimal digits, no sign, no leading zero.
bool is_canonical_integer(std::string_view text) noexcept {
  if (text.empty() || (text.front() == '0' && text.size() > 1)) return false;
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

JsonReader::JsonReader(const JsonDocument& document, const JsonNode& object, JsonFault& fault)
    : document_(&document), fault_(&fault) {
  if (fault.happened()) return;
  if (object.kind() != JsonKind::object) {
    refuse(object, "expected an object");
    return;
  }
  object_ = &object;
  next_ = object.children().begin();
}

const JsonNode* JsonReader::find(std::string_view name) const {
  return object_ != nullptr ? object_->find(name) : nullptr;
}

const JsonNode* JsonReader::take(std::string_view name) {
  if (object_ == nullptr || fault_->happened() || !object_->may_have(name)) return nullptr;
  const JsonChildren fields = object_->children();
  JsonChildren::Iterator at = next_;
  std::uint64_t bit = next_bit_;
  for (std::size_t left = object_->size(); left > 0; --left) {
    if (at == fields.end()) {
      at = fields.begin();
      bit = 1;
    }
    const JsonNode& field = *at++;
    if (field.key() == name) {
      taken_ |= bit;
      next_ = at;
      next_bit_ = bit << 1;
      return &field;
    }
    bit <<= 1;
  }
  return nullptr;
}

bool JsonReader::has(std::string_view name) const { return find(name) != nullptr; }

bool JsonReader::is_null(std::string_view name) {
  const JsonNode* const field = find(name);
  return field != nullptr && field->kind() == JsonKind::null && take(name) != nullptr;
}

void JsonReader::record(JsonFault::Code code, std::string path, std::string_view message) {
  TURNOUT_ASSERT(!message.empty());
  if (fault_->happened()) return;
  fault_->code = code;
  fault_->path = std::move(path);
  fault_->message = message;
}

void JsonReader::refuse(const JsonNode& node, std::string_view message) {
  if (const JsonNode* const card = node.first_card_number()) {
    record(JsonFault::Code::pan_detected, document_->path_of(*card), "looks like a card number");
  } else {
    record(JsonFault::Code::invalid_request, document_->path_of(node), message);
  }
}

void JsonReader::refuse(std::string_view name, std::string_view message) {
  if (object_ == nullptr) return;
  if (const JsonNode* const field = find(name)) {
    refuse(*field, message);
  } else {
    record(JsonFault::Code::invalid_request, document_->path_of(*object_, name), message);
  }
}

bool JsonReader::check_text(const JsonNode& node) {
  if (node.kind() == JsonKind::string && !node.holds_card_number()) return true;
  refuse(node, "expected a string");
  return false;
}

bool JsonReader::check_id(const JsonNode& node) {
  if (!check_text(node)) return false;
  if (is_id(node.text())) return true;
  refuse(node, "expected 1 to 64 of A-Z a-z 0-9 . _ : -");
  return false;
}

std::string_view JsonReader::id(std::string_view name) { return required(name, optional_id(name)); }

std::optional<std::string_view> JsonReader::optional_id(std::string_view name) {
  const JsonNode* const node = take(name);
  if (node == nullptr || !check_id(*node)) return std::nullopt;
  return node->text();
}

std::string_view JsonReader::text(std::string_view name, std::size_t min, std::size_t max) {
  return required(name, optional_text(name, min, max));
}

std::optional<std::string_view> JsonReader::optional_text(std::string_view name, std::size_t min, std::size_t max) {
  const JsonNode* const node = take(name);
  if (node == nullptr || !check_text(*node)) return std::nullopt;
  const std::size_t size = node->text().size();
  if (size >= min && size <= max) return node->text();
  if (size == 0) {
    refuse(*node, "empty");
  } else if (size < min) {
    refuse(*node, "shorter than " + std::to_string(min) + " bytes");
  } else {
    refuse(*node, "longer than " + std::to_string(max) + " bytes");
  }
  return std::nullopt;
}

bool JsonReader::boolean(std::string_view name) { return required(name, optional_boolean(name)); }

std::optional<bool> JsonReader::optional_boolean(std::string_view name) {
  const JsonNode* const node = take(name);
  if (node == nullptr) return std::nullopt;
  if (node->kind() == JsonKind::boolean) return node->boolean();
  refuse(*node, "expected true or false");
  return std::nullopt;
}

std::int64_t JsonReader::integer(std::string_view name, std::int64_t low, std::int64_t high) {
  return required(name, optional_integer(name, low, high));
}

std::optional<std::int64_t> JsonReader::optional_integer(std::string_view name, std::int64_t low, std::int64_t high) {
  const JsonNode* const node = take(name);
  if (node == nullptr) return std::nullopt;
  if (node->kind() == JsonKind::integer && node->integer() >= low && node->integer() <= high) return node->integer();
  if (is_any_integer(node->kind())) {
    refuse(*node, range_message(std::to_string(low), std::to_string(high)));
  } else {
    refuse(*node, "expected an integer");
  }
  return std::nullopt;
}

double JsonReader::number(std::string_view name, double low, double high) {
  return required(name, optional_number(name, low, high));
}

std::optional<double> JsonReader::optional_number(std::string_view name, double low, double high) {
  const JsonNode* const node = take(name);
  if (node == nullptr) return std::nullopt;
  if (!is_any_number(node->kind())) {
    refuse(*node, "expected a number");
    return std::nullopt;
  }
  const double number = node->number();
  if (std::isfinite(number) && number >= low && number <= high) return number;
  refuse(*node, range_message(shortest(low), shortest(high)));
  return std::nullopt;
}

std::uint64_t JsonReader::amount(std::string_view name) { return required(name, optional_amount(name)); }

std::optional<std::uint64_t> JsonReader::optional_amount(std::string_view name) {
  const JsonNode* const node = take(name);
  if (node == nullptr) return std::nullopt;
  if (node->kind() == JsonKind::integer && node->integer() >= 0) {
    const auto amount = static_cast<std::uint64_t>(node->integer());
    if (amount <= kMaxAmount) return amount;
  }
  const bool is_text = node->kind() == JsonKind::string && is_canonical_integer(node->text());
  if (is_text) {
    const std::string_view text = node->text();
    std::uint64_t amount = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), amount);
    if (result.ec == std::errc{} && amount <= kMaxAmount) return amount;
  }
  if (is_text || is_any_integer(node->kind())) {
    refuse(*node, range_message("0", std::to_string(kMaxAmount)));
  } else {
    refuse(*node, kExpectedAmount);
  }
  return std::nullopt;
}

DurationMs JsonReader::duration(std::string_view name, DurationMs low, DurationMs high) {
  return required(name, optional_duration(name, low, high));
}

std::optional<DurationMs> JsonReader::optional_duration(std::string_view name, DurationMs low, DurationMs high) {
  const JsonNode* const node = take(name);
  if (node == nullptr) return std::nullopt;
  std::optional<DurationMs> duration;
  if (node->kind() == JsonKind::integer) {
    duration = node->integer();
  } else if (node->kind() == JsonKind::string) {
    duration = parse_duration(node->text());
  } else if (is_any_integer(node->kind())) {
    duration = node->number() < 0 ? low - 1 : high + 1;
  }
  if (!duration) {
    refuse(*node, kExpectedDuration);
  } else if (*duration < low || *duration > high) {
    refuse(*node, range_message(format_duration(low), format_duration(high)));
    duration.reset();
  }
  return duration;
}

std::optional<std::size_t> JsonReader::word_index(const JsonNode& node, const std::string_view* words,
                                                  std::size_t count) {
  std::string message = "expected one of";
  for (std::size_t i = 0; i < count; ++i) {
    if (node.kind() == JsonKind::string && node.text() == words[i]) return i;
    message.append(i == 0 ? " " : ", ").append(words[i]);
  }
  refuse(node, message);
  return std::nullopt;
}

const JsonNode* JsonReader::take_array(std::string_view name, std::size_t min, std::size_t max) {
  const JsonNode* const node = take(name);
  if (node == nullptr) return nullptr;
  if (node->kind() != JsonKind::array) {
    refuse(*node, "expected an array");
  } else if (node->size() < min) {
    refuse(*node, "fewer than " + std::to_string(min) + " elements");
  } else if (node->size() > max) {
    refuse(*node, "more than " + std::to_string(max) + " elements");
  }
  return fault_->happened() ? nullptr : node;
}

JsonTexts JsonReader::ids(std::string_view name, std::size_t min, std::size_t max) {
  return required(name, optional_ids(name, min, max));
}

std::optional<JsonTexts> JsonReader::optional_ids(std::string_view name, std::size_t min, std::size_t max) {
  const JsonNode* const node = take_array(name, min, max);
  if (node == nullptr) return std::nullopt;
  for (const JsonNode& element : node->children()) {
    if (!check_id(element)) return std::nullopt;
  }
  return JsonTexts(*node);
}

JsonChildren JsonReader::array(std::string_view name, std::size_t min, std::size_t max) {
  return required(name, optional_array(name, min, max));
}

std::optional<JsonChildren> JsonReader::optional_array(std::string_view name, std::size_t min, std::size_t max) {
  const JsonNode* const node = take_array(name, min, max);
  if (node == nullptr) return std::nullopt;
  return node->children();
}

JsonReader JsonReader::object(std::string_view name) {
  const JsonNode* const node = take(name);
  if (node != nullptr) return object(*node);
  refuse(name, "required");
  return {*document_, fault_};
}

std::optional<JsonReader> JsonReader::optional_object(std::string_view name) {
  const JsonNode* const node = take(name);
  if (node == nullptr) return std::nullopt;
  return object(*node);
}

JsonReader JsonReader::object(const JsonNode& element) { return {*document_, element, *fault_}; }

JsonChildren JsonReader::fields() {
  if (object_ == nullptr || fault_->happened()) return {};
  taken_ = ~std::uint64_t{0};
  if (object_->first_card_number() == nullptr) return object_->children();
  refuse(*object_, "looks like a card number");
  return {};
}

void JsonReader::finish() {
  if (object_ == nullptr || fault_->happened()) return;
  std::uint64_t bit = 1;
  for (const JsonNode& field : object_->children()) {
    if ((taken_ & bit) == 0) {
      refuse(field, "unknown field");
      return;
    }
    bit <<= 1;
  }
}

}  // namespace turnout
