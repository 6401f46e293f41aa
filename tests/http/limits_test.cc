#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "http/test_client.h"
#include "http/test_server.h"

namespace turnout::http {
namespace {

class QuickServerTest : public ::testing::Test {
 protected:
  QuickServerTest() : server_(quick_options()) { server_.start(); }

  TestServer server_;
};

TEST_F(QuickServerTest, SlowRequestsAreAnswered408) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"head", "POST /echo HTTP/1.1\r\nHo"},
      {"body", "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc"},
      {"chunked body", "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\na\r\nabc"},
      {"after a whole one", get_request("/echo") + "GET /ec"},
  };
  for (const auto& [name, bytes] : cases) {
    SCOPED_TRACE(name);
    TestClient client(server_.port());
    client.send(bytes);
    if (name == "after a whole one") {
      EXPECT_EQ(client.receive().status, 200);
    }
    const ReceivedResponse response = client.receive();
    EXPECT_EQ(response.status, 408);
    EXPECT_EQ(response.body, "request_timeout");
    EXPECT_EQ(response.headers.at("connection"), "close");
    EXPECT_TRUE(client.at_end());
  }
}

TEST_F(QuickServerTest, DrippingBytesGainNoTime) {
  TestClient client(server_.port());
  std::size_t sent = 0;
  const std::string request = get_request("/echo", "X: " + std::string(4000, 'x') + "\r\n");
  const auto begin = std::chrono::steady_clock::now();
  // Each byte is an arrival of its own, spread over more than the time-out.
  while (sent < request.size() && server_.counters().request_errors == 0) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::microseconds(500) * sent) {
      client.send(request.substr(sent++, 1));
    }
  }
  EXPECT_LT(sent, request.size());
  EXPECT_EQ(client.receive().status, 408);
}

/// Sends `piece` again and again, never far ahead of the server and never behind it, until the server has had enough.
void flood(TestClient& client, TestServer& server, const std::string& piece) {
  constexpr std::uint64_t kAhead = 256 * 1024;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  std::uint64_t sent = server.counters().bytes_received;
  while (server.counters().request_errors == 0 && std::chrono::steady_clock::now() < end) {
    if (sent - server.counters().bytes_received > kAhead) {
      std::this_thread::yield();
    } else if (client.send(piece)) {
      sent += piece.size();
    }
  }
}

TEST_F(QuickServerTest, BytesThatKeepArrivingGainNoTime) {
  TestClient client(server_.port());
  client.send("POST /batch HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  std::string chunks;
  for (int i = 0; i < 256; ++i) chunks.append(250, '0').append("1\r\nx\r\n");
  flood(client, server_, chunks);
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_TRUE(client.at_end());
}

TEST_F(QuickServerTest, EmptyLinesDoNotUseUpTheTimeOfTheNextRequest) {
  TestClient client(server_.port());
  client.send("\r");
  EXPECT_TRUE(server_.eventually([&] { return server_.counters().bytes_received == 1; }));
  client.send("\n");
  EXPECT_TRUE(server_.eventually([&] { return server_.counters().bytes_received == 2; }));
  const auto begin = std::chrono::steady_clock::now();
  client.send("GET /ec");
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(150));
}

TEST_F(QuickServerTest, IdleConnectionsAreClosedSilently) {
  TestClient never_spoke(server_.port());
  TestClient spoke(server_.port());
  spoke.send(get_request("/echo"));
  EXPECT_EQ(spoke.receive().status, 200);
  EXPECT_TRUE(never_spoke.at_end());
  EXPECT_TRUE(spoke.at_end());
  EXPECT_FALSE(spoke.reset());
  EXPECT_EQ(server_.counters().request_errors, 0U);
}

TEST_F(QuickServerTest, AHandlerMayTakeLongerThanTheTimeouts) {
  TestClient idle(server_.port());
  TestClient client(server_.port());
  client.send(get_request("/hold"));
  ASSERT_TRUE(server_.handler().wait_for_held(1));
  EXPECT_TRUE(idle.at_end());  // so the time-outs have passed
  server_.run([&] { server_.handler().release(); });
  EXPECT_EQ(client.receive().status, 200);
}

TEST_F(QuickServerTest, SlowReadersAreDropped) {
  TestClient client(server_.port());
  client.send(get_request("/large"));
  EXPECT_TRUE(server_.eventually([&] { return server_.counters().requests == 1; }));
  EXPECT_TRUE(server_.eventually([&] { return server_.counters().connections_open == 0; }));
  EXPECT_FALSE(client.receive().complete);
}

TEST_F(QuickServerTest, SlowReadersOfEventsAreDropped) {
  TestClient client(server_.port());
  client.send(get_request("/flood"));
  EXPECT_TRUE(server_.eventually([&] { return server_.counters().requests == 1; }));
  EXPECT_TRUE(server_.eventually([&] { return server_.counters().connections_open == 0; }));
}

class LimitsTest : public ::testing::Test {
 protected:
  LimitsTest() { server_.start(); }

  TestServer server_;
};

