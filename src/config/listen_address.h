#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnout::config {

/// Where the server listens.
struct ListenAddress {
  std::string address = "127.0.0.1";  ///< numeric IPv4 or IPv6, without brackets
  std::uint16_t port = 8080;          ///< 0: any free port

  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

/// Reads `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`, which is 127.0.0.1; nothing for other names, since a name
/// may mean another address tomorrow, and for anything else.
std::optional<ListenAddress> parse_listen_address(std::string_view text);

/// The text that parse_listen_address reads back.
std::string format_listen_address(const ListenAddress& listen);

/// True when only this machine reaches the address: 127.0.0.0/8, ::1, and the first mapped to IPv6.
bool is_loopback(const ListenAddress& listen);

}  // namespace turnout::config
