#include "http/request_head.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "http/ascii.h"

namespace turnout::http {
namespace {

/// What RFC 3986 allows in a host and port.
constexpr CharacterSet kHostCharacters =
    characters_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:[]%");

/// RFC 9110, section 5.6.2.
constexpr CharacterSet kTokenCharacters =
    characters_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~");

/// More than RFC 3986 allows in a target, but nothing that ends a word or a line.
constexpr CharacterSet kTargetCharacters = characters_between('!', '~');

/// RFC 9110, section 5.5, with the white space between the words.
constexpr CharacterSet kValueCharacters =
    characters_of("\t") | characters_between(' ', '~') | characters_between('\x80', '\xff');

constexpr CharacterSet kWhiteSpace = characters_of(" \t");

Method method_of(std::string_view word) {
  if (word == "GET") return Method::get;
  if (word == "HEAD") return Method::head;
  if (word == "POST") return Method::post;
  if (word == "PUT") return Method::put;
  if (word == "PATCH") return Method::patch;
  if (word == "DELETE") return Method::delete_;
  if (word == "OPTIONS") return Method::options;
  return Method::other;
}

/// Cuts the first element off a comma-separated list; `element` is without the white space around it. True when a comma
/// followed it, and thus another element.
bool cut_element(std::string_view& list, std::string_view& element) {
  const std::size_t comma = list.find(',');
  element = trim(list.substr(0, comma));
  list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  return comma != std::string_view::npos;
}

/// Reads a head from front to back and notes where its parts lie; nothing is copied. Every step returns false when it
/// cannot go on: because the bytes end, or with failure_ set.
class HeadParser {
 public:
  explicit HeadParser(std::string_view bytes) : bytes_(bytes) {}

  HeadOutcome parse() {
    if (read_request_line() && read_fields() && finish()) {
      return head_;
    }
    return failure_ ? HeadOutcome(*failure_) : HeadOutcome(Incomplete{});
  }

  /// True when the request line was complete.
  [[nodiscard]] bool has_request_line() const { return head_.fields.offset != 0; }

 private:
  [[nodiscard]] bool at_end() const { return place_ == bytes_.size(); }

  bool fail(const RequestFailure& failure) {
    failure_ = failure;
    return false;
  }

  bool fail(std::string_view detail) { return fail({400, "malformed_request", detail}); }

  /// The run of such characters that begins here, which may be empty.
  Slice read_run(const CharacterSet& characters) {
    const std::size_t begin = place_;
    place_ = static_cast<std::size_t>(
        std::find_if_not(bytes_.begin() + begin, bytes_.end(), [&](char c) { return characters.has(c); }) -
        bytes_.begin());
    return Slice{begin, place_ - begin};
  }

  /// A word of such characters and the space after it.
  bool read_word(const CharacterSet& characters, Slice& word, std::string_view complaint) {
    word = read_run(characters);
    if (at_end()) return false;
    if (word.size == 0 || bytes_[place_] != ' ') return fail(complaint);
    ++place_;
    return true;
  }

  bool read_request_line() {
    Slice target;
    if (!read_word(kTokenCharacters, head_.method_text, "The method is not a token followed by one space.") ||
        !read_word(kTargetCharacters, target, "The request target holds a character that is not allowed.") ||
        !read_version()) {
      return false;
    }
    head_.method = method_of(head_.method_text.of(bytes_));
    head_.fields.offset = place_;
    return set_target(target) || fail("The request target is neither a path nor an http address.");
  }

  bool read_version() {
    constexpr std::string_view kVersion = "HTTP/1.";
    constexpr std::string_view kComplaint = "The request line does not end with HTTP/1.1 or HTTP/1.0.";
    const std::string_view rest = bytes_.substr(place_);
    if (rest.size() <= kVersion.size()) return false;
    const char minor = rest[kVersion.size()];
    if (!rest.starts_with(kVersion) || (minor != '0' && minor != '1')) return fail(kComplaint);
    const std::string_view line_end = rest.substr(kVersion.size() + 1, 2);
    if (line_end.size() < 2) return false;
    if (line_end != "\r\n") return fail(kComplaint);
    head_.version = minor == '1' ? 11 : 10;
    place_ += kVersion.size() + 3;
    return true;
  }

  /// Splits the target into path and query. False when it is of no form that is served.
  bool set_target(Slice target) {
    const std::string_view text = target.of(bytes_);
    if (text == "*") {
      head_.path = target;
      return head_.method == Method::options;
    }
    std::size_t path_begin = 0;
    if (text.front() != '/') {
      const std::size_t scheme_end = std::min(text.find("://"), text.size());
      const std::string_view scheme = text.substr(0, scheme_end);
      const std::size_t authority_begin = scheme_end + 3;
      path_begin = std::min(text.find_first_of("/?", authority_begin), text.size());
      if ((!equals_ignoring_case(scheme, "http") && !equals_ignoring_case(scheme, "https")) ||
          path_begin <= authority_begin) {
        return false;
      }
    }
    const std::size_t path_end = std::min(text.find('?', path_begin), text.size());
    head_.path = Slice{target.offset + path_begin, path_end - path_begin};
    if (head_.path.size == 0) {
      // "http://host" means the path "/"; the last slash of "://" serves for it.
      head_.path = Slice{target.offset + text.find("://") + 2, 1};
    }
    const std::size_t query_begin = std::min(path_end + 1, text.size());
    head_.query = Slice{target.offset + query_begin, text.size() - query_begin};
    return true;
  }

