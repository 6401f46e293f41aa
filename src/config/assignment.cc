#include "config/assignment.h"

#include <cctype>

namespace turnout::config {
namespace {

constexpr std::string_view kPrefix = "TURNOUT_";

void use_file_store(std::vector<Assignment>& assignments, const std::string& source, const std::string& folder) {
  assignments.push_back({source, "store.kind", "file"});
  assignments.push_back({source, "store.path", folder});
}

void use_memory_store(std::vector<Assignment>& assignments, const std::string& source) {
  assignments.push_back({source, "store.kind", "memory"});
  assignments.push_back({source, "store.path", ""});
}

}  // namespace

std::string variable_spelling(std::string_view key) {
  std::string spelled;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    spelled += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return spelled;
}

namespace {

/// Variables that mean something to the program but set no key: the file's name, and the operator's token of the
/// commands that ask a running server.
bool sets_no_key(std::string_view variable) { return variable == "TURNOUT_CONFIG" || variable == "TURNOUT_TOKEN"; }

}  // namespace

std::vector<Assignment> environment_assignments(Draft& draft, const Environment& environment) {
  std::vector<Assignment> assignments;
  std::vector<Assignment> stores;
  for (const auto& [variable, text] : environment) {
    if (!variable.starts_with(kPrefix) || sets_no_key(variable)) continue;
    if (variable == "TURNOUT_DATA") {
      use_file_store(stores, variable, text);
    } else if (variable != "TURNOUT_MEMORY") {
      assignments.push_back({variable, variable.substr(kPrefix.size()), text});
    } else if (text == "true") {
      use_memory_store(stores, variable);
    } else if (text != "false") {
      draft.add_problem({variable}, "", "expected true or false, found " + quote(text));
    }
  }
  for (Assignment& store : stores) {
    store.name = variable_spelling(store.name);
    assignments.push_back(std::move(store));
  }
  return assignments;
}

std::vector<Assignment> flag_assignments(Draft& draft, const Flags& flags) {
  std::vector<Assignment> assignments;
  if (flags.listen) assignments.push_back({"--listen", "server.listen", *flags.listen});
  if (flags.insecure_no_auth) assignments.push_back({"--insecure-no-auth", "server.insecure_no_auth", "true"});
  if (flags.data) use_file_store(assignments, "--data", *flags.data);
  if (flags.memory) use_memory_store(assignments, "--memory");
  if (flags.redis) {
    assignments.push_back({"--redis", "store.kind", "redis"});
    assignments.push_back({"--redis", "store.path", ""});
    assignments.push_back({"--redis", "store.redis_url", *flags.redis});
  }
  for (const std::string& set : flags.set) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos) {
      draft.add_problem({"--set"}, "", "expected KEY=VALUE, found " + quote(set));
    } else {
      assignments.push_back({"--set", set.substr(0, equals), set.substr(equals + 1)});
    }
  }
  return assignments;
}

}  // namespace turnout::config
