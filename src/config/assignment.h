#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/draft.h"

namespace turnout::config {

/// Options of the command line that set keys.
struct Flags {
  std::optional<std::string> listen = std::nullopt;  ///< --listen ADDR:PORT
  std::optional<std::string> data = std::nullopt;    ///< --data DIR: the file store in that folder
  bool memory = false;                               ///< --memory: the memory store
  std::optional<std::string> redis = std::nullopt;   ///< --redis URL
  bool insecure_no_auth = false;                     ///< --insecure-no-auth
  std::vector<std::string> set = {};                 ///< --set KEY=VALUE, for every other key
};

/// Variables of the environment by name.
using Environment = std::map<std::string, std::string, std::less<>>;

/// A key set by text.
struct Assignment {
  std::string source;  ///< the variable or flag
  std::string name;    ///< the key in the spelling of its source
  std::string text;
};

/// The environment's spelling of a key: capitals, and `_` for all that is neither letter nor digit. Example:
/// `store.redis_url` is STORE_REDIS_URL, set by TURNOUT_STORE_REDIS_URL.
std::string variable_spelling(std::string_view key);

/// What the variables that begin with TURNOUT_ set, TURNOUT_CONFIG (the file's name) and TURNOUT_TOKEN (of the commands
/// that ask a running server) aside. TURNOUT_DATA and TURNOUT_MEMORY mean what --data and --memory do.
std::vector<Assignment> environment_assignments(Draft& draft, const Environment& environment);

/// What the flags set, names spelled as keys are. Text without = after --set is a problem.
std::vector<Assignment> flag_assignments(Draft& draft, const Flags& flags);

}  // namespace turnout::config
