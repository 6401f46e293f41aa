#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"

namespace turnout {

class JsonParser;

/// Why a document is refused. Neither part ever holds a value of the document; names of fields are cut short and
/// cleaned.
struct JsonFault {
  /// The word of the problem's `code`.
  enum class Code {
    invalid_request,
    pan_detected,  ///< a string is, or holds, the number of a payment card (base/text.h)
  };

  Code code = Code::invalid_request;
  std::string path;     ///< JSON Pointer (RFC 6901) to the place; "" is the whole document
  std::string message;  ///< what is wrong there; empty when nothing is

  [[nodiscard]] bool happened() const noexcept { return !message.empty(); }

  /// Both parts in one. Example: "/amount: expected an integer".
  [[nodiscard]] std::string text() const;
};

/// What a JSON value is. Numbers keep the form they were written in: `1` is an integer, `1.0` and `1e3` are not.
enum class JsonKind : std::uint8_t {
  null,
  boolean,
  integer,           ///< an integer within int64
  unsigned_integer,  ///< an integer above int64, within uint64
  huge_integer,      ///< an integer beyond both; only its double is kept
  number,            ///< with a fraction or an exponent
  string,
  array,
  object,
};

class JsonChildren;

/// One value of a JsonDocument, which owns it. Asking for what it is not asserts.
class JsonNode {
 public:
  [[nodiscard]] JsonKind kind() const noexcept { return kind_; }

  /// The name of a field; "" for an element of an array and for the root.
  [[nodiscard]] std::string_view key() const noexcept { return {key_, key_size_}; }

  [[nodiscard]] bool boolean() const { return TURNOUT_ASSERT(kind_ == JsonKind::boolean), boolean_; }
  [[nodiscard]] std::int64_t integer() const { return TURNOUT_ASSERT(kind_ == JsonKind::integer), integer_; }
  [[nodiscard]] std::uint64_t unsigned_integer() const {
    return TURNOUT_ASSERT(kind_ == JsonKind::unsigned_integer), unsigned_integer_;
  }

  /// Any number, as the nearest double; infinite when it is beyond every double.
  [[nodiscard]] double number() const;

  /// The text of a string, escapes resolved. Valid until the document parses again, and no longer than the body it was
  /// read from.
  [[nodiscard]] std::string_view text() const {
    return TURNOUT_ASSERT(kind_ == JsonKind::string), std::string_view(text_, size_);
  }

  /// Whether this is a string that contains_card_number() is true for.
  [[nodiscard]] bool holds_card_number() const noexcept { return holds_card_number_; }

  /// The first value within this one, itself included, that holds_card_number() is true for; null when there is none.
  [[nodiscard]] const JsonNode* first_card_number() const noexcept;

  /// How many elements or fields an array or an object has.
  [[nodiscard]] std::size_t size() const {
    return TURNOUT_ASSERT(kind_ == JsonKind::array || kind_ == JsonKind::object), size_;
  }

  /// The field of that name of an object; null when there is none, or this is no object.
  [[nodiscard]] const JsonNode* find(std::string_view name) const noexcept;

  /// False for most objects without a field of that name, and at once; true for every object with one.
  [[nodiscard]] bool may_have(std::string_view name) const noexcept {
    return kind_ == JsonKind::object && (name_bits_ & name_bit(name)) != 0;
  }

  /// The elements of an array or the fields of an object, in the order of the document; nothing for other kinds.
  [[nodiscard]] JsonChildren children() const noexcept;

 private:
  friend class JsonChildren;
  friend class JsonDocument;
  friend class JsonParser;

