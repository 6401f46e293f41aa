#pragma once

#include <atomic>
#include <boost/asio/basic_signal_set.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/api.h"
#include "base/result.h"
#include "config/loader.h"
#include "engine/sweeper.h"
#include "http/listener.h"

namespace turnout::cli {

/// The store that the configuration asks for, kept open.
class Backend;

/// The whole program wired together: store, engine, API and one listener a thread. The only place that knows all of
/// them.
class Server {
 public:
  /// Opens the store, takes the configuration and listens. Fails with a message fit for an operator.
  static Result<std::unique_ptr<Server>> open(config::Settings settings);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// `http://127.0.0.1:8080`, with the port that was really taken.
  [[nodiscard]] std::string url() const;

  /// Serves until SIGTERM or SIGINT, then answers what was accepted, writes everything down and returns. SIGHUP reads
  /// the configuration again from `sources`; one with problems changes nothing and says why in the log. Fails when the
  /// last changes could not be written.
  [[nodiscard]] Result<Done> run(const config::Sources& sources);

 private:
  /// One thread of the server: its io_context, what it decides with, and its share of the port.
  struct Lane {
    Lane(std::size_t index, const engine::Channels& channels, std::uint64_t seed);
    boost::asio::io_context context;
    engine::Worker worker;
    std::unique_ptr<api::Api> api;
    std::unique_ptr<http::Listener> listener;
  };

  Server(config::Settings settings, std::unique_ptr<Backend> backend);
  Result<Done> configure(const config::Settings& settings);
  Result<Done> listen();
  Awaitable<void> sweep_regularly();
  Awaitable<void> wait_for_signals(const config::Sources& sources);
  Awaitable<void> reload(const config::Sources& sources);
  void stop();

  config::Settings settings_;
  std::unique_ptr<Backend> backend_;
  engine::SystemClock clock_;
  engine::Events events_;
  engine::Channels channels_;
  engine::Transitions transitions_;
  engine::DecisionLog log_;
  engine::Router router_;
  engine::Operations operations_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::unique_ptr<boost::asio::basic_signal_set<Executor>> signals_;
  std::unique_ptr<engine::Metrics> metrics_;
  std::unique_ptr<api::Services> services_;
  std::unique_ptr<engine::Sweeper> sweeper_;
  std::atomic<bool> stopping_{false};
};

}  // namespace turnout::cli
