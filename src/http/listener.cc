#include "http/listener.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "http/listener_state.h"
#include "http/response_writer.h"
#include "http/session.h"
#include "http/tls.h"

namespace turnout::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kUse = asio::as_tuple(asio::use_awaitable_t<Executor>());

constexpr DurationMs kLongestTickMs = 250;

/// Between two attempts to accept when the system refuses, for example because it has no file descriptors left.
constexpr DurationMs kAcceptPauseMs = 50;

/// So many connections beyond the limit are answered with 503; those beyond these are closed without an answer.
constexpr std::size_t kRefusalRoom = 64;

/// What is left after the grace of stop() is dropped; its coroutines need a few turns of the event loop to notice.
constexpr DurationMs kDropMs = 100;

DurationMs tick_of(const ServerOptions& options) {
  const DurationMs shortest = std::min({options.idle_timeout_ms, options.request_timeout_ms, options.write_timeout_ms});
  return std::clamp<DurationMs>(shortest / 4, 1, kLongestTickMs);
}

template <class Clock>
TimeMs now_of() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
}

using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

/// Binds and listens. Without `shared` it fails when anybody listens there already.
error_code listen_on(Acceptor& acceptor, const tcp::endpoint& endpoint, bool shared) {
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error && shared) acceptor.set_option(ReusePort(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  return error;
}

}  // namespace

/// The accepting side. Shared with its coroutines, which end when `close` was called.
class Listener::Acceptance : public std::enable_shared_from_this<Listener::Acceptance> {
 public:
  Acceptance(const Executor& executor, std::shared_ptr<PortState> port, Handler& handler)
      : acceptor_(executor),
        ticker_(executor),
        pause_(executor),
        state_(std::make_shared<ListenerState>(executor, std::move(port), handler)) {
    state_->tick = tick_of(state_->port->options);
    look_at_clocks();
  }

  Result<Done> listen(const tcp::endpoint& endpoint) {
    if (const error_code error = listen_on(acceptor_, endpoint, true)) {
      return Error{Error::Code::unavailable, fmt::format("cannot listen on {}:{}: {}", endpoint.address().to_string(),
                                                         endpoint.port(), error.message())};
    }
    asio::co_spawn(acceptor_.get_executor(), accept(shared_from_this()), asio::detached);
    asio::co_spawn(acceptor_.get_executor(), tick(shared_from_this()), asio::detached);
    return Done{};
  }

  [[nodiscard]] tcp::endpoint endpoint() const {
    error_code error;
    return acceptor_.local_endpoint(error);
  }

  [[nodiscard]] ListenerState& state() const { return *state_; }

  void close_acceptor() {
    error_code error;
    acceptor_.close(error);
    pause_.cancel();
  }

  void stop_ticking() {
    ticking_ = false;
    ticker_.cancel();
  }

  /// Takes the connections that the kernel has accepted already: their requests may be there.
  void accept_backlog() {
    error_code error;
    acceptor_.non_blocking(true, error);
    while (!error) {
      Socket socket(acceptor_.get_executor());
      acceptor_.accept(socket, error);
      if (!error) {
        admit(std::move(socket));
      }
    }
  }

 private:
  /// `self` keeps the object alive.
  Awaitable<void> accept(std::shared_ptr<Acceptance> /*self*/) {
    bool failing = false;
    while (acceptor_.is_open()) {
      auto [error, socket] = co_await acceptor_.async_accept(kUse);
      if (!error) {
        failing = false;
        admit(std::move(socket));
      } else if (error != asio::error::connection_aborted && acceptor_.is_open()) {
        if (!failing) {
          spdlog::warn("http: cannot accept connections: {}", error.message());
        }
        failing = true;
        pause_.expires_after(std::chrono::milliseconds(kAcceptPauseMs));
        co_await pause_.async_wait(kUse);
      }
    }
  }

