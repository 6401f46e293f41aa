#pragma once

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <limits>
#include <string>
#include <string_view>

#include "http/ascii.h"
#include "http/request_head.h"

namespace turnout::http {

/// A head as Beast's parser reads it, to hold ours against.
class BeastHead {
 public:
  enum class State { incomplete, complete, refused };

  explicit BeastHead(std::string_view bytes) {
    boost::system::error_code error;
    parser_.header_limit(std::numeric_limits<std::uint32_t>::max());
    parser_.body_limit(boost::none);
    size_ = parser_.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    if (error == boost::beast::http::error::need_more || (!error && !parser_.is_header_done())) {
      state_ = State::incomplete;
    } else {
      state_ = error ? State::refused : State::complete;
    }
  }

  [[nodiscard]] State state() const { return state_; }

  /// What differs from our reading of the same bytes; both are complete. Empty when nothing does.
  [[nodiscard]] std::string difference(const RequestHead& head, std::string_view bytes) const {
    namespace beast = boost::beast::http;
    const auto& message = parser_.get();
    if (head.size != size_) return "size";
    if (head.method_text.of(bytes) != message.method_string()) return "method";
    if (head.version != static_cast<int>(message.version())) return "version";
    if (!ends_with(message.target(), head.path.of(bytes), head.query.of(bytes))) return "target";
    if (head.host.of(bytes) != message[beast::field::host]) return "host";
    if (head.content_type.of(bytes) != message[beast::field::content_type]) return "content type";
    if (head.authorization.of(bytes) != message[beast::field::authorization]) return "authorization";
    if (head.chunked != parser_.chunked()) return "transfer coding";
    if (head.content_length != parser_.content_length().value_or(0)) return "content length";
    if (head.keep_alive != parser_.keep_alive()) return "keep alive";
    const bool expects = equals_ignoring_case(message[beast::field::expect], "100-continue") && head.version == 11;
    return head.expects_continue == expects ? "" : "expectation";
  }

 private:
  /// Whether the target ends with that path and query. The path "/" may be ours: "http://host?a=b" has none.
  static bool ends_with(std::string_view target, std::string_view path, std::string_view query) {
    std::string end(path == "/" ? "" : path);
    if (target.find('?') != std::string_view::npos) end.append("?").append(query);
    return target.ends_with(end);
  }

  boost::beast::http::request_parser<boost::beast::http::empty_body> parser_;
  std::size_t size_ = 0;
  State state_ = State::incomplete;
};

/// The complaints about what the grammar of RFC 9112 allows, or allowed once, and Beast lets pass.
inline bool is_stricter_than_beast(const RequestFailure& failure) {
  if (failure.status != 400) return true;
  for (const std::string_view complaint : {"folded", "request target", "Host header", "several Content-Type",
                                           "several Authorization", "HTTP/1.0 has no"}) {
    if (failure.detail.find(complaint) != std::string_view::npos) return true;
  }
  return false;
}

/// In what our parser and Beast's contradict one another about the head at the start of `bytes`; empty when in nothing.
/// Ours may refuse more, and earlier, but never wait for more than Beast does or read something else.
inline std::string contradiction(std::string_view bytes) {
  const HeadOutcome ours = parse_head(bytes, std::numeric_limits<std::size_t>::max());
  const BeastHead beast(bytes);
  if (const auto* head = std::get_if<RequestHead>(&ours)) {
    return beast.state() == BeastHead::State::complete ? beast.difference(*head, bytes) : "accepted";
  }
  if (const auto* failure = std::get_if<RequestFailure>(&ours)) {
    return beast.state() == BeastHead::State::refused || is_stricter_than_beast(*failure) ? "" : "refused";
  }
  return beast.state() == BeastHead::State::incomplete ? "" : "incomplete";
}

}  // namespace turnout::http
