#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>

#include "base/awaitable.h"
#include "base/result.h"
#include "http/counters.h"
#include "http/handler.h"
#include "http/options.h"

namespace turnout::http {

struct ListenerState;

/// One thread's share of a port. Each thread runs an io_context of its own with a listener of its own (SO_REUSEPORT);
/// the kernel spreads the connections and no request ever crosses threads:
///
///     first  = Listener::open(context_1, options, handler)
///     second = first->open_beside(context_2, handler)
///
/// An io_context made with BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO saves locks and is right for this use.
/// The handler must outlive the io_context, and the io_context the listener. All but counters() is to be called on the
/// thread of the io_context, or while it does not run.
class Listener {
 public:
  /// Listens on the address of the options. Fails with a message fit for an operator: a bad address, an address in use,
  /// a certificate or key that cannot be used.
  static Result<std::unique_ptr<Listener>> open(boost::asio::io_context& context, const ServerOptions& options,
                                                Handler& handler);

  /// A further listener on the same port, with the same options and the same limit on connections.
  Result<std::unique_ptr<Listener>> open_beside(boost::asio::io_context& context, Handler& handler) const;

  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Drops what is still open. stop() is the way to end well.
  ~Listener();

  /// The port listened on, also when the options left the choice to the system.
  [[nodiscard]] std::uint16_t port() const;

  /// Accepts no more, closes idle connections and event streams, finishes the requests in progress and answers them
  /// with "Connection: close". Returns when all connections are gone, and in any case soon after `grace`, when it drops
  /// those that are left. A handler that is still running then goes on, without its client. Call it once.
  Awaitable<void> stop(DurationMs grace);

  /// Safe from any thread.
  [[nodiscard]] CounterValues counters() const noexcept;

 private:
  class Acceptance;

  explicit Listener(std::shared_ptr<Acceptance> acceptance);

  std::shared_ptr<Acceptance> acceptance_;
};

}  // namespace turnout::http
