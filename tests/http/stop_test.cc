#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "http/test_client.h"
#include "http/test_server.h"

namespace turnout::http {
namespace {

/// Longer than any test takes.
constexpr DurationMs kLongGrace = kMinute;

class StopTest : public ::testing::Test {
 protected:
  StopTest() { server_.start(); }

  TestServer server_;
};

TEST_F(StopTest, FinishesRequestsInProgress) {
  TestClient handled(server_.port());
  handled.send(post_request("/hold", "abc"));
  ASSERT_TRUE(server_.handler().wait_for_held(1));
  TestClient received(server_.port());
  const std::string request = post_request("/echo", "later");
  received.send(request.substr(0, 20));
  EXPECT_TRUE(server_.eventually([&] { return server_.counters().connections_open == 2; }));
  EXPECT_TRUE(server_.eventually(
      [&] { return server_.counters().bytes_received >= 20 + post_request("/hold", "abc").size(); }));

  std::future<void> stopped = server_.stop(kLongGrace);
  received.send(request.substr(20));
  const ReceivedResponse late = received.receive();
  EXPECT_EQ(late.body, "POST /echo||later");
  EXPECT_EQ(late.headers.at("connection"), "close");
  EXPECT_TRUE(received.at_end());
  received.close();
  server_.run([&] { server_.handler().release(); });
  const ReceivedResponse response = handled.receive();
  EXPECT_EQ(response.body, "POST /hold||abc");
  EXPECT_EQ(response.headers.at("connection"), "close");
  EXPECT_TRUE(handled.at_end());
  handled.close();
  stopped.get();
  EXPECT_EQ(server_.counters().connections_open, 0U);
}

TEST_F(StopTest, AnswersAllPipelinedRequests) {
  TestClient client(server_.port());
  client.send(get_request("/hold") + get_request("/echo"));
  ASSERT_TRUE(server_.handler().wait_for_held(1));
  std::future<void> stopped = server_.stop(kLongGrace);
  server_.run([&] { server_.handler().release(); });
  EXPECT_FALSE(client.receive().headers.contains("connection"));
  const ReceivedResponse last = client.receive();
  EXPECT_EQ(last.body, "GET /echo||");
  EXPECT_EQ(last.headers.at("connection"), "close");
  client.close();
  stopped.get();
}

TEST_F(StopTest, ClosesIdleConnectionsAtOnce) {
  TestClient idle(server_.port());
  idle.send(get_request("/echo"));
  EXPECT_EQ(idle.receive().status, 200);
  server_.stop(kLongGrace).get();
  EXPECT_TRUE(idle.at_end());
  EXPECT_EQ(server_.counters().connections_open, 0U);
}

TEST_F(StopTest, EndsEventStreamsProperly) {
  TestClient client(server_.port());
  client.send(get_request("/events"));
  ASSERT_TRUE(server_.handler().wait_for_held(1));
  std::future<void> stopped = server_.stop(kLongGrace);
  const ReceivedResponse response = client.receive();
  EXPECT_EQ(response.body, "data: x\n\ndata: x\n\n");
  EXPECT_TRUE(response.complete);
  client.close();
  stopped.get();
}

TEST_F(StopTest, DropsWhatOutlivesTheGrace) {
  TestClient client(server_.port());
  client.send(get_request("/hold"));
  ASSERT_TRUE(server_.handler().wait_for_held(1));
  server_.stop(20).get();
  EXPECT_TRUE(client.at_end());
  server_.run([&] { server_.handler().release(); });
  EXPECT_TRUE(server_.eventually([&] { return server_.counters().connections_open == 0; }));
}

TEST(Stop, AnswersWhatTheKernelHadAccepted) {
  TestServer server;
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<TestClient>(server.port()));
    clients.back()->send(get_request("/echo"));
  }
  std::future<void> stopped = server.stop(kLongGrace);
  server.start();
  for (const auto& client : clients) {
    const ReceivedResponse response = client->receive();
    EXPECT_EQ(response.body, "GET /echo||");
    EXPECT_EQ(response.headers.at("connection"), "close");
    client->close();
  }
  stopped.get();
}

TEST(Stop, LetsTheEventLoopEnd) {
  boost::asio::io_context context;
  TestHandler handler(context.get_executor());
  auto listener = Listener::open(context, patient_options(), handler);
  ASSERT_TRUE(listener.ok());
  boost::asio::co_spawn(context, (*listener)->stop(kLongGrace), boost::asio::detached);
  context.run();
  EXPECT_TRUE(context.stopped());
}

}  // namespace
}  // namespace turnout::http
