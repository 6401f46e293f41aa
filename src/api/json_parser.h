#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/json_document.h"

namespace turnout {

/// Adds a field's name to a JSON Pointer, as JsonDocument::path_of() shows names.
void append_json_pointer(std::string& path, std::string_view name);

/// Reads one text onto the tape of a document, in one pass; JsonDocument says what is accepted. Used once.
///
/// A function that reads something takes the place of its first byte and returns the place after its last, or null when
/// there is a fault, which it has recorded. The place is handed along rather than kept here so that it stays in a
/// register. No place is beyond the end of the body, and nothing is read there.
class JsonParser {
 public:
  /// The body must outlive the nodes of the document, and there must be no fault yet.
  JsonParser(JsonDocument& document, std::string_view body, JsonFault& fault) noexcept
      : document_(document),
        body_(body),
        end_(body.data() + body.size()),
        words_end_(body.size() >= 8 ? end_ - 7 : body.data()),
        fault_(fault),
        next_(document.nodes_.data()),
        last_(next_ + document.nodes_.size()) {}

  /// Whether the body is well-formed. If not, what is on the tape means nothing.
  bool parse();

 private:
  static bool is_space(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  /// The byte at a place, and at the end of the body 0, which no rule of the grammar allows.
  [[nodiscard]] char peek(const char* at) const noexcept { return at != end_ ? *at : '\0'; }

  [[nodiscard]] const char* skip_space(const char* at) const noexcept {
    while (is_space(peek(at))) ++at;
    return at;
  }

  /// Whether `c` comes next, perhaps behind space. The place moves behind it, or else to what comes instead.
  [[nodiscard]] bool take(char c, const char*& at) const noexcept {
    if (peek(at) != c) {
      at = skip_space(at);
      if (peek(at) != c) return false;
    }
    ++at;
    return true;
  }

  // Each adds one value to the tape. `name` is that of the field it is the value of; nothing in an array and at the
  // root. A string is read from after its opening quote.
  const char* read_value(const char* at, std::string_view name);
  const char* read_object(const char* at, std::string_view name);
  const char* read_array(const char* at, std::string_view name);
  const char* read_string(const char* at, std::string_view name);
  const char* read_number(const char* at, std::string_view name);
  const char* read_literal(const char* at, std::string_view name, std::string_view word, JsonKind kind);

  /// The name of a field, from after its opening quote. `object` is where the object is on the tape, `name_bits` are
  /// those of the names it has so far.
  const char* read_name(const char* at, std::size_t object, std::uint64_t& name_bits, std::string_view& name);

  /// The text of a string or name, from after its opening quote. The second is for all that the first does not see at a
  /// glance, which is plain ASCII up to a quote; it is plain from `begin` to `at`.
  const char* read_text(const char* begin, std::string_view& text);
  const char* read_difficult_text(const char* begin, const char* at, std::string_view& text);

  // What an escape stands for, from after the backslash; from after the u; and the four digits. `out` moves behind it.
  const char* read_escape(const char* at, char*& out);
  const char* read_code_point(const char* at, char*& out);
  const char* read_hex(const char* at, std::uint32_t& code);

  /// Where the next text with escapes goes.
  char* arena_room();

  // Numbers, from the byte they begin with: what is behind the digits of an integer, and one of 19 digits or more.
  const char* read_fraction(const char* begin, const char* at, std::string_view name);
  const char* read_exponent(const char* at);
  void add_long_integer(const char* begin, const char* end, std::string_view name);

  JsonNode& add(JsonKind kind, std::string_view name) {
    if (next_ == last_) make_room();
    JsonNode& node = *next_++;
    node = JsonNode{};
    node.key_ = name.data();
    node.key_size_ = static_cast<std::uint32_t>(name.size());
    node.kind_ = kind;
    return node;
  }

  void make_room();

  /// How many nodes are on the tape.
  [[nodiscard]] std::size_t count() const noexcept { return static_cast<std::size_t>(next_ - document_.nodes_.data()); }

  /// Adds an array or object that begins at a place. False, and a fault, when it is too deep.
  bool open(JsonKind kind, const char* at, std::string_view name);

  /// Ends the array or object at an index of the tape, after as many elements or fields.
  JsonNode& close(std::size_t index, std::uint32_t size) noexcept;

  /// Whether an object that is still open has a field of that name.
  [[nodiscard]] bool is_repeated(std::size_t object, std::string_view name) const noexcept;

  // These record what is wrong and return null, for the caller to return.

  /// The byte at a place cannot stand there, or nothing does. It is another fault when the bytes up to it are not
  /// UTF-8.
  const char* fail(const char* at, std::string_view message = "unexpected character");

  /// A name cannot stand where it does.
  const char* refuse(JsonFault::Code code, std::string_view message);

  /// Puts the name of a field, or the index of an element, before the path of a fault within it, if that is one to show
  /// the path of.
  const char* within(std::string_view name);

  JsonDocument& document_;
  const std::string_view body_;
  const char* const end_;
  const char* const words_end_;  ///< before it eight bytes can be read
  JsonFault& fault_;
  bool shows_path_ = false;
  std::size_t depth_ = 0;       ///< arrays and objects whose end is still to come
  std::size_t arena_size_ = 0;  ///< bytes of the arena in use
  JsonNode* next_;              ///< where the next node goes
  JsonNode* last_;              ///< the end of the room for nodes
};

}  // namespace turnout
