#include "cli/server.h"

#include <spdlog/spdlog.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <csignal>
#include <optional>
#include <random>
#include <thread>

#include "cli/backend.h"
#include "config/keys.h"

namespace turnout::cli {
namespace {

namespace asio = boost::asio;

using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;
using Signals = asio::basic_signal_set<Executor>;

constexpr asio::as_tuple_t<asio::use_awaitable_t<Executor>> kAwait{};

/// How long accepted requests may take to be answered after SIGTERM; the whole end stays under 5 s.
constexpr DurationMs kGrace = 3 * kSecond;

/// Of each worker: what a thread that decides 100 000 times a second makes in 80 ms.
constexpr std::size_t kQueuedRecords = 8192;

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

/// Runs one coroutine to its end on an io_context of its own.
Result<Done> run_to_end(Awaitable<Result<Done>> awaitable) {
  asio::io_context context(1);
  std::optional<Result<Done>> result;
  const auto wait = [&]() -> Awaitable<void> { result.emplace(co_await std::move(awaitable)); };
  asio::co_spawn(context, wait(), asio::detached);
  context.run();
  return *result;
}

std::unique_ptr<engine::LogFile> open_log_file(const config::DecisionLogSettings& settings) {
  if (settings.directory.empty()) return nullptr;
  return std::make_unique<engine::LogFile>(engine::LogFileOptions{
      settings.directory, static_cast<std::uint64_t>(settings.max_file_bytes), settings.max_files});
}

std::size_t thread_count(const config::ServerSettings& settings) {
  if (settings.threads != 0) return settings.threads;
  return std::max(1U, std::thread::hardware_concurrency());
}

api::Scope scope_of(config::Scope scope) {
  switch (scope) {
    case config::Scope::route:
      return api::Scope::route;
    case config::Scope::report:
      return api::Scope::report;
    case config::Scope::budgets:
      return api::Scope::budgets;
    case config::Scope::read:
      return api::Scope::read;
    case config::Scope::admin:
      return api::Scope::admin;
  }
  TURNOUT_ASSERT(false);
}

api::Token token_of(const config::Token& configured) {
  api::Token token;
  token.name = configured.name;
  token.channels = configured.channels;
  for (const auto scope : configured.scopes) token.scopes.push_back(scope_of(scope));
  for (std::size_t i = 0; i < token.sha256.size(); ++i) {
    token.sha256[i] = static_cast<unsigned char>(std::stoi(configured.sha256.substr(2 * i, 2), nullptr, 16));
  }
  return token;
}

std::shared_ptr<const api::Access> access_of(const config::ServerSettings& settings) {
  if (settings.tokens.empty()) return std::make_shared<api::Access>();
  std::vector<api::Token> tokens;
  for (const auto& token : settings.tokens) tokens.push_back(token_of(token));
  return std::make_shared<api::Access>(std::move(tokens));
}

http::ServerOptions options_of(const config::ServerSettings& settings) {
  http::ServerOptions options;
  options.address = settings.listen.address;
  options.port = settings.listen.port;
  if (!settings.tls_cert.empty()) options.tls = http::TlsOptions{settings.tls_cert, settings.tls_key};
  options.max_connections = settings.max_connections;
  options.idle_timeout_ms = settings.idle_timeout_ms;
  options.request_timeout_ms = settings.request_timeout_ms;
  options.write_timeout_ms = settings.write_timeout_ms;
  return options;
}

}  // namespace

Server::Lane::Lane(std::size_t index, const engine::Channels& channels, std::uint64_t seed)
    : context(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO), worker(index, channels, seed, kQueuedRecords) {}

Server::Server(config::Settings settings, std::unique_ptr<Backend> backend)
    : settings_(std::move(settings)),
      backend_(std::move(backend)),
      channels_(backend_->stores(), thread_count(settings_.server)),
      transitions_(events_, backend_->stores().settings),
      log_(events_, open_log_file(settings_.decision_log)),
      router_(backend_->stores(), transitions_, log_),
      operations_(backend_->stores(), channels_, transitions_) {
  std::vector<const engine::Worker*> workers;
  for (std::size_t i = 0; i < thread_count(settings_.server); ++i) {
    lanes_.push_back(std::make_unique<Lane>(i, channels_, random_seed()));
    workers.push_back(&lanes_.back()->worker);
    log_.add_queue(lanes_.back()->worker.queue());
  }
  metrics_ = std::make_unique<engine::Metrics>(channels_, backend_->stores().status, log_, clock_, std::move(workers));
  sweeper_ = std::make_unique<engine::Sweeper>(backend_->stores(), channels_, router_, transitions_, events_,
                                               lanes_.front()->worker);
  const auto count_http = [this] {
    http::CounterValues sum;
    for (const auto& lane : lanes_) sum += lane->listener->counters();
    return sum;
  };
  services_ = std::make_unique<api::Services>(
      api::Services{clock_, backend_->stores(), channels_, router_, operations_, log_, events_, *metrics_, count_http,
                    [this] { return stopping_.load(); }, access_of(settings_.server)});
}

Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::open(config::Settings settings) {
  auto backend = Backend::open(settings.store);
  if (!backend) return backend.error();
  std::unique_ptr<Server> server(new Server(std::move(settings), std::move(backend).value()));
  const auto configured = server->configure(server->settings_);
  if (!configured) return configured.error();
  const auto listening = server->listen();
  if (!listening) return listening.error();
  return server;
}

Result<Done> Server::configure(const config::Settings& settings) {
  return run_to_end(channels_.configure(settings.channels, clock_.now_ms()));
}

Result<Done> Server::listen() {
  // Before anybody can know that the server is there: a signal from then on is an order to it, not its end.
  signals_ = std::make_unique<Signals>(lanes_.front()->context, SIGTERM, SIGINT, SIGHUP);
  for (auto& lane : lanes_) {
    lane->api = std::make_unique<api::Api>(*services_, lane->worker);
    const bool first = lane == lanes_.front();
    auto listener = first ? http::Listener::open(lane->context, options_of(settings_.server), *lane->api)
                          : lanes_.front()->listener->open_beside(lane->context, *lane->api);
    if (!listener) return listener.error();
    lane->listener = std::move(listener).value();
  }
  return Done{};
}

std::string Server::url() const {
  const auto& listen = settings_.server.listen;
  const bool v6 = listen.address.find(':') != std::string::npos;
  return (settings_.server.tls_cert.empty() ? "http://" : "https://") +
         (v6 ? "[" + listen.address + "]" : listen.address) + ":" + std::to_string(lanes_.front()->listener->port());
}

Awaitable<void> Server::sweep_regularly() {
  Timer timer(lanes_.front()->context);
  while (!stopping_) {
    co_await sweeper_->step(clock_.now_ms());
    timer.expires_after(std::chrono::milliseconds(engine::Sweeper::kStepEvery));
    co_await timer.async_wait(kAwait);
  }
}

Awaitable<void> Server::wait_for_signals(const config::Sources& sources) {
  for (;;) {
    const auto [error, number] = co_await signals_->async_wait(kAwait);
    if (error) co_return;
    if (number != SIGHUP) break;
    co_await reload(sources);
  }
  stop();
}

Awaitable<void> Server::reload(const config::Sources& sources) {
  auto loaded = config::load(sources);
  if (!loaded.ok()) {
    for (const auto& problem : loaded.problems) spdlog::error("not reloaded: {}", config::describe(problem));
    co_return;
  }
  for (const auto key : config::keys_that_differ(settings_, loaded.settings)) {
    spdlog::warn("{} has changed: that takes a restart", key);
  }
  const std::size_t count = loaded.settings.channels.size();
  const auto done = co_await channels_.configure(std::move(loaded.settings.channels), clock_.now_ms());
  if (done) {
    spdlog::info("configuration reloaded: {} channel{}", count, count == 1 ? "" : "s");
  } else {
    spdlog::error("not reloaded: {}", done.error().message);
  }
}

void Server::stop() {
  spdlog::info("stopping");
  stopping_ = true;
  for (auto& lane : lanes_) {
    asio::co_spawn(lane->context, lane->listener->stop(kGrace),
                   [&lane](const std::exception_ptr&) { lane->context.stop(); });
  }
}

Result<Done> Server::run(const config::Sources& sources) {
  log_.start();
  asio::co_spawn(lanes_.front()->context, sweep_regularly(), asio::detached);
  asio::co_spawn(lanes_.front()->context, wait_for_signals(sources), asio::detached);
  std::vector<std::thread> threads;
  const auto serve = [](Lane& lane) {
    const auto guard = asio::make_work_guard(lane.context);
    lane.context.run();
  };
  for (std::size_t i = 1; i < lanes_.size(); ++i) threads.emplace_back(serve, std::ref(*lanes_[i]));
  serve(*lanes_.front());
  for (auto& thread : threads) thread.join();
  log_.stop();
  auto written = backend_->flush();
  if (!written) return Error{Error::Code::unavailable, "the last changes are lost: " + written.error().message};
  return Done{};
}

}  // namespace turnout::cli
