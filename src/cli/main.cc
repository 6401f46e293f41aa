#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "cli/check.h"
#include "cli/operate.h"
#include "cli/serve.h"
#include "cli/version.h"

namespace {

using turnout::config::Sources;

/// The options that name the configuration, shared by serve and check.
void add_configuration_options(CLI::App& command, Sources& sources) {
  command.add_option("--config", sources.file,
                     "TOML file; without one: a channel `payments`, no providers, memory store");
  command.add_option("--listen", sources.flags.listen, "ADDR:PORT to listen on");
  auto* data = command.add_option("--data", sources.flags.data, "folder of the embedded file store");
  auto* memory = command.add_flag("--memory", sources.flags.memory, "keep nothing beyond the process");
  data->excludes(memory);
  command.add_option("--redis", sources.flags.redis, "URL of the Redis store, which this version does not have");
  command.add_flag("--insecure-no-auth", sources.flags.insecure_no_auth, "serve an open address without tokens");
  command.add_option("--set", sources.flags.set, "KEY=VALUE, for any other key of the configuration")->take_all();
  sources.environment = turnout::config::process_environment();
}

/// The options that name a running server and what to ask of it.
void add_operate_options(CLI::App& command, turnout::cli::OperateOptions& options) {
  command.add_option("--server", options.server, "URL of the running server")->capture_default_str();
  command.add_option("--token", options.token, "bearer token; better in the environment")->envname("TURNOUT_TOKEN");
}

void add_circuit_options(CLI::App& command, turnout::cli::OperateOptions& options) {
  add_operate_options(command, options);
  command.add_option("channel", options.channel, "the channel")->required();
  command.add_option("provider", options.provider, "the provider")->required();
  command.add_option("--reason", options.reason, "why, for the audit list");
  command.add_option("--author", options.author, "who, for the audit list when no token says");
}

/// CLI11 says of a word that is no command only that there is none.
bool is_unknown_command(const CLI::App& app, const std::string& word) {
  const auto is_meant = [&](const CLI::App* command) { return command->get_name() == word; };
  return !word.starts_with('-') && app.get_subcommands(is_meant).empty();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Turnout picks the provider for every payment and learns from every outcome.", "turnout");
  app.require_subcommand(1);
  Sources sources;
  turnout::cli::OperateOptions operate;

  auto* serve = app.add_subcommand("serve", "run the server");
  auto* check = app.add_subcommand("check", "check a configuration and give advice");
  add_configuration_options(*serve, sources);
  add_configuration_options(*check, sources);

  auto* providers = app.add_subcommand("providers", "show a running server's providers");
  add_operate_options(*providers, operate);
  providers->add_option("channel", operate.channel, "only this channel");
  providers->add_flag("--json", operate.json, "as the server answers");
  auto* open = app.add_subcommand("open", "take a provider out");
  add_circuit_options(*open, operate);
  open->add_option("--for", operate.lasts, "how long, such as 30m; without it until told otherwise");
  auto* close = app.add_subcommand("close", "let a provider back in");
  add_circuit_options(*close, operate);

  auto* version = app.add_subcommand("version", "print the version");

  if (argc > 1 && is_unknown_command(app, argv[1])) {
    std::cerr << "turnout: there is no command " << argv[1] << "; see turnout --help\n";
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (*serve) return turnout::cli::serve(sources, std::cout, std::cerr);
  if (*check) return turnout::cli::check(sources, std::cout, std::cerr);
  if (*providers) return turnout::cli::show_providers(operate, std::cout, std::cerr);
  if (*open) return turnout::cli::order_circuit(operate, "open", std::cout, std::cerr);
  if (*close) return turnout::cli::order_circuit(operate, "close", std::cout, std::cerr);
  if (*version) return turnout::cli::print_version(std::cout);
  return 2;
}
