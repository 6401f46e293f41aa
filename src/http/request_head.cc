#include "http/request_head.h"

#include <algorithm>
#include <array>
#include <boost/beast/http/basic_parser.hpp>
#include <limits>
#include <optional>

#include "base/assert.h"
#include "http/ascii.h"

namespace turnout::http {
namespace {

namespace beast = boost::beast;

constexpr RequestFailure malformed(std::string_view detail) { return {400, "malformed_request", detail}; }

constexpr std::array<bool, 256> make_host_characters() {
  std::array<bool, 256> allowed{};
  for (const char c :
       std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:[]%")) {
    allowed[static_cast<unsigned char>(c)] = true;
  }
  return allowed;
}

/// What RFC 3986 allows in a host and port.
constexpr std::array<bool, 256> kHostCharacters = make_host_characters();

Method method_of(beast::http::verb verb) {
  switch (verb) {
    case beast::http::verb::get:
      return Method::get;
    case beast::http::verb::head:
      return Method::head;
    case beast::http::verb::post:
      return Method::post;
    case beast::http::verb::put:
      return Method::put;
    case beast::http::verb::patch:
      return Method::patch;
    case beast::http::verb::delete_:
      return Method::delete_;
    case beast::http::verb::options:
      return Method::options;
    default:
      return Method::other;
  }
}

/// Takes what Beast finds in a head and notes where it lies; nothing is copied.
class HeadParser final : public beast::http::basic_parser<true> {
 public:
  explicit HeadParser(std::string_view bytes) : bytes_(bytes) {
    header_limit(
        std::numeric_limits<std::uint32_t>::max());  // parse_head cuts the bytes instead: Beast counts each line alone
    body_limit(boost::none);
  }

  HeadOutcome parse() {
    beast::error_code error;
    const std::size_t used = put(boost::asio::const_buffer(bytes_.data(), bytes_.size()), error);
    if (failure_) {
      return *failure_;
    }
    if (error == beast::http::error::need_more) {
      return Incomplete{};
    }
    if (error) {
      return malformed(describe(error));
    }
    if (!is_header_done()) {
      return Incomplete{};
    }
    return finish(used);
  }

  /// True when the request line was complete.
  [[nodiscard]] bool has_request_line() const { return fields_begin_ != 0; }

 private:
  using string_view = beast::string_view;
  using error_code = beast::error_code;

  HeadOutcome finish(std::size_t used) {
    if (head_.version == 11 && !has_host_) {
      return malformed("HTTP/1.1 requires a Host header.");
    }
    if (head_.chunked && head_.version == 10) {
      return malformed("HTTP/1.0 has no chunked transfer coding.");
    }
    head_.size = used;
    head_.fields = Slice{fields_begin_, used - fields_begin_ - 2};
    head_.content_length = head_.chunked ? 0 : content_length().value_or(0);
    head_.keep_alive = keep_alive();
    return head_;
  }

  static std::string_view describe(const error_code& error) {
    using Kind = beast::http::error;
    if (error == Kind::bad_method) return "The method is not a token followed by one space.";
    if (error == Kind::bad_target) return "The request target holds a character that is not allowed.";
    if (error == Kind::bad_version) return "The request line does not end with HTTP/1.1 or HTTP/1.0.";
    if (error == Kind::bad_field) return "A header name is not a token followed by a colon.";
    if (error == Kind::bad_value) return "A header value holds a character that is not allowed.";
    if (error == Kind::bad_line_ending) return "A line does not end with CR LF.";
    if (error == Kind::bad_content_length) return "Content-Length is not a number, or Transfer-Encoding is there too.";
    if (error == Kind::multiple_content_length) return "There are several Content-Length headers.";
    if (error == Kind::bad_transfer_encoding) return "Transfer-Encoding is repeated, or Content-Length is there too.";
    return "The request is not HTTP/1.1.";
  }

  [[nodiscard]] Slice slice(string_view part) const {
    return Slice{static_cast<std::size_t>(part.data() - bytes_.data()), part.size()};
  }

  void fail(RequestFailure failure, error_code& error) {
    failure_ = failure;
    error = beast::http::error::bad_value;
  }

