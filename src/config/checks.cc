#include "config/checks.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/channel_fields.h"

namespace turnout::config {
namespace {

/// Says nothing more about a key that could not be read: what it has now is a default.
void add(Draft& draft, const std::string& key, std::string message) {
  if (!draft.has_problem(key)) draft.add_problem(draft.place_of(key), key, std::move(message));
}

/// A path that a later open() would fail on. It is not opened here: that may block or have effects, for a pipe for
/// example.
void check_file(Draft& draft, const std::string& key, const std::string& path) {
  if (path.empty()) return;
  std::error_code ignored;
  if (access(path.c_str(), R_OK) != 0) {
    add(draft, key, "cannot read " + quote(path) + ": " + std::generic_category().message(errno));
  } else if (std::filesystem::is_directory(path, ignored)) {
    add(draft, key, "cannot read " + quote(path) + ": it is a folder");
  }
}

/// Where `present` is given, `missing` must be too.
void check_pair(Draft& draft, const std::string& present, const std::string& present_path, const std::string& missing,
                const std::string& missing_path) {
  if (present_path.empty() || !missing_path.empty() || draft.has_problem(missing)) return;
  draft.add_problem(draft.place_of(present), missing, "is missing: expected beside " + present);
}

void check_tokens(Draft& draft) {
  const auto& tokens = draft.settings.server.tokens;
  std::map<std::string_view, std::size_t> names;
  std::map<std::string_view, std::size_t> hashes;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string key = "server.tokens[" + std::to_string(i) + "].";
    if (!tokens[i].name.empty() && !names.emplace(tokens[i].name, i).second) {
      add(draft, key + "name", "the name " + tokens[i].name + " appears twice");
    }
    if (!tokens[i].sha256.empty() && !hashes.emplace(tokens[i].sha256, i).second) {
      add(draft, key + "sha256", "is the token of " + quote(tokens[hashes[tokens[i].sha256]].name) + " too");
    }
  }
}

void check_server(Draft& draft) {
  const ServerSettings& server = draft.settings.server;
  const bool has_tokens = !server.tokens.empty();
  const bool may_be_open = has_tokens || server.insecure_no_auth || draft.has_problem("server.tokens");
  if (!is_loopback(server.listen) && !may_be_open) {
    add(draft, "server.listen",
        format_listen_address(server.listen) +
            " can be reached by other machines: expected server.tokens, or the explicit "
            "server.insecure_no_auth = true (--insecure-no-auth)");
  }
  if (has_tokens && server.insecure_no_auth) {
    add(draft, "server.insecure_no_auth", "contradicts server.tokens: expected one of the two");
  }
  check_pair(draft, "server.tls_cert", server.tls_cert, "server.tls_key", server.tls_key);
  check_pair(draft, "server.tls_key", server.tls_key, "server.tls_cert", server.tls_cert);
  check_file(draft, "server.tls_cert", server.tls_cert);
  check_file(draft, "server.tls_key", server.tls_key);
}

void check_store(Draft& draft) {
  constexpr const char* kNoRedis = "needs the Redis store, which this version does not have";
  if (draft.has_problem("store.kind")) return;
  const StoreSettings& store = draft.settings.store;
  if (store.kind == StoreKind::redis) {
    add(draft, "store.kind", std::string("\"redis\" ") + kNoRedis + "; expected \"memory\" or \"file\"");
  } else if (!store.redis_url.empty()) {
    add(draft, "store.redis_url", kNoRedis);
  }
  if (store.selection == Selection::script) add(draft, "store.selection", std::string("\"script\" ") + kNoRedis);
  if (store.kind == StoreKind::file && store.path.empty()) {
    add(draft, "store.path", "is missing: expected the folder of the file store");
  }
  if (store.kind == StoreKind::memory && !store.path.empty()) {
    add(draft, "store.path", "would not be used by the memory store: expected store.kind = \"file\" beside it");
  }
}

void check_channels(Draft& draft) {
  const auto& channels = draft.settings.channels;
  if (channels.size() > core::kMaxChannels) {
    add(draft, "channels",
        "expected at most " + std::to_string(core::kMaxChannels) + " channels, found " +
            std::to_string(channels.size()));
  }
  for (const auto& [name, settings] : channels) {
    for (auto& found : core::contradictions(settings)) {
      add(draft, "channels." + name + "." + found.field, std::move(found.message));
    }
  }
}

}  // namespace

void check_settings(Draft& draft) {
  check_server(draft);
  check_tokens(draft);
  check_store(draft);
  check_channels(draft);
}

}  // namespace turnout::config
