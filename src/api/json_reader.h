#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "api/json_document.h"
#include "base/time.h"

namespace turnout {

/// The largest amount: every integer up to it is exact in a double, so in every JSON reader.
inline constexpr std::uint64_t kMaxAmount = std::uint64_t{1} << 53;

/// A word of the wire and what it stands for.
template <class T>
struct JsonWord {
  std::string_view word;
  T value;
};

/// The texts of an array of strings, as they were read.
class JsonTexts {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = std::string_view;

    Iterator() = default;
    explicit Iterator(JsonChildren::Iterator node) noexcept : node_(node) {}
    std::string_view operator*() const { return node_->text(); }
    Iterator& operator++() noexcept { return ++node_, *this; }
    Iterator operator++(int) noexcept { return Iterator(node_++); }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    JsonChildren::Iterator node_;
  };

  JsonTexts() = default;
  /// Of an array that holds nothing but strings.
  explicit JsonTexts(const JsonNode& array) : children_(array.children()), size_(array.size()) {}

  [[nodiscard]] Iterator begin() const noexcept { return Iterator(children_.begin()); }
  [[nodiscard]] Iterator end() const noexcept { return Iterator(children_.end()); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

 private:
  JsonChildren children_;
  std::size_t size_ = 0;
};

/// Reads the fields of one object, each by its name and kind, strictly. The first thing that is wrong is recorded in
/// the fault; from then on every read gives its default, so that a handler asks for all it needs in a row and looks at
/// the fault once:
///
///     JsonFault fault;
///     document.parse(body, fault);
///     JsonReader in(document, fault);
///     const std::string_view channel = in.id("channel");
///     const std::optional<std::uint64_t> amount = in.optional_amount("amount");
///     in.finish();
///     if (fault.happened()) return problem(fault);
///
/// A field without `optional_` must be there. Null is a wrong type, except where is_null() is asked first. A string
/// that holds a card number is refused as `pan_detected` by every read but that of an amount. Texts are as valid as the
/// document's.
class JsonReader {
 public:
  /// Of the document's root, which must be an object.
  JsonReader(const JsonDocument& document, JsonFault& fault) : JsonReader(document, document.root(), fault) {}

  /// Of a node of the document, which must be an object.
  JsonReader(const JsonDocument& document, const JsonNode& object, JsonFault& fault);

  /// Whether the field is there, null or not. Does not count as reading it.
  [[nodiscard]] bool has(std::string_view name) const;

  /// Whether the field is there and null. If so, it counts as read.
  bool is_null(std::string_view name);

  /// The id of a channel or provider: 1 to 64 of `A-Z a-z 0-9 . _ : -`.
  std::string_view id(std::string_view name);
  std::optional<std::string_view> optional_id(std::string_view name);

  /// A text of `min` to `max` bytes.
  std::string_view text(std::string_view name, std::size_t min, std::size_t max);
  std::optional<std::string_view> optional_text(std::string_view name, std::size_t min, std::size_t max);

  bool boolean(std::string_view name);
  std::optional<bool> optional_boolean(std::string_view name);

  /// A number written as an integer, `low` to `high`.
  std::int64_t integer(std::string_view name, std::int64_t low, std::int64_t high);
  std::optional<std::int64_t> optional_integer(std::string_view name, std::int64_t low, std::int64_t high);

  /// A finite number, `low` to `high`.
  double number(std::string_view name, double low, double high);
  std::optional<double> optional_number(std::string_view name, double low, double high);

  /// 0 to 2^53, as an integer or as a string of decimal digits without needless zeros.
  std::uint64_t amount(std::string_view name);
  std::optional<std::uint64_t> optional_amount(std::string_view name);

  /// A span of time, `low` to `high`: an integer of milliseconds, or a text such as "30s" (base/text.h).
  DurationMs duration(std::string_view name, DurationMs low, DurationMs high);
  std::optional<DurationMs> optional_duration(std::string_view name, DurationMs low, DurationMs high);

