// The cost of the HTTP layer alone: a server whose handler answers at once. Compare with `return 200` of nginx.
//
//     http_floor [port] [threads]
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "http/listener.h"

namespace {

using turnout::Awaitable;

class FixedAnswer final : public turnout::http::Handler {
 public:
  Awaitable<void> handle(const turnout::http::Request&, turnout::http::Response& response) override {
    response.body =
        R"({"decision_id":"01920000-0000-7000-8000-000000000000","provider":"GIGADAT","reason":"exploited"})";
    co_return;
  }

  void fill_error(int status, std::string_view, std::string_view, turnout::http::Response& response) override {
    response.status = status;
  }

  std::size_t max_body_bytes(std::string_view, std::string_view) override { return 64 * 1024; }
};

struct Worker {
  boost::asio::io_context context{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  std::unique_ptr<turnout::http::Listener> listener;
};

}  // namespace

int main(int argc, char** argv) {
  turnout::http::ServerOptions options;
  options.port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 8080);
  const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  FixedAnswer handler;
  std::vector<std::unique_ptr<Worker>> workers;
  for (int index = 0; index < threads; ++index) {
    auto worker = std::make_unique<Worker>();
    auto listener = workers.empty() ? turnout::http::Listener::open(worker->context, options, handler)
                                    : workers.front()->listener->open_beside(worker->context, handler);
    if (!listener) {
      std::fprintf(stderr, "%s\n", listener.error().message.c_str());
      return 1;
    }
    worker->listener = std::move(listener).value();
    workers.push_back(std::move(worker));
  }
  std::printf("listening on port %u\n", static_cast<unsigned>(workers.front()->listener->port()));
  std::fflush(stdout);
  std::vector<std::jthread> running;
  for (const auto& worker : workers) {
    running.emplace_back([&context = worker->context] { context.run(); });
  }
}
