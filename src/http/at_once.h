#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace turnout::http {

// Reading and writing a socket without waiting and without Asio. An error says nothing here but 0: whoever then waits
// for the socket meets it again. In a process with several threads libc's own recv() and send() are each 30 ns dearer,
// since they are points where a thread may be cancelled; no thread of ours ever is.

/// Puts into `room` what has arrived. The bytes, 0 when there are none, at the end of the stream, and after an error.
std::size_t receive_at_once(int socket, std::span<char> room) noexcept;

/// Sends as much as the kernel takes. The bytes, 0 when it takes none, and after an error. Never raises SIGPIPE.
std::size_t send_at_once(int socket, std::string_view bytes) noexcept;

}  // namespace turnout::http