  /// One of the words of a table.
  template <class T, std::size_t N>
  T word(std::string_view name, const std::array<JsonWord<T>, N>& table) {
    return required(name, optional_word(name, table));
  }
  template <class T, std::size_t N>
  std::optional<T> optional_word(std::string_view name, const std::array<JsonWord<T>, N>& table);

  /// An array of `min` to `max` ids.
  JsonTexts ids(std::string_view name, std::size_t min, std::size_t max);
  std::optional<JsonTexts> optional_ids(std::string_view name, std::size_t min, std::size_t max);

  /// An array of `min` to `max` values of any kind, which the caller reads: `for (const JsonNode& item : in.array(…))`,
  /// then `in.object(item)` or, to record the faults of each item apart, a JsonReader of the item with a fault of its
  /// own.
  JsonChildren array(std::string_view name, std::size_t min, std::size_t max);
  std::optional<JsonChildren> optional_array(std::string_view name, std::size_t min, std::size_t max);

  /// An object within this one. The caller also calls finish() of it.
  JsonReader object(std::string_view name);
  std::optional<JsonReader> optional_object(std::string_view name);
  JsonReader object(const JsonNode& element);

  /// All fields, which then count as read, for a caller that knows their names from elsewhere. Card numbers within
  /// them, at any depth, are refused.
  JsonChildren fields();

  /// Records a fault of the caller's own at a field of this object or at a node within it. Must not be called with a
  /// message that holds a value.
  void refuse(std::string_view name, std::string_view message);
  void refuse(const JsonNode& node, std::string_view message);

  /// Refuses the first field that nobody asked for.
  void finish();

 private:
  /// Of nothing: every read gives its default. There must be a fault already.
  JsonReader(const JsonDocument& document, JsonFault* fault) : document_(&document), fault_(fault) {}

  [[nodiscard]] const JsonNode* find(std::string_view name) const;

  /// The field, which counts as read; null when it is absent or anything is wrong already. The second does it for a
  /// field that may be there, but not where it is looked for first.
  const JsonNode* take(std::string_view name);
  const JsonNode* search(std::string_view name);

  void record(JsonFault::Code code, std::string path, std::string_view message);

  /// Whether the node is a string and no card number, or an id, or an array of so many elements; otherwise that is a
  /// fault.
  bool check_text(const JsonNode& node);
  bool check_id(const JsonNode& node);
  bool check_array(const JsonNode& node, std::size_t min, std::size_t max);

  /// Those that are not read at a glance, or are wrong.
  std::optional<std::uint64_t> read_difficult_amount(const JsonNode& node);
  std::optional<JsonTexts> read_ids(const JsonNode& array, std::size_t min, std::size_t max);

  void refuse_size(const JsonNode& text, std::size_t min, std::size_t max);
  void refuse_integer(const JsonNode& node, std::int64_t low, std::int64_t high);
  void refuse_word(const JsonNode& node, const std::string_view* words, std::size_t count);
  void refuse_unread();

  /// What an optional read gave; a fault and the default when it gave nothing.
  template <class T>
  T required(std::string_view name, std::optional<T> value) {
    if (!value && !fault_->happened()) refuse(name, "required");
    return value.value_or(T{});
  }

