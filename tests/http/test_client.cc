#include "http/test_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "http/ascii.h"

namespace turnout::http {

TestClient::TestClient(std::uint16_t port, bool ipv6) : socket_(::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0)) {
  const timeval timeout{5, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  int result = 0;
  if (ipv6) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    address.sin6_addr = in6addr_loopback;
    result = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } else {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    result = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  EXPECT_EQ(result, 0) << "connect: " << errno;
}

TestClient::~TestClient() {
  close();
  SSL_free(tls_);
  SSL_CTX_free(tls_context_);
}

void TestClient::close() {
  if (socket_ >= 0) {
    ::close(socket_);
    socket_ = -1;
  }
}

bool TestClient::start_tls(int version) {
  tls_context_ = SSL_CTX_new(TLS_client_method());
  if (version != 0) {
    SSL_CTX_set_security_level(tls_context_, 0);
    SSL_CTX_set_min_proto_version(tls_context_, version);
    SSL_CTX_set_max_proto_version(tls_context_, version);
  }
  tls_ = SSL_new(tls_context_);
  SSL_set_fd(tls_, socket_);
  return SSL_connect(tls_) == 1;
}

bool TestClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = tls_ != nullptr ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                                      : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void TestClient::finish_sending() { ::shutdown(socket_, SHUT_WR); }

bool TestClient::fill() {
  std::array<char, 65536> piece;
  const auto size = tls_ != nullptr ? SSL_read(tls_, piece.data(), static_cast<int>(piece.size()))
                                    : ::recv(socket_, piece.data(), piece.size(), 0);
  if (size <= 0) {
    if (size < 0 && tls_ == nullptr) {
      EXPECT_NE(errno, EAGAIN) << "the server neither answered nor closed";
      reset_ = errno == ECONNRESET;
    }
    return false;
  }
  buffer_.append(piece.data(), static_cast<std::size_t>(size));
  return true;
}

bool TestClient::fill_until(std::string_view mark) {
  while (buffer_.find(mark) == std::string::npos) {
    if (!fill()) {
      return false;
    }
  }
  return true;
}

std::string TestClient::receive_some() {
  if (buffer_.empty()) {
    fill();
  }
  return std::exchange(buffer_, {});
}

bool TestClient::at_end() { return buffer_.empty() && !fill(); }

ReceivedResponse TestClient::receive(bool head_only) {
  ReceivedResponse response;
  if (!fill_until("\r\n\r\n")) {
    return response;
  }
  const std::string head = buffer_.substr(0, buffer_.find("\r\n\r\n") + 2);
  buffer_.erase(0, head.size() + 2);
  response.status = std::stoi(head.substr(9, 3));
  for (std::size_t begin = head.find("\r\n") + 2; begin < head.size(); begin = head.find("\r\n", begin) + 2) {
    std::string name = head.substr(begin, head.find(':', begin) - begin);
    const std::size_t value = begin + name.size() + 2;
    for (char& c : name) {
      c = ascii_lower(c);
    }
    response.headers[name] = head.substr(value, head.find("\r\n", value) - value);
  }
  if (head_only || response.status < 200 || response.status == 204 || response.status == 304) {
    response.complete = true;
  } else if (response.headers.contains("transfer-encoding")) {
    read_chunks(response);
  } else {
    const std::size_t size = std::stoul(response.headers.at("content-length"));
    while (buffer_.size() < size && fill()) {
    }
    response.complete = buffer_.size() >= size;
    response.body = buffer_.substr(0, size);
    buffer_.erase(0, response.body.size());
  }
  return response;
}

void TestClient::read_chunks(ReceivedResponse& response) {
  while (fill_until("\r\n")) {
    const std::size_t size = std::stoul(buffer_, nullptr, 16);
    buffer_.erase(0, buffer_.find("\r\n") + 2);
    while (buffer_.size() < size + 2) {
      if (!fill()) {
        return;
      }
    }
    response.body += buffer_.substr(0, size);
    buffer_.erase(0, size + 2);
    if (size == 0) {
      response.complete = true;
      return;
    }
  }
}

std::string post_request(std::string_view path, std::string_view body, std::string_view headers) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

std::string get_request(std::string_view path, std::string_view headers) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) + "\r\n";
}

}  // namespace turnout::http