  void on_request_impl(beast::http::verb verb, string_view method, string_view target, int version,
                       error_code& error) override {
    head_.method = method_of(verb);
    head_.method_text = slice(method);
    head_.version = version;
    fields_begin_ = slice(target).offset + target.size() + std::string_view(" HTTP/1.1\r\n").size();
    if (std::any_of(target.begin(), target.end(), [](char c) { return static_cast<unsigned char>(c) > 0x7e; })) {
      return fail(malformed("The request target holds a character that is not ASCII."), error);
    }
    if (!set_target(slice(target))) {
      fail(malformed("The request target is neither a path nor an http address."), error);
    }
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

  void on_field_impl(beast::http::field name, string_view name_text, string_view value, error_code& error) override {
    if (is_folded(name_text, value)) {
      return fail(malformed("A header is folded over several lines."), error);
    }
    switch (name) {
      case beast::http::field::host:
        return set_host(value, error);
      case beast::http::field::content_type:
        return set_once(head_.content_type, value, "There are several Content-Type headers.", error);
      case beast::http::field::authorization:
        return set_once(head_.authorization, value, "There are several Authorization headers.", error);
      case beast::http::field::transfer_encoding:
        return set_transfer_coding(value, error);
      case beast::http::field::expect:
        return set_expectation(value, error);
      default:
        return;
    }
  }

  /// Beast joins folded lines into a buffer of its own, or skips the line end when the first line is empty. Either way
  /// the value does not follow the colon directly.
  [[nodiscard]] bool is_folded(string_view name, string_view value) const {
    const std::size_t after_colon = slice(name).offset + name.size() + 1;
    const std::size_t value_begin = bytes_.find_first_not_of(" \t", after_colon);
    return bytes_.data() + value_begin != value.data();
  }

  void set_once(Slice& place, string_view value, std::string_view detail, error_code& error) {
    if (place != Slice{}) {
      return fail(malformed(detail), error);
    }
    place = slice(value);
  }

  void set_host(string_view value, error_code& error) {
    if (has_host_) {
      return fail(malformed("There are several Host headers."), error);
    }
    if (!std::all_of(value.begin(), value.end(),
                     [](char c) { return kHostCharacters[static_cast<unsigned char>(c)]; })) {
      return fail(malformed("The Host header holds a character that is not allowed."), error);
    }
    has_host_ = true;
    head_.host = slice(value);
  }

  void set_transfer_coding(string_view value, error_code& error) {
    if (!equals_ignoring_case(value, "chunked")) {
      return fail({501, "unsupported_transfer_coding", "The only transfer coding understood is chunked."}, error);
    }
    head_.chunked = true;
  }

  void set_expectation(string_view value, error_code& error) {
    if (!equals_ignoring_case(value, "100-continue")) {
      return fail({417, "expectation_failed", "The only expectation understood is 100-continue."}, error);
    }
    head_.expects_continue = head_.version == 11;
  }

  void on_header_impl(error_code&) override {}

  // Called by Beast for responses and bodies only, which it is never given.
  void on_response_impl(int, string_view, int, error_code&) override { TURNOUT_ASSERT(false); }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override { TURNOUT_ASSERT(false); }
  std::size_t on_body_impl(string_view, error_code&) override { return TURNOUT_ASSERT(false), 0; }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override { TURNOUT_ASSERT(false); }
  std::size_t on_chunk_body_impl(std::uint64_t, string_view, error_code&) override { return TURNOUT_ASSERT(false), 0; }
  void on_finish_impl(error_code&) override {}

  std::string_view bytes_;
  RequestHead head_;
  std::size_t fields_begin_ = 0;
  bool has_host_ = false;
  std::optional<RequestFailure> failure_;
};

}  // namespace

HeadOutcome parse_head(std::string_view bytes, std::size_t limit) {
  HeadParser parser(bytes.substr(0, limit));
  const HeadOutcome outcome = parser.parse();
  if (bytes.size() < limit || !std::holds_alternative<Incomplete>(outcome)) {
    return outcome;
  }
  if (parser.has_request_line()) {
    return RequestFailure{431, "header_too_large", "The headers are larger than this server accepts."};
  }
  return RequestFailure{414, "target_too_long", "The request line is longer than this server accepts."};
}

}  // namespace turnout::http
