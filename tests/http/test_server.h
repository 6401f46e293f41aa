#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "http/handler.h"
#include "http/listener.h"
#include "http/listener_state.h"

namespace turnout::http {

/// Answers by path:
///
///     /echo           "METHOD path|query|body"
///     /peer           "address secure"
///     /hold           waits for release()
///     /large          kLargeBytes of x
///     /empty          204
///     /throw /throw_int
///     /events         two events, then waits for ever
///     /events_end     two events
///     /events_throw   throws instead of an event
///     /flood          events for ever
///     /batch          as /echo, with a larger limit on the body
class TestHandler final : public Handler {
 public:
  static constexpr std::size_t kLargeBytes = 16 * 1024 * 1024;
  static constexpr std::size_t kBodyBytes = 64 * 1024;
  static constexpr std::size_t kBatchBytes = 1024 * 1024;

  explicit TestHandler(const Executor& executor) : gate_(executor, Timer::time_point::max()) {}

  Awaitable<void> handle(const Request& request, Response& response) override;
  void fill_error(int status, std::string_view code, std::string_view detail, Response& response) override;
  std::size_t max_body_bytes(std::string_view method, std::string_view path) override;

  /// Blocks until `count` requests are held, or event sources silent, at most five seconds.
  bool wait_for_held(int count);

  /// On the server's thread: lets all held requests go on.
  void release() { gate_.cancel(); }

 private:
  void note_held();

  Timer gate_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int held_ = 0;
};

/// Time-outs that let a test of them end soon.
ServerOptions quick_options();

/// Time-outs that no test reaches.
ServerOptions patient_options();

/// A server on a free port with a thread of its own.
class TestServer {
 public:
  explicit TestServer(const ServerOptions& options = patient_options());
  ~TestServer();

  /// Runs the event loop on a thread of its own. Until then connections wait in the kernel.
  void start();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] CounterValues counters() const { return listener_->counters(); }
  TestHandler& handler() { return handler_; }
  boost::asio::io_context& context() { return context_; }
  Listener& listener() { return *listener_; }

  /// Begins to stop; the future is ready when that is done.
  std::future<void> stop(DurationMs grace);

  /// Runs `action` on the server's thread and waits for it.
  void run(const std::function<void()>& action);

  /// True when `condition` becomes true within five seconds; looks after every turn of the event loop.
  bool eventually(const std::function<bool()>& condition);

 private:
  boost::asio::io_context context_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  boost::asio::executor_work_guard<Executor> work_{context_.get_executor()};
  TestHandler handler_{context_.get_executor()};
  std::unique_ptr<Listener> listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace turnout::http