  /// One of 64 bits, by the length and three characters. With this factor the fields of a route request and of a report
  /// all have bits of their own, so that no name of theirs is looked for in vain.
  static constexpr std::uint64_t name_bit(std::string_view name) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(name[i])); };
    auto mixed = static_cast<std::uint32_t>(name.size());
    if (!name.empty()) mixed ^= byte(0) << 8 | byte(name.size() / 2) << 16 | byte(name.size() - 1) << 24;
    return std::uint64_t{1} << ((mixed * 0xcc9e2d51U) >> 26);
  }

  const char* key_ = nullptr;
  union {
    const char* text_ = nullptr;
    bool boolean_;
    std::int64_t integer_;
    std::uint64_t unsigned_integer_;
    double number_;
    std::uint64_t name_bits_;  ///< of an object: name_bit() of every field
  };
  std::uint32_t key_size_ = 0;
  std::uint32_t size_ = 0;  ///< bytes of a string, children of an array or object
  std::uint32_t span_ = 1;  ///< nodes of the tape that this value takes, itself included
  JsonKind kind_ = JsonKind::null;
  bool holds_card_number_ = false;
};

/// The values directly within another one. A range for `for`; as valid as its nodes.
class JsonChildren {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = JsonNode;
    using difference_type = std::ptrdiff_t;
    using pointer = const JsonNode*;
    using reference = const JsonNode&;

    Iterator() = default;
    explicit Iterator(const JsonNode* node) noexcept : node_(node) {}
    reference operator*() const noexcept { return *node_; }
    pointer operator->() const noexcept { return node_; }
    Iterator& operator++() noexcept { return node_ += node_->span_, *this; }
    Iterator operator++(int) noexcept {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const JsonNode* node_ = nullptr;
  };

  JsonChildren() = default;
  explicit JsonChildren(const JsonNode& parent) noexcept : first_(&parent + 1), last_(&parent + parent.span_) {}

  [[nodiscard]] Iterator begin() const noexcept { return Iterator(first_); }
  [[nodiscard]] Iterator end() const noexcept { return Iterator(last_); }
  [[nodiscard]] bool empty() const noexcept { return first_ == last_; }

 private:
  const JsonNode* first_ = nullptr;
  const JsonNode* last_ = nullptr;
};

inline JsonChildren JsonNode::children() const noexcept { return JsonChildren(*this); }

/// A JSON text (RFC 8259), read strictly: UTF-8 without a byte order mark, no comments, no trailing commas, one value
/// only, no name twice in an object, no escaped half of a surrogate pair.
///
/// Meant to be kept and used again: it holds on to its memory, so that reading documents like those before allocates
/// nothing. The nodes are one flat tape in the order of the document. Not thread-safe; give each thread its own, and
/// copy what is still needed before anything else on the thread may parse, which is at every co_await.
class JsonDocument {
 public:
  /// Deepest nesting of arrays and objects.
  static constexpr std::size_t kMaxDepth = 16;
  /// Most fields in one object; no shape of ours has more, and with this many a look at each of them is still cheap.
  static constexpr std::size_t kMaxFields = 64;

  JsonDocument();
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  /// Reads `body`, which must outlive the nodes: strings without escapes point into it. True when it is well-formed;
  /// otherwise the root is null and `fault` says where it went wrong, by path or by byte. Of card numbers it only
  /// refuses those in the names of fields; strings are marked, since a string that JsonReader reads as an amount may
  /// look like one. Does nothing when `fault` has happened already.
  bool parse(std::string_view body, JsonFault& fault);

  [[nodiscard]] const JsonNode& root() const noexcept { return nodes_.front(); }

  /// The JSON Pointer to a node of this document. Names are cut to 64 bytes and what is not printable ASCII becomes
  /// '?'.
  [[nodiscard]] std::string path_of(const JsonNode& node) const;

  /// The JSON Pointer to a field of `object`, whether it is there or not.
  [[nodiscard]] std::string path_of(const JsonNode& object, std::string_view field) const;

 private:
  friend class JsonParser;

  std::vector<JsonNode> nodes_;    ///< never empty; the tape from the first on, and room for longer ones
  std::unique_ptr<char[]> arena_;  ///< texts that had escapes
  std::size_t arena_capacity_ = 0;
};

}  // namespace turnout
