#include "cli/serve.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <csignal>
#include <ostream>

#include "cli/server.h"

namespace turnout::cli {
namespace {

void start_logging(config::LogLevel level) {
  // The program's own words go to standard error; standard output has the one line that says where it listens.
  spdlog::set_default_logger(spdlog::stderr_logger_mt("turnout"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  switch (level) {
    case config::LogLevel::trace:
      return spdlog::set_level(spdlog::level::trace);
    case config::LogLevel::debug:
      return spdlog::set_level(spdlog::level::debug);
    case config::LogLevel::info:
      return spdlog::set_level(spdlog::level::info);
    case config::LogLevel::warn:
      return spdlog::set_level(spdlog::level::warn);
    case config::LogLevel::error:
      return spdlog::set_level(spdlog::level::err);
  }
}

}  // namespace

int serve(const config::Sources& sources, std::ostream& out, std::ostream& err) {
  auto loaded = config::load(sources);
  if (!loaded.ok()) {
    for (const auto& problem : loaded.problems) err << config::describe(problem) << '\n';
    return 1;
  }
  start_logging(loaded.settings.log.level);
  // Whoever read our log may go away; that is no reason to end with the next line.
  std::signal(SIGPIPE, SIG_IGN);
  // The state and the decision log name merchants and customers.
  ::umask(::umask(0) | 0027);
  auto server = Server::open(std::move(loaded.settings));
  if (!server) {
    err << server.error().message << '\n';
    return 1;
  }
  out << "listening on " << (*server)->url() << std::endl;
  const auto ended = (*server)->run(sources);
  if (ended) return 0;
  err << ended.error().message << '\n';
  return 1;
}

}  // namespace turnout::cli
