#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/test_client.h"
#include "http/test_server.h"

namespace turnout::http {
namespace {

using ::testing::MatchesRegex;

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() { server_.start(); }

  TestServer server_;
};

TEST_F(ServerTest, KeepsTheConnection) {
  TestClient client(server_.port());
  for (const std::string body : {"first", "second", "third"}) {
    client.send(post_request("/echo?a=b", body));
    const ReceivedResponse response = client.receive();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "POST /echo|a=b|" + body);
    EXPECT_EQ(response.headers.at("content-type"), "text/plain");
    EXPECT_THAT(response.headers.at("date"), MatchesRegex("..., .. ... .... ..:..:.. GMT"));
    EXPECT_FALSE(response.headers.contains("connection"));
  }
  const CounterValues counters = server_.counters();
  EXPECT_EQ(counters.connections_accepted, 1U);
  EXPECT_EQ(counters.connections_open, 1U);
  EXPECT_EQ(counters.requests, 3U);
  EXPECT_EQ(counters.request_errors, 0U);
  EXPECT_GT(counters.bytes_received, 150U);
  EXPECT_GT(counters.bytes_sent, 150U);
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  TestClient client(server_.port());
  std::string requests;
  for (int i = 0; i < 200; ++i) {
    requests += post_request("/echo", std::to_string(i));
  }
  client.send(requests);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(client.receive().body, "POST /echo||" + std::to_string(i));
  }
}

TEST_F(ServerTest, AnswersRequestsThatArriveByteByByte) {
  TestClient client(server_.port());
  const std::string request = post_request("/echo", "abc");
  for (const char c : request + request) {
    client.send(std::string_view(&c, 1));
  }
  EXPECT_EQ(client.receive().body, "POST /echo||abc");
  EXPECT_EQ(client.receive().body, "POST /echo||abc");
}

TEST_F(ServerTest, GoodRequestBeforeABadOneIsAnswered) {
  TestClient client(server_.port());
  client.send(post_request("/echo", "good") + "nonsense\r\n\r\n" + post_request("/echo", "never read"));
  EXPECT_EQ(client.receive().body, "POST /echo||good");
  const ReceivedResponse bad = client.receive();
  EXPECT_EQ(bad.status, 400);
  EXPECT_EQ(bad.body, "malformed_request");
  EXPECT_EQ(bad.headers.at("connection"), "close");
  EXPECT_TRUE(client.at_end());
  EXPECT_FALSE(client.reset());
  EXPECT_EQ(server_.counters().request_errors, 1U);
}

