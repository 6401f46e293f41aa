#include "http/response_writer.h"

#include <gtest/gtest.h>

namespace turnout::http {
namespace {

ResponseFraming framing(bool keep_alive = true) {
  ResponseFraming framing;
  framing.date_line = "Date: D\r\n";
  framing.keep_alive = keep_alive;
  return framing;
}

std::string written(const Response& response, const ResponseFraming& how) {
  std::string out = "before ";
  append_response(response, how, out);
  return out;
}

TEST(ResponseWriter, WritesHeadAndBody) {
  Response response;
  response.body = "{}";
  EXPECT_EQ(written(response, framing()),
            "before HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nDate: D\r\n\r\n{}");
}

TEST(ResponseWriter, WritesExtraHeaders) {
  Response response;
  response.status = 503;
  response.content_type = "application/problem+json";
  response.body = "x";
  response.add_header("Retry-After", "2");
  EXPECT_EQ(written(response, framing(false)),
            "before HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nContent-Length: 1\r\n"
            "Date: D\r\nConnection: close\r\nRetry-After: 2\r\n\r\nx");
}

TEST(ResponseWriter, EmptyBodyHasNoType) {
  EXPECT_EQ(written(Response(), framing()), "before HTTP/1.1 200 OK\r\nContent-Length: 0\r\nDate: D\r\n\r\n");
}

TEST(ResponseWriter, NoContentHasNoLength) {
  for (const auto& [status, line] : {std::pair(204, "204 No Content"), std::pair(304, "304 Not Modified")}) {
    Response response;
    response.status = status;
    response.body = "never sent";
    EXPECT_EQ(written(response, framing()), "before HTTP/1.1 " + std::string(line) + "\r\nDate: D\r\n\r\n");
  }
}

TEST(ResponseWriter, HeadHasLengthWithoutBody) {
  Response response;
  response.body = "12345";
  ResponseFraming how = framing();
  how.head_only = true;
  EXPECT_EQ(written(response, how),
            "before HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\nDate: D\r\n\r\n");
}

TEST(ResponseWriter, OldClientIsToldThatTheConnectionStays) {
  ResponseFraming how = framing();
  how.http_1_0 = true;
  EXPECT_EQ(written(Response(), how),
            "before HTTP/1.1 200 OK\r\nContent-Length: 0\r\nDate: D\r\nConnection: keep-alive\r\n\r\n");
}

TEST(ResponseWriter, UnusualStatusHasAnEmptyReason) {
  Response response;
  response.status = 418;
  EXPECT_EQ(written(response, framing()), "before HTTP/1.1 418 \r\nContent-Length: 0\r\nDate: D\r\n\r\n");
}

TEST(ResponseWriter, WritesEventStream) {
  std::string out;
  append_event_stream_head(Response(), framing(false), out);
  EXPECT_EQ(out,
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
            "Transfer-Encoding: chunked\r\nDate: D\r\nConnection: close\r\n\r\n");
  out.clear();
  append_chunk("data: 0123456789\n\n", out);
  EXPECT_EQ(out, "12\r\ndata: 0123456789\n\n\r\n");
}

TEST(ResponseWriter, FormatsDates) {
  EXPECT_EQ(format_date_line(0), "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n");
  EXPECT_EQ(format_date_line(784111777000), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
  EXPECT_EQ(format_date_line(1709251199999), "Date: Thu, 29 Feb 2024 23:59:59 GMT\r\n");
}

TEST(Response, ResetKeepsOnlySmallMemory) {
  Response response;
  response.status = 404;
  response.body.assign(100, 'x');
  response.add_header("X", "y");
  response.reset();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.extra_headers(), "");
  EXPECT_GE(response.body.capacity(), 100U);
  response.body.assign(1'000'000, 'x');
  response.reset();
  EXPECT_LT(response.body.capacity(), 1000U);
}

TEST(ResponseDeathTest, HeaderCannotForgeAnother) {
  Response response;
  EXPECT_DEATH(response.add_header("X", "a\r\nSet-Cookie: b"), "has_control_character");
  EXPECT_DEATH(response.add_header("X\r\nY", "a"), "has_control_character");
}

}  // namespace
}  // namespace turnout::http
