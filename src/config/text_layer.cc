#include "config/text_layer.h"

#include <array>
#include <functional>

#include "config/keys.h"
#include "config/suggestion.h"
#include "config/toml_layer.h"
#include "core/channel_fields.h"

namespace turnout::config {
namespace {

/// One key that text can set.
struct Target {
  std::string channel;   ///< empty: a key outside [channels]
  std::string provider;  ///< empty: none
  std::string field;     ///< below the channel or provider, or the whole key

  [[nodiscard]] std::string table() const {
    if (channel.empty()) return "";
    return "channels." + channel + "." + (provider.empty() ? "" : "providers." + provider + ".");
  }
  [[nodiscard]] std::string key() const { return table() + field; }
  [[nodiscard]] bool is_list() const { return field == "providers" || field == "server.tokens"; }

  friend auto operator<=>(const Target&, const Target&) = default;
};

class TextLayer {
 public:
  TextLayer(Draft& draft, Spelling spelling) : draft_(draft), spelling_(spelling) {}

  /// Lists first, since they say which providers there are.
  void apply(const std::vector<Assignment>& assignments) {
    std::vector<const Assignment*> others;
    for (const Assignment& assignment : assignments) {
      const auto target = find(assignment.name, true);
      if (target.empty()) {
        others.push_back(&assignment);
      } else if (take(target, assignment)) {
        set_list(target.front(), assignment);
      }
    }
    for (const Assignment* const assignment : others) collect(*assignment);
    for (const auto& [table, given] : given_) set(table, given);
  }

 private:
  using Visitor = std::function<void(Target)>;

  [[nodiscard]] std::string spell(std::string_view key) const {
    return spelling_ == Spelling::key ? std::string(key) : variable_spelling(key);
  }

  /// Visits every key that could be spelled `name`; an empty name visits all keys.
  void visit(std::string_view name, const Visitor& visitor) const {
    for (const Key& key : keys()) visitor({"", "", std::string(key.name)});
    visitor({"", "", "server.tokens"});
    for (const auto& [channel, settings] : draft_.settings.channels) {
      if (name.empty() || name.starts_with(spell("channels." + channel + ".")))
        visit_channel(channel, settings, visitor);
    }
  }

  static void visit_channel(const std::string& channel, const core::ChannelSettings& settings, const Visitor& visitor) {
    for (const auto& field : core::channel_fields()) visitor({channel, "", std::string(field.name)});
    visitor({channel, "", "providers"});
    for (const auto& provider : settings.providers) {
      for (const auto& field : core::provider_fields()) visitor({channel, provider.id, std::string(field.name)});
    }
  }

  /// The spellings of a target: variables may leave out the two sections that are about the whole program.
  [[nodiscard]] std::vector<std::string> spellings(const Target& target) const {
    const std::string key = target.key();
    std::vector<std::string> names = {spell(key)};
    for (const std::string_view section : {"server.", "store."}) {
      if (spelling_ == Spelling::variable && key.starts_with(section))
        names.push_back(spell(key.substr(section.size())));
    }
    return names;
  }

  [[nodiscard]] std::vector<Target> find(const std::string& name, bool lists) const {
    std::vector<Target> found;
    visit(name, [&](Target target) {
      if (target.is_list() != lists) return;
      const auto names = spellings(target);
      if (std::find(names.begin(), names.end(), name) != names.end()) found.push_back(std::move(target));
    });
    return found;
  }

  /// Whether the assignment sets one key, and is the first to do so.
  bool take(const std::vector<Target>& targets, const Assignment& assignment) {
    if (targets.size() > 1) {
      draft_.add_problem(
          {assignment.source}, "",
          "may mean " + targets[0].key() + " or " + targets[1].key() + "; use --set with the one that is meant");
      return false;
    }
    const std::string key = targets.front().key();
    const auto [first, inserted] = taken_.emplace(key, assignment.source);
    if (!inserted) draft_.add_problem({assignment.source}, key, "is set by " + first->second + " too");
    return inserted;
  }

  void set_list(const Target& target, const Assignment& assignment) {
    if (target.channel.empty()) {
      read_tokens_text(draft_, assignment.source, assignment.text);
    } else {
      read_providers_text(draft_, assignment.source, assignment.text, target.channel);
    }
  }

  void collect(const Assignment& assignment) {
    const auto targets = find(assignment.name, false);
    if (targets.empty()) return report_unknown(assignment);
    if (!take(targets, assignment)) return;
    const Target& target = targets.front();
    const Target table = {target.channel, target.provider, ""};
    Given given{{assignment.text, core::from_text(assignment.text)}, quote(assignment.text), {assignment.source}};
    given_[table].emplace(target.field, std::move(given));
  }

  void set(const Target& table, const GivenFields& given) {
    if (table.channel.empty()) return draft_.set_fields(draft_.settings, "", keys(), given);
    core::ChannelSettings& channel = draft_.settings.channels[table.channel];
    if (table.provider.empty()) return draft_.set_fields(channel, table.table(), core::channel_fields(), given);
    for (core::ProviderSettings& provider : channel.providers) {
      if (provider.id == table.provider) draft_.set_fields(provider, table.table(), core::provider_fields(), given);
    }
  }

  void report_unknown(const Assignment& assignment) {
    const bool is_variable = spelling_ == Spelling::variable;
    const std::string start = is_variable ? "TURNOUT_" : "";
    std::vector<std::string> names;
    visit("", [&](const Target& target) {
      for (const std::string& name : spellings(target)) names.push_back(start + name);
    });
    const std::string message = unknown(is_variable ? "variable" : "key", start + assignment.name, names);
    draft_.add_problem({assignment.source}, is_variable ? "" : quote(assignment.name), message);
  }

  Draft& draft_;
  const Spelling spelling_;
  std::map<std::string, std::string, std::less<>> taken_;  ///< key → source
  std::map<Target, GivenFields> given_;                    ///< by table: targets without field
};

}  // namespace

void apply_assignments(Draft& draft, const std::vector<Assignment>& assignments, Spelling spelling,
                       bool channels_known) {
  std::vector<Assignment> applicable = assignments;
  if (!channels_known) {
    const std::string_view channels = spelling == Spelling::key ? "channels." : "CHANNELS_";
    std::erase_if(applicable, [&](const Assignment& assignment) { return assignment.name.starts_with(channels); });
  }
  TextLayer(draft, spelling).apply(applicable);
}

}  // namespace turnout::config
