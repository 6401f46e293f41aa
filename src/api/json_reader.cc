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
  end_ = object.children().end();
}

const JsonNode* JsonReader::find(std::string_view name) const {
  return object_ != nullptr ? object_->find(name) : nullptr;
}

const JsonNode* JsonReader::search(std::string_view name) {
  if (fault_->happened()) return nullptr;
  JsonChildren::Iterator at = next_;
  std::uint64_t bit = next_bit_;
  for (std::size_t left = object_->size(); left > 0; --left) {
    if (at == end_) {
      at = object_->children().begin();
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

bool JsonReader::check_id(const JsonNode& node) {
  if (!check_text(node)) return false;
  if (is_id(node.text())) return true;
  refuse(node, "expected 1 to 64 of A-Z a-z 0-9 . _ : -");
  return false;
}

void JsonReader::refuse_size(const JsonNode& text, std::size_t min, std::size_t max) {
  const std::size_t size = text.text().size();
  if (size == 0) {
    refuse(text, "empty");
  } else if (size < min) {
    refuse(text, "shorter than " + std::to_string(min) + " bytes");
  } else {
    refuse(text, "longer than " + std::to_string(max) + " bytes");
  }
}

void JsonReader::refuse_integer(const JsonNode& node, std::int64_t low, std::int64_t high) {
  if (is_any_integer(node.kind())) {
    refuse(node, range_message(std::to_string(low), std::to_string(high)));
  } else {
    refuse(node, "expected an integer");
  }
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

std::optional<std::uint64_t> JsonReader::read_difficult_amount(const JsonNode& node) {
  const bool is_text = node.kind() == JsonKind::string && is_canonical_integer(node.text());
  if (is_text) {
    const std::string_view text = node.text();
    std::uint64_t amount = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), amount);
    if (result.ec == std::errc{} && amount <= kMaxAmount) return amount;
  }
  if (is_text || is_any_integer(node.kind())) {
    refuse(node, range_message("0", std::to_string(kMaxAmount)));
  } else {
    refuse(node, kExpectedAmount);
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

void JsonReader::refuse_word(const JsonNode& node, const std::string_view* words, std::size_t count) {
  std::string message = "expected one of";
  for (std::size_t i = 0; i < count; ++i) message.append(i == 0 ? " " : ", ").append(words[i]);
  refuse(node, message);
}

bool JsonReader::check_array(const JsonNode& node, std::size_t min, std::size_t max) {
  if (node.kind() != JsonKind::array) {
    refuse(node, "expected an array");
  } else if (node.size() < min) {
    refuse(node, "fewer than " + std::to_string(min) + " elements");
  } else if (node.size() > max) {
    refuse(node, "more than " + std::to_string(max) + " elements");
  } else {
    return true;
  }
  return false;
}

std::optional<JsonTexts> JsonReader::read_ids(const JsonNode& array, std::size_t min, std::size_t max) {
  if (!check_array(array, min, max)) return std::nullopt;
  for (const JsonNode& element : array.children()) {
    if (!check_id(element)) return std::nullopt;
  }
  return JsonTexts(array);
}

JsonChildren JsonReader::array(std::string_view name, std::size_t min, std::size_t max) {
  return required(name, optional_array(name, min, max));
}

std::optional<JsonChildren> JsonReader::optional_array(std::string_view name, std::size_t min, std::size_t max) {
  const JsonNode* const node = take(name);
  if (node == nullptr || !check_array(*node, min, max)) return std::nullopt;
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

void JsonReader::refuse_unread() {
  std::uint64_t bit = 1;
  for (const JsonNode& field : object_->children()) {
    if ((taken_ & bit) == 0) return refuse(field, "unknown field");
    bit <<= 1;
  }
}

}  // namespace turnout
