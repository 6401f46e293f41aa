#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "http/test_certificate.h"
#include "http/test_client.h"
#include "http/test_server.h"

namespace turnout::http {
namespace {

using ::testing::HasSubstr;

class TlsTest : public ::testing::Test {
 protected:
  TlsTest() : server_(with_tls(patient_options())) { server_.start(); }

  ServerOptions with_tls(ServerOptions options) const {
    options.tls = TlsOptions{certificate_.certificate_file(), certificate_.key_file()};
    return options;
  }

  TestCertificate certificate_;
  TestServer server_;
};

TEST_F(TlsTest, ServesRequests) {
  TestClient client(server_.port());
  ASSERT_TRUE(client.start_tls());
  for (int round = 0; round < 3; ++round) {
    client.send(post_request("/echo", "abc") + get_request("/peer"));
    EXPECT_EQ(client.receive().body, "POST /echo||abc");
    EXPECT_EQ(client.receive().body, "127.0.0.1 secure");
  }
  client.send(get_request("/large"));
  EXPECT_EQ(client.receive().body.size(), TestHandler::kLargeBytes);
  client.send(get_request("/echo", "Connection: close\r\n"));
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_TRUE(client.at_end());
}

TEST_F(TlsTest, SpeaksTls12ButNothingOlder) {
  TestClient modern(server_.port());
  EXPECT_TRUE(modern.start_tls(TLS1_2_VERSION));
  TestClient old(server_.port());
  EXPECT_FALSE(old.start_tls(TLS1_1_VERSION));
}

TEST_F(TlsTest, GarbageClosesQuietly) {
  TestClient client(server_.port());
  client.send(get_request("/echo"));
  EXPECT_THAT(client.receive_some(), Not(HasSubstr("HTTP")));
  EXPECT_TRUE(client.at_end());
  EXPECT_EQ(server_.counters().requests, 0U);
  EXPECT_EQ(server_.counters().request_errors, 0U);
}

TEST_F(TlsTest, HandshakeHasATimeout) {
  TestServer quick(with_tls(quick_options()));
  quick.start();
  TestClient client(quick.port());
  client.send("\x16\x03\x01");
  EXPECT_TRUE(client.at_end());
}

TEST_F(TlsTest, SlowRequestIs408) {
  TestServer quick(with_tls(quick_options()));
  quick.start();
  TestClient client(quick.port());
  ASSERT_TRUE(client.start_tls());
  client.send("GET /ec");
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_TRUE(client.at_end());
}

TEST_F(TlsTest, NoticesThatTheClientOfAnEventStreamLeft) {
  auto client = std::make_unique<TestClient>(server_.port());
  ASSERT_TRUE(client->start_tls());
  client->send(get_request("/events"));
  EXPECT_FALSE(client->receive_some().empty());
  client.reset();
  EXPECT_TRUE(server_.eventually([&] { return server_.counters().connections_open == 0; }));
}

TEST_F(TlsTest, StopEndsConnections) {
  TestClient idle(server_.port());
  ASSERT_TRUE(idle.start_tls());
  idle.send(get_request("/echo"));
  EXPECT_EQ(idle.receive().status, 200);
  TestClient streaming(server_.port());
  ASSERT_TRUE(streaming.start_tls());
  streaming.send(get_request("/events"));
  EXPECT_TRUE(server_.eventually([&] { return server_.counters().requests == 2; }));
  std::future<void> stopped = server_.stop(kMinute);
  EXPECT_TRUE(streaming.receive().complete);
  streaming.close();
  stopped.get();
  EXPECT_TRUE(idle.at_end());
}

TEST_F(TlsTest, ConnectionsBeyondTheLimitAreClosed) {
  ServerOptions options = with_tls(patient_options());
  options.max_connections = 0;
  TestServer full(options);
  full.start();
  TestClient client(full.port());
  EXPECT_TRUE(client.at_end());
  EXPECT_EQ(full.counters().connections_refused, 1U);
}

TEST_F(TlsTest, SaysWhichFileIsWrong) {
  const TestCertificate other;
  const std::vector<std::pair<TlsOptions, std::string>> cases = {
      {{certificate_.key_file(), certificate_.key_file()},
       "cannot use the certificate file " + certificate_.key_file()},
      {{certificate_.certificate_file(), certificate_.certificate_file()},
       "cannot use the key file " + certificate_.certificate_file()},
      {{certificate_.certificate_file(), other.key_file()}, other.key_file() + ": key values mismatch"},
  };
  for (const auto& [tls, message] : cases) {
    boost::asio::io_context context;
    TestHandler handler(context.get_executor());
    ServerOptions options = patient_options();
    options.tls = tls;
    const auto opened = Listener::open(context, options, handler);
    ASSERT_FALSE(opened.ok());
    EXPECT_THAT(opened.error().message, HasSubstr(message));
  }
}

}  // namespace
}  // namespace turnout::http
