#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/awaitable.h"

namespace turnout::http {

/// A source of server-sent events. The connection that streams them owns it and destroys it on its thread.
class EventSource {
 public:
  virtual ~EventSource() = default;

  /// The next piece to send, complete with its line ends ("data: …\n\n"); nothing ends the stream. Never called twice
  /// at once. When the client leaves or the server stops, the wait is cancelled through Asio's per-operation
  /// cancellation (a timer, a channel or a socket awaited here supports it); whatever it then returns or throws ends
  /// the stream.
  virtual Awaitable<std::optional<std::string>> next() = 0;
};

/// What a handler fills in. The server reuses it for the next request, so that `body` keeps its memory.
class Response {
 public:
  int status = 200;                                    ///< 200 to 599
  std::string_view content_type = "application/json";  ///< must outlive the sending: a literal
  std::string body;                                    ///< not sent for 204 and 304; for HEAD only its length is

  /// When set, `body` and `content_type` are ignored and the events are sent as text/event-stream until the source
  /// ends; then the connection is closed.
  std::unique_ptr<EventSource> events;

  /// Adds a header besides Content-Type, Content-Length, Date and Connection, which the server writes. Asserts that
  /// neither part holds a control character, since that would let a value forge headers.
  void add_header(std::string_view name, std::string_view value);

  /// The lines made by add_header, each with its CRLF.
  [[nodiscard]] std::string_view extra_headers() const noexcept { return extra_headers_; }

  /// Back to a fresh 200; keeps the memory of `body` unless it is more than kKeptBodyBytes.
  void reset();

  /// One large answer must not hold its memory for as long as the connection lives.
  static constexpr std::size_t kKeptBodyBytes = 64 * 1024;

 private:
  std::string extra_headers_;
};

}  // namespace turnout::http