TEST_F(ServerTest, ReadsChunkedBodies) {
  TestClient client(server_.port());
  client.send("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  client.send("2\r\nde\r\n0\r\n\r\n" + get_request("/echo"));
  EXPECT_EQ(client.receive().body, "POST /echo||abcde");
  EXPECT_EQ(client.receive().body, "GET /echo||");
}

TEST_F(ServerTest, TellsAWaitingClientToContinue) {
  TestClient client(server_.port());
  for (int round = 0; round < 2; ++round) {
    client.send("POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    EXPECT_EQ(client.receive().status, 100);
    client.send("abc");
    EXPECT_EQ(client.receive().body, "POST /echo||abc");
  }
}

TEST_F(ServerTest, DoesNotAskForABodyItWouldRefuse) {
  TestClient client(server_.port());
  client.send("POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 65537\r\n\r\n");
  EXPECT_EQ(client.receive().status, 413);
}

TEST_F(ServerTest, HeadHasTheLengthButNoBody) {
  TestClient client(server_.port());
  client.send("HEAD /echo HTTP/1.1\r\nHost: h\r\n\r\n" + get_request("/echo"));
  EXPECT_EQ(client.receive(true).headers.at("content-length"), "12");
  EXPECT_EQ(client.receive().body, "GET /echo||");
}

TEST_F(ServerTest, NoContentHasNoBody) {
  TestClient client(server_.port());
  client.send(get_request("/empty") + get_request("/echo"));
  const ReceivedResponse empty = client.receive();
  EXPECT_EQ(empty.status, 204);
  EXPECT_FALSE(empty.headers.contains("content-length"));
  EXPECT_EQ(client.receive().body, "GET /echo||");
}

TEST_F(ServerTest, ClosesWhenAskedTo) {
  TestClient client(server_.port());
  client.send(get_request("/echo", "Connection: close\r\n"));
  EXPECT_EQ(client.receive().headers.at("connection"), "close");
  EXPECT_TRUE(client.at_end());
  EXPECT_FALSE(client.reset());
}

TEST_F(ServerTest, AnswersAfterTheClientFinishedSending) {
  TestClient client(server_.port());
  client.send(get_request("/echo"));
  client.finish_sending();
  EXPECT_EQ(client.receive().body, "GET /echo||");
  EXPECT_TRUE(client.at_end());
}

TEST_F(ServerTest, ServesOldClients) {
  TestClient closes(server_.port());
  closes.send("GET /echo HTTP/1.0\r\n\r\n");
  EXPECT_EQ(closes.receive().headers.at("connection"), "close");
  EXPECT_TRUE(closes.at_end());
  TestClient stays(server_.port());
  for (int round = 0; round < 2; ++round) {
    stays.send("GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(stays.receive().headers.at("connection"), "keep-alive");
  }
}

TEST_F(ServerTest, ExceptionsOfTheHandlerAre500) {
  TestClient client(server_.port());
  for (const char* path : {"/throw", "/throw_int"}) {
    client.send(get_request(path));
    const ReceivedResponse response = client.receive();
    EXPECT_EQ(response.status, 500);
    EXPECT_EQ(response.body, "internal_error");
  }
  client.send(get_request("/echo"));
  EXPECT_EQ(client.receive().status, 200);
}

TEST_F(ServerTest, TellsThePeer) {
  TestClient client(server_.port());
  client.send(get_request("/peer"));
  EXPECT_EQ(client.receive().body, "127.0.0.1 plain");
}

TEST_F(ServerTest, SendsLargeAnswersAndGoesOn) {
  TestClient client(server_.port());
  client.send(get_request("/large") + get_request("/large") + get_request("/echo"));
  EXPECT_EQ(client.receive().body, std::string(TestHandler::kLargeBytes, 'x'));
  EXPECT_EQ(client.receive().body.size(), TestHandler::kLargeBytes);
  EXPECT_EQ(client.receive().body, "GET /echo||");
}

TEST_F(ServerTest, AClientThatLeavesDisturbsNobody) {
  TestClient stays(server_.port());
  stays.send(post_request("/echo", "abc").substr(0, 30));
  {
    TestClient leaves_in_head(server_.port());
    leaves_in_head.send("POST /echo HT");
    TestClient leaves_in_body(server_.port());
    leaves_in_body.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc");
    TestClient leaves_while_handled(server_.port());
    leaves_while_handled.send(get_request("/hold"));
    ASSERT_TRUE(server_.handler().wait_for_held(1));
    TestClient leaves_in_answer(server_.port());
    leaves_in_answer.send(get_request("/large"));
    leaves_in_answer.receive_some();
  }
  server_.run([&] { server_.handler().release(); });
  EXPECT_TRUE(server_.eventually([&] { return server_.counters().connections_open == 1; }));
  stays.send(post_request("/echo", "abc").substr(30));
  EXPECT_EQ(stays.receive().body, "POST /echo||abc");
}

TEST(Server, ListensOnIpv6) {
  ServerOptions options = patient_options();
  options.address = "[::1]";
  TestServer server(options);
  server.start();
  TestClient client(server.port(), true);
  client.send(get_request("/peer"));
  EXPECT_EQ(client.receive().body, "::1 plain");
}

TEST(Server, SharesThePortBetweenThreads) {
  TestServer first;
  boost::asio::io_context context;
  TestHandler handler(context.get_executor());
  auto second = first.listener().open_beside(context, handler);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ((*second)->port(), first.port());
  first.start();
  std::thread thread([&] { context.run(); });
  // The kernel chooses by a hash of the ports; 64 connections that all go one way are as likely as 64 equal throws of a
  // coin.
  for (int i = 0; i < 64; ++i) {
    TestClient client(first.port());
    client.send(get_request("/echo"));
    ASSERT_EQ(client.receive().status, 200);
  }
  CounterValues total = first.counters();
  EXPECT_GT(total.requests, 0U);
  EXPECT_GT((*second)->counters().requests, 0U);
  total += (*second)->counters();
  EXPECT_EQ(total.requests, 64U);
  context.stop();
  thread.join();
}

struct OpenError {
  std::string name;
  std::function<void(ServerOptions&)> spoil;
  std::string message;
};

TEST(Server, SaysWhyItCannotListen) {
  TestServer other;
  const std::vector<OpenError> cases = {
      {"in use", [&](ServerOptions& options) { options.port = other.port(); },
       "cannot listen on 127.0.0.1:[0-9]+: Address already in use"},
      {"no address", [](ServerOptions& options) { options.address = "localhost"; }, "'localhost' is not a numeric.*"},
      {"not ours", [](ServerOptions& options) { options.address = "192.0.2.1"; },
       "cannot listen on 192.0.2.1:0: Cannot assign requested address"},
      {"no certificate",
       [](ServerOptions& options) {
         options.tls = TlsOptions{"/nowhere/c.pem", "/nowhere/k.pem"};
       },
       "cannot use the certificate file /nowhere/c.pem: .*"},
  };
  for (const OpenError& one : cases) {
    SCOPED_TRACE(one.name);
    boost::asio::io_context context;
    TestHandler handler(context.get_executor());
    ServerOptions options = patient_options();
    one.spoil(options);
    const auto opened = Listener::open(context, options, handler);
    ASSERT_FALSE(opened.ok());
    EXPECT_THAT(opened.error().message, MatchesRegex(one.message));
  }
}

}  // namespace
}  // namespace turnout::http
