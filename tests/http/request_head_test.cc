#include "http/request_head.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "http/beast_head.h"

namespace turnout::http {
namespace {

const std::vector<std::string> kRequestLines = {
    "GET / HTTP/1.1\r\n",
    "POST /v1/route HTTP/1.1\r\n",
    "PUT /a?b=c?d HTTP/1.0\r\n",
    "DELETE http://host/a?b HTTP/1.1\r\n",
    "GET https://host?a=/ HTTP/1.1\r\n",
    "OPTIONS * HTTP/1.1\r\n",
    "BREW /a\x80 HTTP/1.1\r\n",
    "GET /%41~!$&'()*+,;=:@[]{}|\\^`\"<> HTTP/1.1\r\n",
    "HEAD /a HTTP/1.2\r\n",
    "G\tET /a HTTP/1.1\r\n",
    "GET /a  HTTP/1.1\r\n",
    "GET /a HTTP/1.1 \r\n",
    "GET /a HTTP/1.1\n",
};

const std::vector<std::string> kFields = {
    "Host: h\r\n",
    "host:h:80\r\n",
    "Host: a b\r\n",
    "Host:\r\n",
    "Content-Type:  application/json\t \r\n",
    "Authorization: Bearer \xc3\xa9\r\n",
    "Content-Length: 2\r\n",
    "CONTENT-LENGTH: 3\r\n",
    "Content-Length: 2, 2\r\n",
    "Content-Length: 2,, 2\r\n",
    "Content-Length: ,2\r\n",
    "Content-Length: 2,\r\n",
    "Content-Length: +2\r\n",
    "Content-Length: 0x2\r\n",
    "Content-Length: 2 2\r\n",
    "Content-Length: 00000000000000000000000000002\r\n",
    "Content-Length: 18446744073709551615\r\n",
    "Content-Length: 18446744073709551616\r\n",
    "Content-Length:\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: Chunked \r\n",
    "Transfer-Encoding: chunked, chunked\r\n",
    "Transfer-Encoding: xchunked\r\n",
    "Transfer-Encoding\x0b: chunked\r\n",
    "Connection: close\r\n",
    "Connection: Keep-Alive\r\n",
    "Connection: te , close,\r\n",
    "Connection: ,,\r\n",
    "Connection: a b\r\n",
    "Connection: a;b\r\n",
    "Proxy-Connection: keep-alive\r\n",
    "Expect: 100-Continue\r\n",
    "Expect: 200-ok\r\n",
    "Upgrade: h2c\r\n",
    "X: a\r\n b\r\n",
    "X:\r\n\t\r\n",
    "X: a\rb\r\n",
    "X: a\nb\r\n",
    "X: a\n",
    "X: \x7f\r\n",
    "X : a\r\n",
    ": a\r\n",
    "X\r\n",
    "\r\r\n",
};

/// A head whose parts are good or bad, ended or not, in which a character may have been replaced.
rc::Gen<std::string> heads() {
  return rc::gen::exec([] {
    std::string head = *rc::gen::elementOf(kRequestLines);
    for (const std::string& field : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kFields))) {
      head += field;
    }
    if (*rc::gen::inRange(0, 4) != 0) head += "\r\n";
    if (*rc::gen::inRange(0, 4) == 0) {
      head[*rc::gen::inRange<std::size_t>(0, head.size())] = *rc::gen::arbitrary<char>();
    }
    return head;
  });
}

TEST(RequestHead, BeastDoesNotContradictAnyPartOfIt) {
  for (const std::string& line : kRequestLines) {
    for (const std::string& first : kFields) {
      for (const std::string& second : kFields) {
        const std::string head = line + "Host: h\r\n" + first + second + "\r\n";
        ASSERT_EQ(contradiction(head), "") << head;
      }
      const std::string head = line + first + "Host: h\r\n\r\nbody";
      for (std::size_t size = 0; size <= head.size(); ++size) {
        ASSERT_EQ(contradiction(head.substr(0, size)), "") << head.substr(0, size);
      }
    }
  }
}

TEST(RequestHead, BeastContradictsNoByteAnywhere) {
  const std::string head = "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 10\r\nX: y\r\n\r\n";
  for (std::size_t place = 0; place < head.size(); ++place) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = head;
      changed[place] = static_cast<char>(byte);
      ASSERT_EQ(contradiction(changed), "") << place << " is " << byte;
      changed.insert(place, 1, head[place]);
      ASSERT_EQ(contradiction(changed), "") << byte << " put in at " << place;
    }
  }
}

RC_GTEST_PROP(RequestHead, BeastDoesNotContradict, ()) {
  const std::string head = *heads();
  RC_ASSERT(contradiction(head) == "");
  RC_ASSERT(contradiction(head.substr(0, *rc::gen::inRange<std::size_t>(0, head.size() + 1))) == "");
}

TEST(RequestHead, KnowsHeadersHoweverTheyAreSpelt) {
  for (const auto& [fields, text] : std::vector<std::pair<std::string, std::string>>{
           {"HOST: a\r\nCONTENT-TYPE: b\r\nAUTHORIZATION: c\r\nCONNECTION: close\r\n", "a b c close"},
           {"host: a\r\ncontent-type: b\r\nauthorization: c\r\nproxy-connection: CLOSE\r\n", "a b c close"},
           {"Host: a\r\nContent-Types: b\r\nAuthorisation: c\r\nConnektion: close\r\n", "a   keep"}}) {
    const std::string bytes = "GET / HTTP/1.1\r\n" + fields + "\r\n";
    const HeadOutcome outcome = parse_head(bytes, bytes.size());
    const auto* head = std::get_if<RequestHead>(&outcome);
    ASSERT_NE(head, nullptr) << fields;
    std::string found;
    for (const Slice part : {head->host, head->content_type, head->authorization}) {
      found.append(part.of(bytes)).append(" ");
    }
    EXPECT_EQ(found + (head->keep_alive ? "keep" : "close"), text);
  }
}

}  // namespace
}  // namespace turnout::http
