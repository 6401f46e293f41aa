#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "http/handler.h"
#include "http/input_buffer.h"
#include "http/request_parser.h"
#include "http/response_writer.h"

namespace turnout::http {

/// What is said on one connection, without the socket: the bytes that came in, the request they make, and the answers
/// that wait to go out, in order.
class Exchange {
 public:
  Exchange(Handler& handler, std::size_t max_header_bytes, std::string peer_address, bool secure);

  InputBuffer& input() noexcept { return input_; }
  std::string& output() noexcept { return output_; }

  /// Looks for the next request in the input. After need_more the input is ready for more bytes, and a client that
  /// waits for it has its "100 Continue" in the output.
  RequestParser::Step next();

  /// After failed.
  [[nodiscard]] const RequestFailure& failure() const noexcept { return parser_.failure(); }

  /// After complete: readies request() and a fresh response().
  void begin_answer();
  [[nodiscard]] const Request& request() const noexcept { return request_; }
  Response& response() noexcept { return response_; }

  /// The handler threw: logs it and makes the response a 500.
  void fail_answer(const std::exception_ptr& exception);

  /// Puts the response into the output and drops the request. False when it is the last answer of the connection, as
  /// the client asked, or because the server is `stopping` and nothing more has arrived.
  bool end_answer(bool stopping, std::string_view date_line);

  /// The answer to a request that never became one. The last answer of the connection.
  void append_failure(const RequestFailure& failure, std::string_view date_line);

  /// Puts the head of an event stream into the output. False for HEAD, which has no stream.
  bool begin_events(std::string_view date_line);
  void append_event(std::string_view event);
  /// The source threw: logs it, unless it was cancelled because the client has left or the server stops.
  static void fail_events(const std::exception_ptr& exception);
  void end_events();

  /// Empties the output after it was written; keeps its memory unless it is large.
  void clear_output();

 private:
  [[nodiscard]] ResponseFraming framing(bool keep_alive, std::string_view date_line) const;
  [[nodiscard]] bool is_http_1_0() const { return parser_.head().version == 10; }

  Handler& handler_;
  std::string peer_address_;
  bool secure_;
  RequestParser parser_;
  InputBuffer input_;
  std::string output_;
  Request request_;
  Response response_;
  bool sent_continue_ = false;
};

/// What an exception says, for the log.
std::string describe(const std::exception_ptr& exception);

}  // namespace turnout::http
