#include "http/response_writer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>

#include "base/assert.h"

namespace turnout::http {
namespace {

/// The whole status line of the statuses in use, so that the common ones are one copy.
std::string_view status_line(int status) {
  switch (status) {
    case 200:
      return "HTTP/1.1 200 OK\r\n";
    case 201:
      return "HTTP/1.1 201 Created\r\n";
    case 204:
      return "HTTP/1.1 204 No Content\r\n";
    case 304:
      return "HTTP/1.1 304 Not Modified\r\n";
    case 400:
      return "HTTP/1.1 400 Bad Request\r\n";
    case 401:
      return "HTTP/1.1 401 Unauthorized\r\n";
    case 403:
      return "HTTP/1.1 403 Forbidden\r\n";
    case 404:
      return "HTTP/1.1 404 Not Found\r\n";
    case 405:
      return "HTTP/1.1 405 Method Not Allowed\r\n";
    case 408:
      return "HTTP/1.1 408 Request Timeout\r\n";
    case 409:
      return "HTTP/1.1 409 Conflict\r\n";
    case 413:
      return "HTTP/1.1 413 Content Too Large\r\n";
    case 414:
      return "HTTP/1.1 414 URI Too Long\r\n";
    case 415:
      return "HTTP/1.1 415 Unsupported Media Type\r\n";
    case 417:
      return "HTTP/1.1 417 Expectation Failed\r\n";
    case 422:
      return "HTTP/1.1 422 Unprocessable Content\r\n";
    case 429:
      return "HTTP/1.1 429 Too Many Requests\r\n";
    case 431:
      return "HTTP/1.1 431 Request Header Fields Too Large\r\n";
    case 500:
      return "HTTP/1.1 500 Internal Server Error\r\n";
    case 501:
      return "HTTP/1.1 501 Not Implemented\r\n";
    case 503:
      return "HTTP/1.1 503 Service Unavailable\r\n";
    default:
      return {};
  }
}

/// The number and the end of its line.
void append_number_line(std::size_t value, int base, std::string& out) {
  std::array<char, 22> line;
  const auto [end, error] = std::to_chars(line.data(), line.data() + line.size() - 2, value, base);
  TURNOUT_ASSERT(error == std::errc());
  end[0] = '\r';
  end[1] = '\n';
  out.append(line.data(), end + 2);
}

bool is_bodiless(const Response& response) { return response.status == 204 || response.status == 304; }

void append_status_line(int status, std::string& out) {
  TURNOUT_ASSERT(status >= 200 && status <= 599);
  const std::string_view line = status_line(status);
  if (!line.empty()) {
    out.append(line);
    return;
  }
  // The reason phrase may be empty, its space may not be missing.
  out.append("HTTP/1.1 ").append(std::to_string(status)).append(" \r\n");
}

/// Ends the head: Connection only where it differs from what the version implies.
void append_end_of_head(const Response& response, const ResponseFraming& framing, std::string& out) {
  out.append(framing.date_line);
  if (!framing.keep_alive) {
    out.append("Connection: close\r\n");
  } else if (framing.http_1_0) {
    out.append("Connection: keep-alive\r\n");
  }
  if (!response.extra_headers().empty()) {
    out.append(response.extra_headers());
  }
  out.append("\r\n");
}

/// Everything before the Date header.
void append_begin_of_head(const Response& response, std::string& out) {
  if (response.status == 200 && !response.body.empty() && response.content_type == "application/json") {
    // The answer to nearly every call, so the parts are put together beforehand.
    out.append("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ");
    return append_number_line(response.body.size(), 10, out);
  }
  append_status_line(response.status, out);
  if (is_bodiless(response)) {
    return;
  }
  if (!response.body.empty()) {
    out.append("Content-Type: ").append(response.content_type).append("\r\n");
  }
  out.append("Content-Length: ");
  append_number_line(response.body.size(), 10, out);
}

}  // namespace

void append_response(const Response& response, const ResponseFraming& framing, std::string& out) {
  TURNOUT_ASSERT(response.events == nullptr);
  append_begin_of_head(response, out);
  append_end_of_head(response, framing, out);
  if (!framing.head_only && !is_bodiless(response)) {
    out.append(response.body);
  }
}

void append_event_stream_head(const Response& response, const ResponseFraming& framing, std::string& out) {
  append_status_line(response.status, out);
  out.append("Content-Type: text/event-stream\r\nCache-Control: no-cache\r\n");
  if (!framing.http_1_0) {
    out.append("Transfer-Encoding: chunked\r\n");
  }
  append_end_of_head(response, framing, out);
}

void append_chunk(std::string_view data, std::string& out) {
  TURNOUT_ASSERT(!data.empty());
  append_number_line(data.size(), 16, out);
  out.append(data).append("\r\n");
}

std::string format_date_line(TimeMs now) {
  static constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::sys_days(std::chrono::days(now / kDay));
  const std::chrono::year_month_day date(day);
  const auto time_of_day = now % kDay / kSecond;
  return fmt::format("Date: {}, {:02} {} {:04} {:02}:{:02}:{:02} GMT\r\n",
                     kDays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                     kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                     time_of_day / 3600, time_of_day / 60 % 60, time_of_day % 60);
}

}  // namespace turnout::http