  const JsonDocument* document_;
  const JsonNode* object_ = nullptr;  ///< null when there is none, which is a fault already
  JsonFault* fault_;
  JsonChildren::Iterator next_;  ///< where a field is looked for first: after the one found last
  JsonChildren::Iterator end_;
  std::uint64_t next_bit_ = 1;  ///< of taken_, for next_
  std::uint64_t taken_ = 0;     ///< a bit for each field that was read
};

// The way of a good request is in line, so that comparing a name costs an instruction or two; faults are not.

inline const JsonNode* JsonReader::take(std::string_view name) {
  if (next_ != end_ && next_->key() == name && !fault_->happened()) {
    taken_ |= next_bit_;
    next_bit_ <<= 1;
    return &*next_++;
  }
  return object_ != nullptr && object_->may_have(name) ? search(name) : nullptr;
}

inline bool JsonReader::check_text(const JsonNode& node) {
  if (node.kind() == JsonKind::string && !node.holds_card_number()) return true;
  refuse(node, "expected a string");
  return false;
}

inline std::optional<std::string_view> JsonReader::optional_id(std::string_view name) {
  const JsonNode* const node = take(name);
  if (node == nullptr || !check_id(*node)) return std::nullopt;
  return node->text();
}

inline std::string_view JsonReader::id(std::string_view name) { return required(name, optional_id(name)); }

inline std::optional<std::string_view> JsonReader::optional_text(std::string_view name, std::size_t min,
                                                                 std::size_t max) {
  const JsonNode* const node = take(name);
  if (node == nullptr || !check_text(*node)) return std::nullopt;
  const std::string_view text = node->text();
  if (text.size() >= min && text.size() <= max) return text;
  refuse_size(*node, min, max);
  return std::nullopt;
}

inline std::string_view JsonReader::text(std::string_view name, std::size_t min, std::size_t max) {
  return required(name, optional_text(name, min, max));
}

inline std::optional<bool> JsonReader::optional_boolean(std::string_view name) {
  const JsonNode* const node = take(name);
  if (node == nullptr) return std::nullopt;
  if (node->kind() == JsonKind::boolean) return node->boolean();
  refuse(*node, "expected true or false");
  return std::nullopt;
}

inline bool JsonReader::boolean(std::string_view name) { return required(name, optional_boolean(name)); }

inline std::optional<std::int64_t> JsonReader::optional_integer(std::string_view name, std::int64_t low,
                                                                std::int64_t high) {
  const JsonNode* const node = take(name);
  if (node == nullptr) return std::nullopt;
  if (node->kind() == JsonKind::integer && node->integer() >= low && node->integer() <= high) return node->integer();
  refuse_integer(*node, low, high);
  return std::nullopt;
}

inline std::int64_t JsonReader::integer(std::string_view name, std::int64_t low, std::int64_t high) {
  return required(name, optional_integer(name, low, high));
}

inline std::optional<std::uint64_t> JsonReader::optional_amount(std::string_view name) {
  const JsonNode* const node = take(name);
  if (node == nullptr) return std::nullopt;
  if (node->kind() == JsonKind::integer) {
    const auto amount = static_cast<std::uint64_t>(node->integer());  // a negative one becomes very large
    if (amount <= kMaxAmount) return amount;
  }
  return read_difficult_amount(*node);
}

inline std::uint64_t JsonReader::amount(std::string_view name) { return required(name, optional_amount(name)); }

template <class T, std::size_t N>
std::optional<T> JsonReader::optional_word(std::string_view name, const std::array<JsonWord<T>, N>& table) {
  const JsonNode* const node = take(name);
  if (node == nullptr) return std::nullopt;
  std::array<std::string_view, N> words;
  for (std::size_t i = 0; i < N; ++i) {
    words[i] = table[i].word;
    if (node->kind() == JsonKind::string && node->text() == words[i]) return table[i].value;
  }
  refuse_word(*node, words.data(), N);
  return std::nullopt;
}

inline std::optional<JsonTexts> JsonReader::optional_ids(std::string_view name, std::size_t min, std::size_t max) {
  const JsonNode* const node = take(name);
  if (node == nullptr) return std::nullopt;
  return read_ids(*node, min, max);
}

inline JsonTexts JsonReader::ids(std::string_view name, std::size_t min, std::size_t max) {
  return required(name, optional_ids(name, min, max));
}

inline void JsonReader::finish() {
  if (object_ == nullptr || fault_->happened()) return;
  const std::uint64_t beyond = object_->size() < 64 ? ~std::uint64_t{0} << object_->size() : 0;
  if ((taken_ | beyond) != ~std::uint64_t{0}) refuse_unread();
}

}  // namespace turnout
