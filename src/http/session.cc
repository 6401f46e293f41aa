#include "http/session.h"

#include <spdlog/spdlog.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <exception>
#include <type_traits>

#include "http/at_once.h"
#include "http/exchange.h"
#include "http/next_turn.h"

namespace turnout::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using TlsStream = asio::ssl::stream<Socket>;

/// Errors come back as values: an exception per lost connection would cost more than the connection.
constexpr auto kUse = asio::as_tuple(asio::use_awaitable_t<Executor>());

/// Answers to pipelined requests are gathered up to this size before they are written.
constexpr std::size_t kFlushBytes = 64 * 1024;

/// After the last answer the server reads on for a while: closing while bytes of the client are unread makes the kernel
/// send a reset, which can destroy the answer before the client has read it. Time for a slow client, bytes for a large
/// refused body.
constexpr DurationMs kLingerMs = kSecond;
constexpr std::size_t kLingerBytes = 4 * 1024 * 1024;

constexpr RequestFailure kTooManyConnections{503, "too_many_connections",
                                             "This server has as many connections as it accepts."};
constexpr RequestFailure kRequestTimeout{408, "request_timeout", "The request did not arrive in time."};

/// One connection. Stream is Socket or TlsStream.
template <class Stream>
class Session final : public Connection {
 public:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  Session(Stream stream, std::shared_ptr<ListenerState> state)
      : stream_(std::move(stream)),
        state_(std::move(state)),
        exchange_(state_->handler, options().max_header_bytes, peer_address(), kTls) {
    error_code error;
    socket().set_option(asio::ip::tcp::no_delay(true), error);
    socket().non_blocking(true, error);
    state_->connections.push_back(*this);
    state_->counters.connections_open.add(1);
  }

  ~Session() override {
    unlink();
    state_->counters.connections_open.subtract(1);
    state_->port->connections.fetch_sub(1, std::memory_order_relaxed);
    if (state_->stopping && state_->connections.empty()) {
      state_->emptied.cancel();
    }
  }

  /// The whole life of the connection.
  Awaitable<void> run() {
    if constexpr (kTls) {
      enter(Phase::receiving, state_->deadline(options().request_timeout_ms));
      const auto [error] = co_await stream_.async_handshake(asio::ssl::stream_base::server, kUse);
      if (error) {
        co_return;
      }
    }
    co_await serve();
  }

  /// The life of a connection beyond the limit.
  Awaitable<void> refuse() {
    exchange_.append_failure(kTooManyConnections, state_->date_line);
    co_await finish();
  }

  void abort() override {
    error_code error;
    // Without this the kernel would keep trying to deliver what the client does not take.
    socket().set_option(asio::socket_base::linger(true, 0), error);
    socket().close(error);
  }

 private:
  Socket& socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  std::string peer_address() {
    error_code error;
    const auto peer = socket().remote_endpoint(error);
    return error ? std::string() : peer.address().to_string();
  }

  [[nodiscard]] const ServerOptions& options() const { return state_->port->options; }

  void interrupt() override {
    error_code error;
    socket().cancel(error);
  }

  bool has_unread_bytes() override {
    error_code error;
    return socket().available(error) != 0 && !error;
  }

  /// Parses, asks the handler and writes, until the client leaves, a time-out or an error.
  Awaitable<void> serve() {
    for (;;) {
      const RequestParser::Step step = exchange_.next();
      if (step == RequestParser::Step::failed) {
        co_return co_await fail(exchange_.failure());
      }
      if (step == RequestParser::Step::need_more) {
        // While bytes keep arriving there is no wait that could be interrupted.
        if (is_late()) {
          co_return co_await fail(kRequestTimeout);
        }
        if (!write_at_once() && !co_await flush()) {
          co_return;
        }
        if (exchange_.input().empty()) {
          // The next request comes soon, but not at once: a read now would find nothing, which costs as much as one
          // that finds something and comes on top of it. Once the other connections had their turn it is often there.
          co_await next_turn(stream_.get_executor());
        }
        if (!begin_receiving()) {
          co_return;
        }
        if (!read_at_once() && !co_await receive()) {
          co_return;
        }
        continue;
      }
      begin_answer();
      try {
        co_await state_->handler.handle(exchange_.request(), exchange_.response());
      } catch (...) {
        exchange_.fail_answer(std::current_exception());
      }
      if (exchange_.response().events) {
        co_return co_await stream_events();
      }
      if (!exchange_.end_answer(state_->stopping, state_->date_line)) {
        co_return co_await finish();
      }
      if (exchange_.output().size() > kFlushBytes && !write_at_once() && !co_await flush()) {
        co_return;
      }
    }
  }

