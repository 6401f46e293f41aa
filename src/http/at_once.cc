#include "http/at_once.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace turnout::http {
namespace {

std::size_t bytes_or_none(long result) { return result > 0 ? static_cast<std::size_t>(result) : 0; }

}  // namespace

std::size_t receive_at_once(int socket, std::span<char> room) noexcept {
  return bytes_or_none(::syscall(SYS_recvfrom, socket, room.data(), room.size(), MSG_DONTWAIT, nullptr, nullptr));
}

std::size_t send_at_once(int socket, std::string_view bytes) noexcept {
  return bytes_or_none(
      ::syscall(SYS_sendto, socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL, nullptr, 0));
}

}  // namespace turnout::http
