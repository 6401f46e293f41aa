#include "config/toml_lists.h"

#include "core/channel_fields.h"

namespace turnout::config {
namespace {

/// The id is judged with all others, by core::contradictions.
core::ProviderSettings read_provider(Draft& draft, const TomlSource& source, const toml::table& table,
                                     const std::string& key) {
  static const auto kNames = field_names(core::provider_fields());
  static const std::vector<std::string> kId = {"id"};
  const std::string prefix = key + ".";
  const GivenFields given = collect_fields(draft, source, table, {prefix, kNames, kId});
  core::ProviderSettings provider;
  draft.set_fields(provider, prefix, core::provider_fields(), given);
  if (const toml::node* const id = table.get("id")) {
    draft.set_place(prefix + "id", source.place(*id));
    provider.id = id->value_or(std::string());
  }
  return provider;
}

}  // namespace

void for_each_table(Draft& draft, const TomlSource& source, const toml::node& list, const std::string& key,
                    const std::function<void(const toml::table&, const std::string&)>& read) {
  draft.set_place(key, source.place(list));
  const toml::array* const elements = list.as_array();
  if (elements == nullptr) {
    draft.add_problem(source.place(list), key, "expected an array of tables, found " + found_text(list));
    return;
  }
  std::size_t index = 0;
  for (const toml::node& element : *elements) {
    const std::string element_key = key + "[" + std::to_string(index++) + "]";
    if (const toml::table* const table = element.as_table()) {
      read(*table, element_key);
    } else {
      draft.add_problem(source.place(element), element_key, "expected a table, found " + found_text(element));
    }
  }
}

void read_providers(Draft& draft, const TomlSource& source, const toml::node& list, const std::string& prefix,
                    core::ChannelSettings& channel) {
  channel.providers.clear();
  for_each_table(draft, source, list, prefix + "providers", [&](const toml::table& table, const std::string& key) {
    channel.providers.push_back(read_provider(draft, source, table, key));
  });
}

}  // namespace turnout::config
