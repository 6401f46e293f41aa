#include "config/listen_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>

namespace turnout::config {
namespace {

std::optional<in_addr> parse_ipv4(const std::string& text) {
  in_addr address{};
  return inet_pton(AF_INET, text.c_str(), &address) == 1 ? std::optional(address) : std::nullopt;
}

std::optional<in6_addr> parse_ipv6(const std::string& text) {
  in6_addr address{};
  return inet_pton(AF_INET6, text.c_str(), &address) == 1 ? std::optional(address) : std::nullopt;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return port;
}

}  // namespace

std::optional<ListenAddress> parse_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  // inet_pton reads up to a NUL.
  if (colon == std::string_view::npos || text.find('\0') != std::string_view::npos) return std::nullopt;
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return std::nullopt;
  const std::string_view host = text.substr(0, colon);
  if (host == "localhost") return ListenAddress{"127.0.0.1", *port};
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    std::string address(host.substr(1, host.size() - 2));
    if (!parse_ipv6(address)) return std::nullopt;
    return ListenAddress{std::move(address), *port};
  }
  std::string address(host);
  if (!parse_ipv4(address)) return std::nullopt;
  return ListenAddress{std::move(address), *port};
}

std::string format_listen_address(const ListenAddress& listen) {
  const bool ipv6 = listen.address.find(':') != std::string::npos;
  return (ipv6 ? "[" + listen.address + "]" : listen.address) + ":" + std::to_string(listen.port);
}

bool is_loopback(const ListenAddress& listen) {
  constexpr unsigned kLoopbackNet = 127;
  if (const auto ipv4 = parse_ipv4(listen.address)) return ntohl(ipv4->s_addr) >> 24 == kLoopbackNet;
  const auto ipv6 = parse_ipv6(listen.address);
  if (!ipv6) return false;
  if (IN6_IS_ADDR_V4MAPPED(&*ipv6)) return ipv6->s6_addr[12] == kLoopbackNet;
  return IN6_IS_ADDR_LOOPBACK(&*ipv6);
}

}  // namespace turnout::config
