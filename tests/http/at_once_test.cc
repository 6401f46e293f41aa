#include "http/at_once.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

namespace turnout::http {
namespace {

class AtOnce : public ::testing::Test {
 protected:
  AtOnce() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_.data()), 0); }
  ~AtOnce() override {
    ::close(sockets_[0]);
    close_peer();
  }

  void close_peer() {
    if (peer_is_open_) ::close(sockets_[1]);
    peer_is_open_ = false;
  }

  std::string received() {
    std::array<char, 8> room{};
    return std::string(room.data(), receive_at_once(sockets_[0], room));
  }

  std::array<int, 2> sockets_{};
  bool peer_is_open_ = true;
};

TEST_F(AtOnce, ReceivesWhatIsThereAndWaitsForNothing) {
  EXPECT_EQ(received(), "");
  EXPECT_EQ(send_at_once(sockets_[1], "0123456789"), 10U);
  EXPECT_EQ(received(), "01234567");
  EXPECT_EQ(received(), "89");
  EXPECT_EQ(received(), "");
}

TEST_F(AtOnce, SendsOnlyWhatTheKernelTakes) {
  const std::string much(16 * 1024 * 1024, 'x');
  const std::size_t sent = send_at_once(sockets_[0], much);
  EXPECT_GT(sent, 0U);
  EXPECT_LT(sent, much.size());
  EXPECT_EQ(send_at_once(sockets_[0], much), 0U);
}

TEST_F(AtOnce, NothingGoesToOrComesFromAPeerThatLeft) {
  close_peer();
  EXPECT_EQ(received(), "");
  EXPECT_EQ(send_at_once(sockets_[0], "x"), 0U);
}

}  // namespace
}  // namespace turnout::http