  /// The headers and the empty line after them.
  bool read_fields() {
    for (;;) {
      if (place_ + 2 > bytes_.size()) return false;
      if (bytes_[place_] == '\r') break;
      if (!read_field()) return false;
    }
    head_.fields.size = place_ - head_.fields.offset;
    return read_line_end();
  }

  bool read_line_end() {
    if (place_ + 2 > bytes_.size()) return false;
    if (bytes_[place_ + 1] != '\n') return fail("A line does not end with CR LF.");
    place_ += 2;
    return true;
  }

  bool read_field() {
    const std::string_view name = read_run(kTokenCharacters).of(bytes_);
    if (at_end()) return false;
    if (name.empty() || bytes_[place_] != ':') return fail("A header name is not a token followed by a colon.");
    ++place_;
    read_run(kWhiteSpace);
    Slice value = read_run(kValueCharacters);
    if (at_end()) return false;
    if (bytes_[place_] != '\r') return fail("A header value holds a character that is not allowed.");
    // Only the character after the line tells whether the value ends with it.
    if (!read_line_end() || at_end()) return false;
    if (kWhiteSpace.has(bytes_[place_])) return fail("A header is folded over several lines.");
    while (value.size != 0 && kWhiteSpace.has(bytes_[value.offset + value.size - 1])) {
      --value.size;
    }
    return take_field(name, value);
  }

  bool take_field(std::string_view name, Slice value) {
    // Nearly always spelt like this, which is quick to see.
    const auto is = [name](std::string_view known) { return name == known || equals_ignoring_case(name, known); };
    switch (name.size()) {
      case 4:
        return !is("Host") || take_host(value);
      case 6:
        return !is("Expect") || take_expectation(value.of(bytes_));
      case 10:
        return !is("Connection") || take_connection_options(value.of(bytes_));
      case 12:
        return !is("Content-Type") || take_once(head_.content_type, value, "There are several Content-Type headers.");
      case 13:
        return !is("Authorization") ||
               take_once(head_.authorization, value, "There are several Authorization headers.");
      case 14:
        return !is("Content-Length") || take_content_length(value.of(bytes_));
      case 16:
        return !is("Proxy-Connection") || take_connection_options(value.of(bytes_));
      case 17:
        return !is("Transfer-Encoding") || take_transfer_coding(value.of(bytes_));
      default:
        return true;
    }
  }

  bool take_once(Slice& place, Slice value, std::string_view complaint) {
    if (place != Slice{}) return fail(complaint);
    place = value;
    return true;
  }

  bool take_host(Slice value) {
    if (has_host_) return fail("There are several Host headers.");
    if (!kHostCharacters.has_all(value.of(bytes_)))
      return fail("The Host header holds a character that is not allowed.");
    has_host_ = true;
    head_.host = value;
    return true;
  }

  bool take_expectation(std::string_view value) {
    if (!equals_ignoring_case(value, "100-continue")) {
      return fail({417, "expectation_failed", "The only expectation understood is 100-continue."});
    }
    head_.expects_continue = head_.version == 11;
    return true;
  }

  bool take_connection_options(std::string_view list) {
    std::string_view option;
    bool more = true;
    while (more) {
      more = cut_element(list, option);
      if (!kTokenCharacters.has_all(option)) return fail("A header value holds a character that is not allowed.");
      asks_to_close_ |= equals_ignoring_case(option, "close");
      asks_to_keep_alive_ |= equals_ignoring_case(option, "keep-alive");
    }
    return true;
  }

  /// The same length may be said several times, also in one header: RFC 9110, section 8.6.
  bool take_content_length(std::string_view list) {
    constexpr std::string_view kComplaint = "Content-Length is not a number, or Transfer-Encoding is there too.";
    if (head_.chunked) return fail(kComplaint);
    std::string_view text;
    bool more = true;
    while (more) {
      more = cut_element(list, text);
      std::uint64_t length = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
      if (error != std::errc() || end != text.data() + text.size()) return fail(kComplaint);
      if (has_length_ && length != head_.content_length) return fail("There are several Content-Length headers.");
      has_length_ = true;
      head_.content_length = length;
    }
    return true;
  }

  bool take_transfer_coding(std::string_view value) {
    if (head_.chunked || has_length_) {
      return fail("Transfer-Encoding is repeated, or Content-Length is there too.");
    }
    if (!equals_ignoring_case(value, "chunked")) {
      return fail({501, "unsupported_transfer_coding", "The only transfer coding understood is chunked."});
    }
    head_.chunked = true;
    return true;
  }

  bool finish() {
    if (head_.version == 11 && !has_host_) return fail("HTTP/1.1 requires a Host header.");
    if (head_.version == 10 && head_.chunked) return fail("HTTP/1.0 has no chunked transfer coding.");
    head_.keep_alive = head_.version == 11 ? !asks_to_close_ : asks_to_keep_alive_;
    head_.size = place_;
    return true;
  }

  std::string_view bytes_;
  std::size_t place_ = 0;  ///< of the next character to read
  RequestHead head_;
  bool has_host_ = false;
  bool has_length_ = false;
  bool asks_to_close_ = false;
  bool asks_to_keep_alive_ = false;
  std::optional<RequestFailure> failure_;
};

}  // namespace

HeadOutcome parse_head(std::string_view bytes, std::size_t limit) {
  HeadParser parser(bytes.substr(0, limit));
  HeadOutcome outcome = parser.parse();
  if (bytes.size() < limit || !std::holds_alternative<Incomplete>(outcome)) {
    return outcome;
  }
  if (parser.has_request_line()) {
    return RequestFailure{431, "header_too_large", "The headers are larger than this server accepts."};
  }
  return RequestFailure{414, "target_too_long", "The request line is longer than this server accepts."};
}

}  // namespace turnout::http
