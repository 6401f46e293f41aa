#pragma once

#include <atomic>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "base/awaitable.h"
#include "http/connection.h"
#include "http/counters.h"
#include "http/handler.h"
#include "http/options.h"
#include "http/read_tally.h"

namespace turnout::http {

using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor>;
using Timer = boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                                boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

/// What the listeners of one port have in common, whatever their thread.
struct PortState {
  ServerOptions options;
  std::shared_ptr<boost::asio::ssl::context> tls;  ///< null: no TLS
  std::atomic<std::size_t> connections{0};
};

/// What a listener and its connections share. Every connection holds on to it, so it lives until the last one is gone.
/// Used by the thread of the listener only, but for `counters`.
struct ListenerState {
  ListenerState(const Executor& executor, std::shared_ptr<PortState> port_state, Handler& request_handler)
      : port(std::move(port_state)), handler(request_handler), emptied(executor) {}

  /// The moment `timeout` from now. `now` is as old as the last tick, hence the second term.
  [[nodiscard]] TimeMs deadline(DurationMs timeout) const noexcept { return now + tick + timeout; }

  std::shared_ptr<PortState> port;
  Handler& handler;
  Counters counters;
  ConnectionList connections;
  ReadTally read_tally;
  DurationMs tick = 0;    ///< between two looks at the deadlines
  TimeMs now = 0;         ///< of the last tick, on the steady clock
  std::string date_line;  ///< the Date header of the last tick
  bool stopping = false;  ///< no new requests are begun
  Timer emptied;          ///< cancelled when the last connection goes while stopping
};

}  // namespace turnout::http
