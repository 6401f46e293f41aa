#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;

namespace turnout::http {

struct ReceivedResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;                            ///< chunked coding undone
  bool complete = false;                       ///< false when the connection ended first
};

/// A client that blocks, sends exactly what it is told, and fails the test rather than wait for more than five seconds.
class TestClient {
 public:
  /// Connects to 127.0.0.1, or to ::1 when `ipv6`.
  explicit TestClient(std::uint16_t port, bool ipv6 = false);
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  /// False when the handshake fails. Offers exactly `version` of TLS when that is not 0.
  bool start_tls(int version = 0);

  /// False when the server has closed.
  bool send(std::string_view bytes);

  /// No more bytes will come from here; what the server sends can still be read.
  void finish_sending();

  /// Reads one response. Interim (100) responses are returned like others.
  ReceivedResponse receive(bool head_only = false);

  /// Whatever arrives next, empty at the end of the connection.
  std::string receive_some();

  /// True when the server closes now without sending anything more. `reset()` tells whether it did so rudely.
  bool at_end();
  [[nodiscard]] bool reset() const { return reset_; }

  void close();

 private:
  bool fill();
  bool fill_until(std::string_view mark);
  void read_chunks(ReceivedResponse& response);

  int socket_ = -1;
  ssl_ctx_st* tls_context_ = nullptr;
  ssl_st* tls_ = nullptr;
  std::string buffer_;
  bool reset_ = false;
};

/// A POST with a Content-Length.
std::string post_request(std::string_view path, std::string_view body, std::string_view headers = "");
std::string get_request(std::string_view path, std::string_view headers = "");

}  // namespace turnout::http
