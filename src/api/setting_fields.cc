#include "api/setting_fields.h"

#include <algorithm>
#include <optional>
#include <set>
#include <variant>
#include <vector>

namespace turnout::api {
namespace {

std::optional<core::FieldValue> value_of(const JsonNode& node) {
  switch (node.kind()) {
    case JsonKind::boolean:
      return node.boolean();
    case JsonKind::integer:
      return node.integer();
    case JsonKind::number:
      return node.number();
    case JsonKind::string:
      return std::string(node.text());
    default:
      return std::nullopt;
  }
}

/// Sets the field that the node names, or records what is wrong with it.
template <class Settings>
void set(JsonReader& in, const JsonNode& node, const core::Field<Settings>* field, Settings& settings,
         FieldTexts& texts) {
  if (field == nullptr) return in.refuse(node, "unknown field");
  const auto value = value_of(node);
  const auto done = value ? field->set(settings, *value)
                          : Result<Done>(Error{Error::Code::invalid, "expected " + std::string(field->expected)});
  if (!done) return in.refuse(node, done.error().message);
  texts.emplace(field->name, core::to_text(*value));
}

/// The part of a field's name before the dot.
std::string_view group_of(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

/// A field of the document with the name it has in the table.
struct NamedNode {
  std::string name;
  const JsonNode* node = nullptr;
};

/// Whether fields of the table stand in an object of that name: `breaker`, `latency`, `prior`.
bool is_group(std::string_view name) {
  const auto fields = core::channel_fields();
  return std::any_of(fields.begin(), fields.end(),
                     [&](const core::ChannelField& field) { return group_of(field.name) == name; });
}

/// The fields that one field of the request brings: itself, or those within it where it is a group. A name with a dot
/// of its own would be a second spelling of a field in a group.
void collect(JsonReader& in, const JsonNode& node, std::vector<NamedNode>& out) {
  const std::string name(node.key());
  if (name.find('.') != std::string::npos) return in.refuse(node, "unknown field");
  if (node.kind() != JsonKind::object || !is_group(name)) {
    out.push_back({name, &node});
    return;
  }
  for (const JsonNode& child : node.children()) {
    if (child.key().find('.') != std::string_view::npos) return in.refuse(child, "unknown field");
    out.push_back({name + "." + std::string(child.key()), &child});
  }
}

void read_providers(JsonReader& in, const JsonNode& list, core::ChannelSettings& settings) {
  if (list.kind() != JsonKind::array) return in.refuse(list, "expected an array of providers");
  if (list.size() > core::kMaxProviders) return in.refuse(list, "at most 1000 providers");
  settings.providers.clear();
  std::set<std::string_view> ids;
  for (const JsonNode& element : list.children()) {
    JsonReader item = in.object(element);
    core::ProviderSettings provider;
    const std::string_view id = item.id("id");
    if (!ids.insert(id).second) item.refuse("id", "another provider has it already");
    provider.id = id;
    FieldTexts ignored;
    for (const auto& field : core::provider_fields()) {
      const JsonNode* node = element.find(field.name);
      if (node == nullptr) continue;
      (void)item.is_null(field.name);
      set(item, *node, &field, provider, ignored);
    }
    for (const JsonNode& child : element.kind() == JsonKind::object ? element.children() : JsonChildren{}) {
      if (child.key() != "id" && core::find_provider_field(child.key()) == nullptr) item.refuse(child, "unknown field");
    }
    settings.providers.push_back(std::move(provider));
  }
}

/// Records the first contradiction in the settings at the field that it names, whether that was given or only its
/// counterpart. (Both stand in one group, and those of providers were found already.)
void refuse_contradiction(JsonReader& in, const core::ChannelSettings& settings) {
  const auto contradictions = core::contradictions(settings);
  if (contradictions.empty()) return;
  const std::string_view field = contradictions.front().field;
  const std::string_view group = group_of(field);
  in.object(group).refuse(field.substr(group.size() + 1), contradictions.front().message);
}

void write_value(JsonWriter& json, const core::FieldValue& value) {
  std::visit([&](const auto& v) { json.value(v); }, value);
}

}  // namespace

FieldTexts read_channel_fields(JsonReader& in, core::ChannelSettings& settings, bool providers) {
  std::vector<NamedNode> nodes;
  for (const JsonNode& node : in.fields()) {
    if (providers && node.key() == "providers") {
      read_providers(in, node, settings);
    } else {
      collect(in, node, nodes);
    }
  }
  FieldTexts texts;
  for (const auto& [name, node] : nodes) {
    if (core::find_channel_field(name) == nullptr) {
      in.refuse(*node, is_group(name) ? "expected an object" : "unknown field");
    }
  }
  // In the order of the table, where the more exact field has the last word.
  for (const auto& field : core::channel_fields()) {
    for (const auto& [name, node] : nodes) {
      if (name == field.name) set(in, *node, &field, settings, texts);
    }
  }
  if (texts.contains("window") && texts.contains("half_life"))
    in.refuse("window", "half_life is given too: only one of them");
  refuse_contradiction(in, settings);
  return texts;
}

FieldTexts read_provider_fields(JsonReader& in, core::ProviderSettings& provider) {
  FieldTexts texts;
  for (const JsonNode& node : in.fields()) set(in, node, core::find_provider_field(node.key()), provider, texts);
  return texts;
}

void write_channel_fields(JsonWriter& json, const core::ChannelSettings& settings) {
  std::string_view open_group;
  for (const auto& field : core::channel_fields()) {
    const auto value = field.get(settings);
    // A prior is written by its two numbers only, which say the same and can always be read back.
    if (!value || field.name == "prior") continue;
    const std::string_view group = group_of(field.name);
    if (group != open_group) {
      if (!open_group.empty()) json.end_object();
      if (!group.empty()) json.key(group).begin_object();
      open_group = group;
    }
    json.key(group.empty() ? field.name : field.name.substr(group.size() + 1));
    write_value(json, *value);
  }
  if (!open_group.empty()) json.end_object();
  json.key("providers").begin_array();
  for (const auto& provider : settings.providers) {
    json.begin_object().field("id", provider.id);
    for (const auto& field : core::provider_fields()) {
      json.key(field.name);
      write_value(json, *field.get(provider));
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace turnout::api
