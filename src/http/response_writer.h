#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "http/response.h"

namespace turnout::http {

/// What the request and the state of the connection ask of the answer.
struct ResponseFraming {
  bool head_only = false;      ///< the request was HEAD
  bool http_1_0 = false;       ///< the request was HTTP/1.0
  bool keep_alive = true;      ///< the connection goes on after this answer
  std::string_view date_line;  ///< as format_date_line makes it
};

/// Appends the whole answer to `out`, in order after what is there. Asserts that the status is 200 to 599 and that
/// there are no events.
void append_response(const Response& response, const ResponseFraming& framing, std::string& out);

/// Appends the head of an answer whose body is the events: chunked, or for HTTP/1.0 until the connection closes.
void append_event_stream_head(const Response& response, const ResponseFraming& framing, std::string& out);

/// Appends one chunk of the chunked coding. `data` must not be empty, since that would end the body.
void append_chunk(std::string_view data, std::string& out);

/// The end of a body in chunked coding.
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

/// The interim answer that makes a client send the body it announced with "Expect: 100-continue".
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

/// A Date header with its CRLF (RFC 9110, IMF-fixdate). Example: 784111777000 is "Date: Sun, 06 Nov 1994 08:49:37 GMT".
/// `now` must be from 1970 to 9999.
std::string format_date_line(TimeMs now);

}  // namespace turnout::http
