#include "http/request_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "http/parse_transcript.h"

namespace turnout::http {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

struct Case {
  std::string name;
  std::string bytes;
  Transcript expected;  ///< a failure is compared by its beginning, the status
};

std::string post(const std::string& headers, const std::string& body) {
  return "POST /p HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n" + body;
}

std::string get(const std::string& headers) { return "GET / HTTP/1.1\r\n" + headers + "\r\n"; }

std::string with_target(const std::string& target) { return "GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n"; }

std::string empty_lines(std::size_t count) {
  std::string lines;
  for (std::size_t i = 0; i < count; ++i) lines += "\r\n";
  return lines;
}

/// A chunk whose size line is, with its CR, of this many bytes.
std::string chunk_of_two(std::size_t size_line) { return std::string(size_line - 2, '0') + "2\r\nhi\r\n"; }

std::vector<Case> good_cases() {
  return {
      {"plain", get("Host: example.org:8080\r\n"), {"GET|/||example.org:8080||||keep"}},
      {"query", with_target("/v1/x?top=5&y=%20?z"), {"GET|/v1/x|top=5&y=%20?z|h||||keep"}},
      {"empty query", with_target("/x?"), {"GET|/x||h||||keep"}},
      {"absolute", with_target("http://example.org/v1?a=b"), {"GET|/v1|a=b|h||||keep"}},
      {"absolute, upper case", with_target("HTTPS://example.org/"), {"GET|/||h||||keep"}},
      {"absolute without path", with_target("http://example.org"), {"GET|/||h||||keep"}},
      {"absolute, query only", with_target("http://example.org?a=/"), {"GET|/|a=/|h||||keep"}},
      {"asterisk", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", {"OPTIONS|*||h||||keep"}},
      {"own method", "BREW /pot HTTP/1.1\r\nHost: h\r\n\r\n", {"BREW|/pot||h||||keep"}},
      {"known headers",
       post("content-type:  text/plain \r\nAuthorization: Bearer t\r\nContent-Length: 2\r\n", "hi"),
       {"POST|/p||h|text/plain|Bearer t|hi|keep"}},
      {"body with zero bytes",
       post("Content-Length: 3\r\n", std::string("a\0b", 3)),
       {std::string("POST|/p||h|||a\0b|keep", 21)}},
      {"same length twice", post("Content-Length: 2\r\nContent-Length: 2\r\n", "hi"), {"POST|/p||h|||hi|keep"}},
      {"close", get("Host: h\r\nConnection: close\r\n"), {"GET|/||h||||close"}},
      {"empty host", get("Host:\r\n"), {"GET|/||||||keep"}},
      {"1.0", "GET / HTTP/1.0\r\n\r\n", {"GET|/||||||close"}},
      {"1.0 keep-alive", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", {"GET|/||||||keep"}},
      {"empty lines before", "\r\n\r\n" + with_target("/"), {"GET|/||h||||keep"}},
      {"many empty lines before", empty_lines(RequestParser::kMaxEmptyLines) + with_target("/"), {"GET|/||h||||keep"}},
      {"many empty lines before each",
       empty_lines(RequestParser::kMaxEmptyLines) + with_target("/") + empty_lines(RequestParser::kMaxEmptyLines) +
           with_target("/b"),
       {"GET|/||h||||keep", "GET|/b||h||||keep"}},
      {"two requests",
       post("Content-Length: 2\r\n", "hi") + with_target("/b"),
       {"POST|/p||h|||hi|keep", "GET|/b||h||||keep"}},
      {"line after body",
       post("Content-Length: 2\r\n", "hi\r\n") + with_target("/b"),
       {"POST|/p||h|||hi|keep", "GET|/b||h||||keep"}},
      {"chunked",
       post("Transfer-Encoding: chunked\r\n", "4\r\nabcd\r\n0A\r\n0123456789\r\n0\r\n\r\n"),
       {"POST|/p||h|||abcd0123456789|keep"}},
      {"chunked empty", post("Transfer-Encoding: Chunked\r\n", "0\r\n\r\n"), {"POST|/p||h||||keep"}},
      {"chunk extension",
       post("Transfer-Encoding: chunked\r\n", "2;a=\"b\" ; c\r\nhi\r\n000\r\n\r\n"),
       {"POST|/p||h|||hi|keep"}},
      {"longest chunk size line",
       post("Transfer-Encoding: chunked\r\n", chunk_of_two(ChunkedDecoder::kMaxSizeLine) + "0\r\n\r\n"),
       {"POST|/p||h|||hi|keep"}},
      {"several long chunk size lines",
       post("Transfer-Encoding: chunked\r\n",
            chunk_of_two(ChunkedDecoder::kMaxSizeLine) + chunk_of_two(ChunkedDecoder::kMaxSizeLine) + "0\r\n\r\n"),
       {"POST|/p||h|||hihi|keep"}},
      {"trailers do not count",
       post("Transfer-Encoding: chunked\r\n", "2\r\nhi\r\n0\r\nAuthorization: forged\r\nX: y\r\n\r\n"),
       {"POST|/p||h|||hi|keep"}},
      {"after chunked",
       post("Transfer-Encoding: chunked\r\n", "1\r\nx\r\n0\r\n\r\n") + with_target("/b"),
       {"POST|/p||h|||x|keep", "GET|/b||h||||keep"}},
      {"truncated head", "GET / HTTP/1.1\r\nHost: h\r\n", {}},
      {"truncated body", post("Content-Length: 5\r\n", "hi"), {}},
      {"truncated chunk", post("Transfer-Encoding: chunked\r\n", "5\r\nhi"), {}},
  };
}

std::vector<Case> bad_cases() {
  return {
      {"garbage", "hello world\r\n\r\n", {"400"}},
      {"TLS hello", std::string("\x16\x03\x01\x02\x00\x01\x00", 7), {"400"}},
      {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {"400"}},
      {"no version", "GET /\r\n\r\n", {"400"}},
      {"two spaces", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n", {"400"}},
      {"relative target", with_target("v1"), {"400"}},
      {"other scheme", with_target("ftp://h/"), {"400"}},
      {"no authority", with_target("http:///x"), {"400"}},
      {"asterisk for GET", with_target("*"), {"400"}},
      {"CONNECT", "CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", {"400"}},
      {"zero byte in target", with_target(std::string("/a\0b", 4)), {"400"}},
      {"control byte in target", with_target("/a\x01"), {"400"}},
      {"delete in target", with_target("/a\x7f"), {"400"}},
      {"not ASCII in target", with_target("/\xc3\xa9"), {"400"}},
      {"zero byte in header", get(std::string("Host: h\r\nX: a\0b\r\n", 17)), {"400"}},
      {"control byte in header", get("Host: h\r\nX: a\x02\r\n"), {"400"}},
      {"bare line feed", "GET / HTTP/1.1\nHost: h\n\n", {"400"}},
      {"bare carriage return", get("Host: h\r\nX: a\rb\r\n"), {"400"}},
      {"space before colon", get("Host : h\r\n"), {"400"}},
      {"no colon", get("Host: h\r\nnonsense\r\n"), {"400"}},
      {"folded", get("Host: h\r\nX: a\r\n b\r\n"), {"400"}},
      {"folded after nothing", get("Host: h\r\nX:\r\n b\r\n"), {"400"}},
      {"space at the first header", get(" Host: h\r\n"), {"400"}},
      {"no host", get("X: y\r\n"), {"400 HTTP/1.1 requires"}},
      {"two hosts", get("Host: h\r\nHost: h\r\n"), {"400 There are several Host"}},
      {"bad host", get("Host: a/b\r\n"), {"400 The Host"}},
      {"two authorizations", get("Host: h\r\nAuthorization: a\r\nAuthorization: b\r\n"), {"400"}},
      {"two content types", get("Host: h\r\nContent-Type:\r\nContent-Type: b\r\n"), {"400"}},
      {"length and chunked", post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), {"400"}},
      {"chunked and length", post("Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", "0\r\n\r\n"), {"400"}},
      {"different lengths", post("Content-Length: 2\r\nContent-Length: 3\r\n", "hi"), {"400"}},
      {"different lengths in one", post("Content-Length: 2, 3\r\n", "hi"), {"400"}},
      {"signed length", post("Content-Length: +2\r\n", "hi"), {"400"}},
      {"negative length", post("Content-Length: -2\r\n", "hi"), {"400"}},
      {"length is no number", post("Content-Length: 2x\r\n", "hi"), {"400"}},
      {"empty length", post("Content-Length:\r\n", "hi"), {"400"}},
      {"overflowing length", post("Content-Length: 18446744073709551616\r\n", "hi"), {"400"}},
      {"largest length", post("Content-Length: 18446744073709551615\r\n", "hi"), {"413"}},
      {"body beyond the limit", post("Content-Length: 65537\r\n", ""), {"413"}},
      {"chunk beyond the limit", post("Transfer-Encoding: chunked\r\n", "10001\r\n"), {"413"}},
      {"chunks beyond the limit", post("Transfer-Encoding: chunked\r\n", "1\r\nx\r\n10000\r\n"), {"413"}},
      {"endless chunk size", post("Transfer-Encoding: chunked\r\n", "fffffffffffffffffffff\r\n"), {"413"}},
      {"other coding", post("Transfer-Encoding: gzip\r\n", ""), {"501"}},
      {"coding before chunked", post("Transfer-Encoding: gzip, chunked\r\n", ""), {"501"}},
      {"chunked twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", ""), {"400"}},
      {"chunked in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", {"400"}},
      {"other expectation", post("Expect: a miracle\r\n", ""), {"417"}},
      {"chunk size is no number", post("Transfer-Encoding: chunked\r\n", "x\r\n"), {"400"}},
      {"chunk size is missing", post("Transfer-Encoding: chunked\r\n", "\r\n"), {"400"}},
      {"chunk longer than its size", post("Transfer-Encoding: chunked\r\n", "1\r\nhi\r\n0\r\n\r\n"), {"400"}},
      {"bare line feed after size", post("Transfer-Encoding: chunked\r\n", "1\nx\r\n0\r\n\r\n"), {"400"}},
      {"control byte in extension", post("Transfer-Encoding: chunked\r\n", "1;\x01\r\nx\r\n0\r\n\r\n"), {"400"}},
      {"bare line feed in trailer", post("Transfer-Encoding: chunked\r\n", "0\r\nX: y\nZ: z\r\n\r\n"), {"400"}},
      {"chunk size line too long",
       post("Transfer-Encoding: chunked\r\n", chunk_of_two(ChunkedDecoder::kMaxSizeLine + 1) + "0\r\n\r\n"),
       {"400"}},
      {"chunk size and extension too long",
       post("Transfer-Encoding: chunked\r\n", std::string(200, '0') + "2;" + std::string(54, 'x') + "\r\nhi\r\n"),
       {"400"}},
      {"endless zeros for a chunk size", post("Transfer-Encoding: chunked\r\n", std::string(9000, '0')), {"400"}},
      {"too many empty lines", empty_lines(RequestParser::kMaxEmptyLines + 1) + with_target("/"), {"400"}},
      {"endless empty lines", empty_lines(1000), {"400 There are too many empty lines"}},
      {"endless empty lines after a request",
       with_target("/a") + empty_lines(1000),
       {"GET|/a||h||||keep", "400 There are too many empty lines"}},
      {"endless extension", post("Transfer-Encoding: chunked\r\n", "1;" + std::string(9000, 'x')), {"400"}},
      {"endless trailers", post("Transfer-Encoding: chunked\r\n", "0\r\nX: " + std::string(9000, 'x')), {"400"}},
      {"long target", with_target("/" + std::string(9000, 'x')), {"414"}},
      {"long target, unfinished", "GET /" + std::string(9000, 'x'), {"414"}},
      {"long header", get("Host: h\r\nX: " + std::string(9000, 'x') + "\r\n"), {"431"}},
      {"many headers",
       get("Host: h\r\n" +
           [] {
             std::string many;
             for (int i = 0; i < 1000; ++i) many += "X: yyyyyyyy\r\n";
             return many;
           }()),
       {"431"}},
      {"good before bad", with_target("/a") + "nonsense\r\n\r\n" + with_target("/b"), {"GET|/a||h||||keep", "400"}},
  };
}

void expect_transcript(const Transcript& actual, const Transcript& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (expected[i].find('|') != std::string::npos) {
      EXPECT_EQ(actual[i], expected[i]);
    } else {
      EXPECT_THAT(actual[i], StartsWith(expected[i]));
    }
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases = good_cases();
  for (Case& bad : bad_cases()) {
    cases.push_back(std::move(bad));
  }
  return cases;
}

TEST(RequestParser, ReadsWholeInput) {
  for (const Case& one : all_cases()) {
    SCOPED_TRACE(one.name);
    expect_transcript(read_whole(one.bytes), one.expected);
  }
}

TEST(RequestParser, SaysTheSameWhereverTheInputIsCut) {
  for (const Case& one : all_cases()) {
    SCOPED_TRACE(one.name);
    const Transcript whole = read_whole(one.bytes);
    ASSERT_EQ(read_in_pieces(one.bytes, 1), whole);
    ASSERT_EQ(read_in_pieces(one.bytes, 7), whole);
    // Cuts far inside a long run of filling say nothing new.
    const std::size_t step = one.bytes.size() > 2000 ? 97 : 1;
    for (std::size_t cut = 0; cut <= one.bytes.size(); cut += step) {
      ASSERT_EQ(read_cut(one.bytes, cut), whole) << "cut at " << cut;
    }
  }
}

TEST(RequestParser, HeaderLimitIsExact) {
  const std::string head = get("Host: h\r\nX: 123456789\r\n");
  TranscriptReader fits(head.size());
  fits.feed(head);
  EXPECT_THAT(fits.transcript(), ElementsAre("GET|/||h||||keep"));
  TranscriptReader too_small(head.size() - 1);
  too_small.feed(head);
  EXPECT_THAT(too_small.transcript(), ElementsAre(StartsWith("431")));
}

TEST(RequestParser, BodyLimitIsExact) {
  for (const std::string& bytes : {post("Content-Length: 4\r\n", "abcd"),
                                   post("Transfer-Encoding: chunked\r\n", "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n")}) {
    TranscriptReader fits(8192, 4);
    fits.feed(bytes);
    EXPECT_THAT(fits.transcript(), ElementsAre("POST|/p||h|||abcd|keep"));
    TranscriptReader too_small(8192, 3);
    too_small.feed(bytes);
    EXPECT_THAT(too_small.transcript(), ElementsAre(StartsWith("413")));
  }
}

TEST(RequestParser, AsksForTheBodyLimitOfMethodAndPath) {
  std::string asked;
  RequestParser parser(8192, [&asked](std::string_view method, std::string_view path) {
    asked = std::string(method) + " " + std::string(path);
    return std::size_t{10};
  });
  EXPECT_EQ(parser.parse("POST /v1/batch?x HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n"),
            RequestParser::Step::need_more);
  EXPECT_EQ(asked, "POST /v1/batch");
}

TEST(RequestParser, SaysThatTheClientWaitsForContinue) {
  TranscriptReader waits;
  waits.feed(post("Expect: 100-Continue\r\nContent-Length: 2\r\n", ""));
  EXPECT_TRUE(waits.wants_continue());
  TranscriptReader does_not;
  does_not.feed(post("Content-Length: 2\r\n", ""));
  EXPECT_FALSE(does_not.wants_continue());
  TranscriptReader too_old;
  too_old.feed("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_FALSE(too_old.wants_continue());
}

TEST(Request, FindsAnyHeader) {
  RequestParser parser(8192, [](std::string_view, std::string_view) { return std::size_t{0}; });
  const std::string bytes = get("Host: h\r\nIf-None-Match:  \"x\" \r\nX-Empty:\r\nIf-None-Match: second\r\n");
  ASSERT_EQ(parser.parse(bytes), RequestParser::Step::complete);
  const Request request = parser.request(bytes);
  EXPECT_EQ(request.header("if-none-match"), "\"x\"");
  EXPECT_EQ(request.header("x-empty"), "");
  EXPECT_EQ(request.header("none-match"), "");
  EXPECT_EQ(request.fields, "Host: h\r\nIf-None-Match:  \"x\" \r\nX-Empty:\r\nIf-None-Match: second\r\n");
}

TEST(Request, HasNoHeaderWithoutFields) {
  RequestParser parser(8192, [](std::string_view, std::string_view) { return std::size_t{0}; });
  const std::string bytes = "GET / HTTP/1.0\r\n\r\n";
  ASSERT_EQ(parser.parse(bytes), RequestParser::Step::complete);
  EXPECT_EQ(parser.request(bytes).fields, "");
  EXPECT_EQ(parser.request(bytes).header("host"), "");
}

RC_GTEST_PROP(RequestParser, ChunkedBodyIsWhatWasEncoded, (const std::vector<std::string>& chunks)) {
  std::string encoded;
  std::string body;
  for (const std::string& chunk : chunks) {
    if (!chunk.empty()) {
      std::ostringstream size;
      size << std::hex << chunk.size();
      encoded += size.str() + "\r\n" + chunk + "\r\n";
      body += chunk;
    }
  }
  const std::string bytes = post("Transfer-Encoding: chunked\r\n", encoded + "0\r\n\r\n");
  const std::size_t cut = *rc::gen::inRange<std::size_t>(0, bytes.size() + 1);
  RC_ASSERT(read_cut(bytes, cut) == Transcript{"POST|/p||h|||" + body + "|keep"});
}

RC_GTEST_PROP(RequestParser, AnyBytesSayTheSameWhereverTheyAreCut, (const std::string& noise)) {
  const Case base = *rc::gen::elementOf(all_cases());
  std::string bytes = base.bytes;
  const std::size_t place = *rc::gen::inRange<std::size_t>(0, bytes.size() + 1);
  bytes.replace(place, noise.size(), noise);
  const std::size_t cut = *rc::gen::inRange<std::size_t>(0, bytes.size() + 1);
  RC_ASSERT(read_cut(bytes, cut) == read_whole(bytes));
}

}  // namespace
}  // namespace turnout::http