  /// The request that is partly here has used up its time.
  [[nodiscard]] bool is_late() { return !exchange_.input().empty() && receive_deadline_ <= state_->now; }

  void begin_answer();
  bool begin_receiving();
  bool read_at_once();
  Awaitable<bool> receive();
  bool write_at_once();
  Awaitable<bool> flush();
  Awaitable<void> stream_events();
  Awaitable<void> send_events();
  Awaitable<void> wait_for_leaving();
  Awaitable<void> fail(RequestFailure failure);
  Awaitable<void> finish();

  Stream stream_;
  std::shared_ptr<ListenerState> state_;
  Exchange exchange_;
  TimeMs receive_deadline_ = kNever;  ///< of the request that is partly here; kNever when none is
  bool event_cut_ = false;            ///< an event was sent in part, so that nothing may follow it
};

template <class Stream>
void Session<Stream>::begin_answer() {
  enter(Phase::handling, kNever);
  receive_deadline_ = kNever;
  state_->counters.requests.add(1);
  exchange_.begin_answer();
}

/// Sets the deadline for what comes next. False when the server stops and nothing has come.
template <class Stream>
bool Session<Stream>::begin_receiving() {
  if (!exchange_.input().empty()) {
    // From the first byte, so that a client cannot gain time by sending single bytes.
    receive_deadline_ = std::min(receive_deadline_, state_->deadline(options().request_timeout_ms));
    enter(Phase::receiving, receive_deadline_);
    return true;
  }
  if (state_->stopping && !has_unread_bytes()) {
    return false;
  }
  receive_deadline_ = kNever;  // what there was has turned out to be empty lines
  enter(Phase::idle, state_->deadline(options().idle_timeout_ms));
  return true;
}

/// Takes a new request that has come already, which saves a turn of the event loop. False when none has, or when that
/// is likely.
template <class Stream>
bool Session<Stream>::read_at_once() {
  if constexpr (kTls) {
    return false;
  } else {
    if (!exchange_.input().empty() || !state_->read_tally.is_promising()) {
      return false;
    }
    const std::size_t size = receive_at_once(stream_.native_handle(), exchange_.input().prepare());
    exchange_.input().commit(size);
    state_->counters.bytes_received.add(size);
    state_->read_tally.note(size != 0);
    return size != 0;
  }
}

/// Waits for more bytes and takes them. False when the connection has ended.
template <class Stream>
Awaitable<bool> Session<Stream>::receive() {
  const std::span<char> room = exchange_.input().prepare();
  const auto [error, size] = co_await stream_.async_read_some(asio::buffer(room.data(), room.size()), kUse);
  if (error) {
    if (is_late()) {
      co_await fail(kRequestTimeout);
    }
    co_return false;
  }
  exchange_.input().commit(size);
  state_->counters.bytes_received.add(size);
  co_return true;
}

/// Writes without waiting, which nearly always suffices and saves a turn of the event loop. True when nothing is left
/// to write.
template <class Stream>
bool Session<Stream>::write_at_once() {
  std::string& output = exchange_.output();
  if constexpr (!kTls) {
    if (!output.empty()) {
      const std::size_t size = send_at_once(stream_.native_handle(), output);
      state_->counters.bytes_sent.add(size);
      if (size == output.size()) {
        exchange_.clear_output();
      } else {
        output.erase(0, size);
      }
    }
  }
  return output.empty();
}