  void admit(Socket socket) {
    const std::size_t before = state_->port->connections.fetch_add(1, std::memory_order_relaxed);
    const std::size_t limit = state_->port->options.max_connections;
    if (before < limit) {
      state_->counters.connections_accepted.add(1);
      start_session(std::move(socket), state_);
      return;
    }
    state_->counters.connections_refused.add(1);
    if (before < limit + kRefusalRoom && !state_->port->tls) {
      refuse_session(std::move(socket), state_);
    } else {
      state_->port->connections.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  Awaitable<void> tick(std::shared_ptr<Acceptance> /*self*/) {
    while (ticking_) {
      ticker_.expires_after(std::chrono::milliseconds(state_->tick));
      co_await ticker_.async_wait(kUse);
      look_at_clocks();
      for (Connection& connection : state_->connections) {
        connection.expire_if_due(state_->now);
      }
    }
  }

  void look_at_clocks() {
    state_->now = now_of<std::chrono::steady_clock>();
    const TimeMs second = now_of<std::chrono::system_clock>() / kSecond;
    if (second != date_second_) {
      date_second_ = second;
      state_->date_line = format_date_line(second * kSecond);
    }
  }

  Acceptor acceptor_;
  Timer ticker_;
  Timer pause_;
  std::shared_ptr<ListenerState> state_;
  TimeMs date_second_ = -1;
  bool ticking_ = true;
};

Listener::Listener(std::shared_ptr<Acceptance> acceptance) : acceptance_(std::move(acceptance)) {}

Listener::~Listener() {
  acceptance_->close_acceptor();
  acceptance_->stop_ticking();
  for (Connection& connection : acceptance_->state().connections) {
    connection.abort();
  }
}

Result<std::unique_ptr<Listener>> Listener::open(asio::io_context& context, const ServerOptions& options,
                                                 Handler& handler) {
  auto port = std::make_shared<PortState>();
  port->options = options;
  if (options.tls) {
    auto tls = load_tls(*options.tls);
    if (!tls) {
      return tls.error();
    }
    port->tls = *std::move(tls);
  }
  std::string_view address_text = options.address;
  if (address_text.starts_with('[') && address_text.ends_with(']')) {
    address_text = address_text.substr(1, address_text.size() - 2);
  }
  error_code error;
  const auto address = asio::ip::make_address(address_text, error);
  if (error) {
    return Error{Error::Code::invalid, fmt::format("'{}' is not a numeric IPv4 or IPv6 address", options.address)};
  }
  const tcp::endpoint endpoint(address, options.port);
  // SO_REUSEPORT would let two servers share the port by accident; a first attempt without it finds the other one.
  if (options.port != 0) {
    Acceptor probe(context.get_executor());
    if (const error_code in_use = listen_on(probe, endpoint, false)) {
      return Error{Error::Code::unavailable,
                   fmt::format("cannot listen on {}:{}: {}", options.address, options.port, in_use.message())};
    }
  }
  auto acceptance = std::make_shared<Acceptance>(context.get_executor(), std::move(port), handler);
  if (auto listening = acceptance->listen(endpoint); !listening) {
    return listening.error();
  }
  return std::unique_ptr<Listener>(new Listener(std::move(acceptance)));
}

Result<std::unique_ptr<Listener>> Listener::open_beside(asio::io_context& context, Handler& handler) const {
  auto acceptance = std::make_shared<Acceptance>(context.get_executor(), acceptance_->state().port, handler);
  if (auto listening = acceptance->listen(acceptance_->endpoint()); !listening) {
    return listening.error();
  }
  return std::unique_ptr<Listener>(new Listener(std::move(acceptance)));
}

std::uint16_t Listener::port() const { return acceptance_->endpoint().port(); }

CounterValues Listener::counters() const noexcept { return acceptance_->state().counters.read(); }

Awaitable<void> Listener::stop(DurationMs grace) {
  // The object may go before the coroutine has ended.
  const std::shared_ptr<Acceptance> acceptance = acceptance_;
  ListenerState& state = acceptance->state();
  acceptance->accept_backlog();
  acceptance->close_acceptor();
  state.stopping = true;
  for (Connection& connection : state.connections) {
    connection.stop();
  }
  for (const DurationMs wait : {grace, kDropMs}) {
    if (!state.connections.empty()) {
      state.emptied.expires_after(std::chrono::milliseconds(wait));
      co_await state.emptied.async_wait(kUse);
      for (Connection& connection : state.connections) {
        connection.abort();
      }
    }
  }
  acceptance->stop_ticking();
}

}  // namespace turnout::http
