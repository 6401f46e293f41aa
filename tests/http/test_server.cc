#include "http/test_server.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <stdexcept>

namespace turnout::http {
namespace {

constexpr auto kUse = boost::asio::as_tuple(boost::asio::use_awaitable_t<Executor>());
constexpr std::chrono::seconds kPatience(5);

/// Some events, then the end, silence or an exception.
class TestEvents final : public EventSource {
 public:
  enum class Then { end, silence, exception };

  TestEvents(const Executor& executor, int count, Then then, std::string event, std::function<void()> on_silence)
      : timer_(executor, Timer::time_point::max()),
        left_(count),
        then_(then),
        event_(std::move(event)),
        on_silence_(std::move(on_silence)) {}

  Awaitable<std::optional<std::string>> next() override {
    if (left_ > 0) {
      --left_;
      co_return event_;
    }
    if (then_ == Then::exception) {
      throw std::runtime_error("the source is broken");
    }
    if (then_ == Then::silence) {
      on_silence_();
      co_await timer_.async_wait(kUse);
    }
    co_return std::nullopt;
  }

 private:
  Timer timer_;
  int left_;
  Then then_;
  std::string event_;
  std::function<void()> on_silence_;
};

struct Stream {
  std::string_view path;
  int count;
  TestEvents::Then then;
  std::size_t filling;  ///< bytes of one event besides its frame
};

constexpr std::array<Stream, 4> kStreams = {{
    {"/events", 2, TestEvents::Then::silence, 1},
    {"/events_end", 2, TestEvents::Then::end, 1},
    {"/events_throw", 0, TestEvents::Then::exception, 1},
    {"/flood", 1'000'000'000, TestEvents::Then::end, 65536},
}};

}  // namespace

Awaitable<void> TestHandler::handle(const Request& request, Response& response) {
  if (request.path == "/hold") {
    note_held();
    co_await gate_.async_wait(kUse);
  } else if (request.path == "/large") {
    response.body.assign(kLargeBytes, 'x');
    co_return;
  } else if (request.path == "/empty") {
    response.status = 204;
    co_return;
  } else if (request.path == "/throw") {
    response.body = "not to be seen";
    throw std::runtime_error("thrown by the test");
  } else if (request.path == "/throw_int") {
    throw 42;
  } else if (request.path == "/peer") {
    response.body = std::string(request.peer_address) + (request.secure ? " secure" : " plain");
    co_return;
  }
  for (const Stream& stream : kStreams) {
    if (request.path == stream.path) {
      response.events =
          std::make_unique<TestEvents>(gate_.get_executor(), stream.count, stream.then,
                                       "data: " + std::string(stream.filling, 'x') + "\n\n", [this] { note_held(); });
    }
  }
  response.content_type = "text/plain";
  response.body.append(request.method_text).append(" ").append(request.path).append("|");
  response.body.append(request.query).append("|").append(request.body);
}

void TestHandler::fill_error(int status, std::string_view code, std::string_view, Response& response) {
  response.status = status;
  response.content_type = "text/plain";
  response.body = code;
}

std::size_t TestHandler::max_body_bytes(std::string_view, std::string_view path) {
  return path == "/batch" ? kBatchBytes : kBodyBytes;
}

void TestHandler::note_held() {
  {
    const std::scoped_lock lock(mutex_);
    ++held_;
  }
  changed_.notify_all();
}

bool TestHandler::wait_for_held(int count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return held_ >= count; });
}

ServerOptions patient_options() {
  ServerOptions options;
  options.port = 0;
  return options;
}

ServerOptions quick_options() {
  ServerOptions options;
  options.port = 0;
  options.idle_timeout_ms = 150;
  options.request_timeout_ms = 150;
  options.write_timeout_ms = 150;
  return options;
}

TestServer::TestServer(const ServerOptions& options) {
  auto listener = Listener::open(context_, options, handler_);
  EXPECT_TRUE(listener.ok()) << listener.error().message;
  listener_ = std::move(listener).value();
  port_ = listener_->port();
}

TestServer::~TestServer() {
  context_.stop();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void TestServer::start() {
  thread_ = std::thread([this] { context_.run(); });
}

std::future<void> TestServer::stop(DurationMs grace) {
  return boost::asio::co_spawn(context_.get_executor(), listener_->stop(grace), boost::asio::use_future);
}

void TestServer::run(const std::function<void()>& action) {
  std::promise<void> done;
  boost::asio::post(context_, [&] {
    action();
    done.set_value();
  });
  done.get_future().wait();
}

bool TestServer::eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  bool holds = false;
  while (!holds && std::chrono::steady_clock::now() < end) {
    run([&] { holds = condition(); });
  }
  return holds;
}

}  // namespace turnout::http
