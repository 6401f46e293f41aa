#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace turnout::http {

/// Both files are PEM; the certificate file may hold the chain, its own certificate first.
struct TlsOptions {
  std::string certificate_file;
  std::string key_file;
};

struct ServerOptions {
  std::string address = "127.0.0.1";  ///< numeric IPv4 or IPv6, the latter with or without brackets
  std::uint16_t port = 8080;          ///< 0: any free port
  std::optional<TlsOptions> tls;

  std::size_t max_header_bytes = 8 * 1024;  ///< request line and headers together
  std::size_t max_connections = 10'000;     ///< over all listeners opened beside one another

  /// Time-outs are kept by a tick: they end up to one tick (a quarter of the shortest one, at most 250 ms) later.
  DurationMs idle_timeout_ms = kMinute;          ///< between requests
  DurationMs request_timeout_ms = 15 * kSecond;  ///< from the first byte of a request to its last; also a TLS handshake
  DurationMs write_timeout_ms = 30 * kSecond;    ///< for the client to take an answer, or one event
};

}  // namespace turnout::http