/// Writes everything. False when the client did not take it.
template <class Stream>
Awaitable<bool> Session<Stream>::flush() {
  enter(Phase::sending, state_->deadline(options().write_timeout_ms));
  const std::string& output = exchange_.output();
  std::size_t sent = 0;
  while (sent < output.size()) {
    const auto [error, size] =
        co_await stream_.async_write_some(asio::buffer(output.data() + sent, output.size() - sent), kUse);
    if (error) {
      if (expired()) {
        abort();
      }
      co_return false;
    }
    sent += size;
    state_->counters.bytes_sent.add(size);
  }
  exchange_.clear_output();
  co_return true;
}

/// Streams until the source ends, the client leaves or the server stops; then the connection ends.
template <class Stream>
Awaitable<void> Session<Stream>::stream_events() {
  using asio::experimental::awaitable_operators::operator||;
  if (exchange_.begin_events(state_->date_line)) {
    if (!co_await flush()) {
      co_return;
    }
    co_await (send_events() || wait_for_leaving());
    if (event_cut_) {
      co_return;
    }
    exchange_.end_events();
  }
  co_await finish();
}

template <class Stream>
Awaitable<void> Session<Stream>::send_events() {
  while (!state_->stopping) {
    enter(Phase::streaming, kNever);
    std::optional<std::string> event;
    try {
      event = co_await exchange_.response().events->next();
    } catch (...) {
      Exchange::fail_events(std::current_exception());
    }
    if (!event) {
      co_return;
    }
    exchange_.append_event(*event);
    event_cut_ = true;
    if (!co_await flush()) {
      co_return;
    }
    event_cut_ = false;
  }
}

/// Ends when the client closes or the wait is interrupted. What the client still sends is dropped.
template <class Stream>
Awaitable<void> Session<Stream>::wait_for_leaving() {
  for (;;) {
    const std::span<char> room = exchange_.input().prepare();
    const auto [error, size] = co_await stream_.async_read_some(asio::buffer(room.data(), room.size()), kUse);
    if (error) {
      co_return;
    }
  }
}

template <class Stream>
Awaitable<void> Session<Stream>::fail(RequestFailure failure) {
  state_->counters.request_errors.add(1);
  exchange_.append_failure(failure, state_->date_line);
  co_await finish();
}

/// Sends the last answer and closes so that the client can read it.
template <class Stream>
Awaitable<void> Session<Stream>::finish() {
  if (!co_await flush()) {
    co_return;
  }
  enter(Phase::closing, state_->deadline(kLingerMs));
  if constexpr (kTls) {
    // Fails when the client does not answer in kind, which no longer matters.
    co_await stream_.async_shutdown(kUse);
  }
  error_code ignored;
  socket().shutdown(Socket::shutdown_send, ignored);
  for (std::size_t dropped = 0; dropped < kLingerBytes && !expired();) {
    const std::span<char> room = exchange_.input().prepare();
    const auto [error, size] = co_await socket().async_read_some(asio::buffer(room.data(), room.size()), kUse);
    if (error) {
      co_return;
    }
    dropped += size;
  }
}

/// Owns the session while its coroutine lives.
template <class Stream>
Awaitable<void> own(std::unique_ptr<Session<Stream>> session, Awaitable<void> (Session<Stream>::*life)()) {
  try {
    co_await (session.get()->*life)();
  } catch (...) {
    spdlog::error("http: a connection ended: {}", describe(std::current_exception()));
  }
}

template <class Stream>
void spawn(Stream stream, std::shared_ptr<ListenerState> state, Awaitable<void> (Session<Stream>::*life)()) {
  const Executor executor = stream.get_executor();
  asio::co_spawn(executor, own(std::make_unique<Session<Stream>>(std::move(stream), std::move(state)), life),
                 asio::detached);
}

}  // namespace

void start_session(Socket socket, std::shared_ptr<ListenerState> state) {
  if (state->port->tls) {
    TlsStream stream(std::move(socket), *state->port->tls);
    spawn<TlsStream>(std::move(stream), std::move(state), &Session<TlsStream>::run);
  } else {
    spawn<Socket>(std::move(socket), std::move(state), &Session<Socket>::run);
  }
}

void refuse_session(Socket socket, std::shared_ptr<ListenerState> state) {
  spawn<Socket>(std::move(socket), std::move(state), &Session<Socket>::refuse);
}

}  // namespace turnout::http
