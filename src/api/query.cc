#include "api/query.h"

#include <charconv>
#include <cmath>

#include "base/text.h"

namespace turnout::api {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// All of `text` as a number, or nothing.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  if (!is_utf8(decoded)) return std::nullopt;
  return decoded;
}

QueryReader::QueryReader(std::string_view query) {
  while (!query.empty() && !fault_) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    auto name = percent_decoded(part.substr(0, equals));
    auto value = percent_decoded(equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1));
    if (!name || !value) {
      fault_ = Problem{400, "invalid_request", "the query has a broken percent escape"};
    } else if (contains_card_number(*name) || contains_card_number(*value)) {
      fault_ = Problem{400, "pan_detected", "the query holds a card number"};
    } else if (!is_id(*name)) {
      fault_ = Problem{400, "invalid_request", "the query has a parameter without a proper name"};
    } else if (find(*name) != nullptr) {
      refuse(*name, "given twice");
    } else {
      parameters_.push_back({std::move(*name), std::move(*value)});
    }
  }
}

const std::string* QueryReader::find(std::string_view name) {
  for (Parameter& parameter : parameters_) {
    if (parameter.name == name) return parameter.read = true, &parameter.value;
  }
  return nullptr;
}

void QueryReader::refuse(std::string_view name, std::string_view message) {
  if (fault_) return;
  std::string path = "?" + std::string(name);
  fault_ = Problem{400, "invalid_request", path + ": " + std::string(message), path};
}

std::optional<std::int64_t> QueryReader::optional_integer(std::string_view name, std::int64_t low, std::int64_t high) {
  const std::string* text = find(name);
  if (text == nullptr || fault_) return std::nullopt;
  const auto number = number_of<std::int64_t>(*text);
  if (number && *number >= low && *number <= high) return number;
  refuse(name, "expected an integer from " + std::to_string(low) + " to " + std::to_string(high));
  return std::nullopt;
}

std::optional<double> QueryReader::optional_number(std::string_view name, double low, double high) {
  const std::string* text = find(name);
  if (text == nullptr || fault_) return std::nullopt;
  const auto number = number_of<double>(*text);
  if (number && std::isfinite(*number) && *number >= low && *number <= high) return number;
  refuse(name, "expected a number within range");
  return std::nullopt;
}

void QueryReader::finish() {
  for (const Parameter& parameter : parameters_) {
    if (!parameter.read) refuse(parameter.name, "unknown parameter");
  }
}

}  // namespace turnout::api