TEST_F(LimitsTest, HeaderOfEightKibibytes) {
  TestClient fits(server_.port());
  const std::size_t overhead = get_request("/echo", "X: \r\n").size();
  fits.send(get_request("/echo", "X: " + std::string(8192 - overhead, 'x') + "\r\n"));
  EXPECT_EQ(fits.receive().status, 200);
  TestClient too_large(server_.port());
  too_large.send(get_request("/echo", "X: " + std::string(8193 - overhead, 'x') + "\r\n"));
  EXPECT_EQ(too_large.receive().status, 431);
  TestClient long_target(server_.port());
  long_target.send("GET /" + std::string(8192, 'x'));
  EXPECT_EQ(long_target.receive().status, 414);
}

TEST_F(LimitsTest, EndlessFramingIsRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", std::string(100'000, '0')},
      {"", [] {
         std::string lines;
         for (int i = 0; i < 50'000; ++i) lines += "\r\n";
         return lines;
       }()}};
  for (const auto& [start, endless] : cases) {
    SCOPED_TRACE(start);
    TestClient client(server_.port());
    client.send(start + endless);
    EXPECT_EQ(client.receive().status, 400);
    EXPECT_TRUE(client.at_end());
  }
}

TEST_F(LimitsTest, BodyDependsOnThePath) {
  const std::string large(TestHandler::kBodyBytes + 1, 'x');
  TestClient client(server_.port());
  client.send(post_request("/echo", large.substr(1)));
  EXPECT_EQ(client.receive().status, 200);
  client.send(post_request("/batch", std::string(TestHandler::kBatchBytes, 'x')));
  EXPECT_EQ(client.receive().body.size(), TestHandler::kBatchBytes + std::string("POST /batch||").size());
  client.send(post_request("/echo", large));
  EXPECT_EQ(client.receive().status, 413);
}

TEST_F(LimitsTest, ARefusedBodyDoesNotDestroyTheAnswer) {
  TestClient client(server_.port());
  // More than the buffers of both sides, so that the client can only finish when the server goes on reading.
  EXPECT_TRUE(client.send(post_request("/echo", std::string(3'500'000, 'x'))));
  const ReceivedResponse response = client.receive();
  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(response.body, "body_too_large");
  EXPECT_TRUE(client.at_end());
  EXPECT_FALSE(client.reset());
}

TEST_F(LimitsTest, AnEndlessRefusedBodyIsNotReadForEver) {
  TestClient client(server_.port());
  client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n");
  const std::string piece(1'000'000, 'x');
  int pieces = 0;
  while (pieces < 1000 && client.send(piece)) {
    ++pieces;
  }
  EXPECT_LT(pieces, 100);
}

TEST(ConnectionLimit, BeyondItClientsGet503) {
  ServerOptions options = patient_options();
  options.max_connections = 2;
  TestServer server(options);
  server.start();
  auto first = std::make_unique<TestClient>(server.port());
  TestClient second(server.port());
  for (TestClient* client : {first.get(), &second}) {
    client->send(get_request("/echo"));
    EXPECT_EQ(client->receive().status, 200);
  }
  TestClient third(server.port());
  third.send(get_request("/echo"));
  const ReceivedResponse refused = third.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.body, "too_many_connections");
  EXPECT_TRUE(third.at_end());
  third.close();
  EXPECT_EQ(server.counters().connections_refused, 1U);
  first.reset();
  EXPECT_TRUE(server.eventually([&] { return server.counters().connections_open == 1; }));
  TestClient fourth(server.port());
  fourth.send(get_request("/echo"));
  EXPECT_EQ(fourth.receive().status, 200);
}

TEST(ConnectionLimit, FarBeyondItClientsAreClosed) {
  ServerOptions options = patient_options();
  options.max_connections = 1;
  TestServer server(options);
  server.start();
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(std::make_unique<TestClient>(server.port()));
  }
  EXPECT_TRUE(server.eventually([&] { return server.counters().connections_refused == 99; }));
  EXPECT_LE(server.counters().connections_open, 65U);
  EXPECT_TRUE(clients.back()->at_end());
}

/// Lets no further file descriptor be opened while it lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    const int lowest_free = ::fcntl(0, F_DUPFD, 0);
    ::close(lowest_free);
    now.rlim_cur = static_cast<rlim_t>(lowest_free);
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(LimitsTest, RunningOutOfDescriptorsPassesOver) {
  TestClient established(server_.port());
  established.send(get_request("/echo"));
  EXPECT_EQ(established.receive().status, 200);
  std::unique_ptr<TestClient> waiting;
  {
    // The kernel completes the connection, but the server cannot take it.
    TestClient occupant(server_.port());
    occupant.send(get_request("/echo"));
    EXPECT_EQ(occupant.receive().status, 200);
    const int spare = ::fcntl(0, F_DUPFD, 0);
    auto none = std::make_unique<NoDescriptors>();
    ::close(spare);
    waiting = std::make_unique<TestClient>(server_.port());  // takes the spare one
    waiting->send(get_request("/echo"));
    established.send(get_request("/echo"));
    EXPECT_EQ(established.receive().status, 200);
    EXPECT_EQ(server_.counters().connections_accepted, 2U);
  }
  EXPECT_EQ(waiting->receive().status, 200);
}

}  // namespace
}  // namespace turnout::http
