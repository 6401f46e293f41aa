#include "config/toml_layer.h"

#include "base/text.h"
#include "config/keys.h"
#include "config/token_reader.h"
#include "config/toml_lists.h"
#include "config/toml_source.h"
#include "core/channel_fields.h"

namespace turnout::config {
namespace {

void read_channel(Draft& draft, const TomlSource& source, const toml::table& table, const std::string& name) {
  static const auto kNames = field_names(core::channel_fields());
  static const std::vector<std::string> kProviders = {"providers"};
  const std::string prefix = "channels." + name + ".";
  core::ChannelSettings& channel = draft.settings.channels[name];
  const GivenFields given = collect_fields(draft, source, table, {prefix, kNames, kProviders});
  draft.set_fields(channel, prefix, core::channel_fields(), given);
  if (const toml::node* const providers = table.get("providers")) {
    read_providers(draft, source, *providers, prefix, channel);
  }
}

void read_channels(Draft& draft, const TomlSource& source, const toml::node& node) {
  draft.set_place("channels", source.place(node));
  const toml::table* const channels = node.as_table();
  if (channels == nullptr) {
    draft.add_problem(source.place(node), "channels", "expected a table, found " + found_text(node));
    return;
  }
  for (const auto& [key, channel] : *channels) {
    const std::string shown = "channels." + shown_key(key.str());
    if (!is_id(key.str())) {
      draft.add_problem(source.place(key.source()), shown, "expected an id: 1 to 64 characters of A-Z a-z 0-9 . _ : -");
    } else if (const toml::table* const table = channel.as_table()) {
      read_channel(draft, source, *table, std::string(key.str()));
    } else {
      draft.add_problem(source.place(channel), shown, "expected a table, found " + found_text(channel));
    }
  }
}

/// The value of `text` as TOML, on one line as a variable has it.
std::optional<toml::table> parse_value(Draft& draft, const TomlSource& source, std::string_view text,
                                       const std::string& key) {
  auto table = source.parse("value = " + std::string(text), key, draft);
  if (table && table->size() != 1) {
    draft.add_problem(source.place(*table), key, "expected one TOML array");
    return std::nullopt;
  }
  return table;
}

}  // namespace

bool read_toml_file(Draft& draft, std::string_view text, const std::string& name) {
  static const auto kNames = field_names(keys());
  static const std::vector<std::string> kLists = {"server.tokens", "channels"};
  const TomlSource source = TomlSource::file(name);
  const auto root = source.parse(text, "", draft);
  if (!root) return false;
  const GivenFields given = collect_fields(draft, source, *root, {"", kNames, kLists});
  draft.set_fields(draft.settings, "", keys(), given);
  if (const auto tokens = root->at_path("server.tokens")) read_tokens(draft, source, *tokens.node());
  draft.settings.channels.clear();
  if (const toml::node* const channels = root->get("channels")) read_channels(draft, source, *channels);
  return true;
}

void read_tokens_text(Draft& draft, const std::string& source, std::string_view text) {
  const TomlSource toml_source = TomlSource::text(source);
  const auto table = parse_value(draft, toml_source, text, "server.tokens");
  if (table) read_tokens(draft, toml_source, *table->get("value"));
}

void read_providers_text(Draft& draft, const std::string& source, std::string_view text, const std::string& channel) {
  const std::string prefix = "channels." + channel + ".";
  const TomlSource toml_source = TomlSource::text(source);
  const auto table = parse_value(draft, toml_source, text, prefix + "providers");
  if (table) read_providers(draft, toml_source, *table->get("value"), prefix, draft.settings.channels[channel]);
}

}  // namespace turnout::config
