#include <gtest/gtest.h>

#include "http/test_client.h"
#include "http/test_server.h"
#include "support/count_allocations.h"

namespace turnout::http {
namespace {

TEST(Allocation, AWarmConnectionAllocatesNothing) {
  TestServer server;
  server.start();
  TestClient client(server.port());
  const std::string requests =
      post_request("/echo", std::string(150, 'x')) +
      get_request("/echo?a=b", "Authorization: Bearer some-token-of-usual-length\r\n") +
      "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  const auto exchange = [&] {
    ASSERT_TRUE(client.send(requests));
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(client.receive().status, 200);
    }
  };
  exchange();
  std::size_t before = 0;
  std::size_t after = 0;
  server.run([&] { before = allocations; });
  for (int round = 0; round < 50; ++round) {
    exchange();
  }
  server.run([&] { after = allocations; });
  EXPECT_EQ(after - before, 0U);
}

}  // namespace
}  // namespace turnout::http
