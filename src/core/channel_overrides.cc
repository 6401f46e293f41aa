#include "core/channel_overrides.h"

#include <algorithm>

#include "base/text.h"
#include "core/channel_fields.h"

namespace turnout::core {
namespace {

constexpr std::string_view kProviderPrefix = "provider/";

/// The two parts of `provider/ID/field`; `field` is empty for `provider/ID`.
struct ProviderOverride {
  std::string_view id;
  std::string_view field;
};

ProviderOverride split(std::string_view name) {
  name.remove_prefix(kProviderPrefix.size());
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return {name, {}};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

auto find_provider(ChannelSettings& settings, std::string_view id) {
  return std::find_if(settings.providers.begin(), settings.providers.end(),
                      [id](const ProviderSettings& provider) { return provider.id == id; });
}

bool add_provider(ChannelSettings& settings, std::string_view id) {
  if (find_provider(settings, id) != settings.providers.end()) return true;
  if (!is_id(id) || settings.providers.size() >= kMaxProviders) return false;
  ProviderSettings& added = settings.providers.emplace_back();
  added.id = id;
  return true;
}

bool apply_provider_field(ChannelSettings& settings, const ProviderOverride& name, std::string_view text) {
  const auto provider = find_provider(settings, name.id);
  const ProviderField* const field = find_provider_field(name.field);
  return provider != settings.providers.end() && field != nullptr && field->assign(*provider, from_text(text));
}

/// A name sorts before every longer one, so a provider is there before its fields.
bool apply_provider(ChannelSettings& settings, std::string_view name, std::string_view text) {
  const ProviderOverride parts = split(name);
  if (!parts.field.empty()) return apply_provider_field(settings, parts, text);
  if (text == kPresent) return add_provider(settings, parts.id);
  if (text != kRemoved) return false;
  std::erase_if(settings.providers, [&](const ProviderSettings& provider) { return provider.id == parts.id; });
  return true;
}

bool is_known(std::string_view name) {
  return name == kChannelPresent || name.starts_with(kProviderPrefix) || find_channel_field(name) != nullptr;
}

void apply_fields(ChannelSettings& settings, const OverrideTexts& overrides, std::vector<std::string>& ignored) {
  for (const ChannelField& field : channel_fields()) {
    const auto entry = overrides.find(field.name);
    if (entry == overrides.end()) continue;
    if (!field.assign(settings, from_text(entry->second))) ignored.push_back(entry->first);
  }
}

/// See with_overrides: the file's own periods never contradict each other, so going back to them settles it.
void settle_open_periods(ChannelSettings& settings, const BreakerSettings& base, const OverrideTexts& overrides,
                         std::vector<std::string>& ignored) {
  if (settings.breaker.max_open_for_ms >= settings.breaker.open_for_ms) return;
  settings.breaker.open_for_ms = base.open_for_ms;
  settings.breaker.max_open_for_ms = base.max_open_for_ms;
  for (const std::string_view name : {"breaker.open_for", "breaker.max_open_for"}) {
    if (overrides.contains(name) && std::find(ignored.begin(), ignored.end(), name) == ignored.end()) {
      ignored.emplace_back(name);
    }
  }
}

}  // namespace

std::string provider_override(std::string_view provider) { return std::string(kProviderPrefix).append(provider); }

std::string provider_override(std::string_view provider, std::string_view field) {
  return provider_override(provider).append("/").append(field);
}

ChannelSettings with_overrides(ChannelSettings base, const OverrideTexts& overrides,
                               std::vector<std::string>* ignored) {
  ChannelSettings settings = base;
  std::vector<std::string> left_out;
  apply_fields(settings, overrides, left_out);
  settle_open_periods(settings, base.breaker, overrides, left_out);
  for (const auto& [name, text] : overrides) {
    if (!is_known(name) || (name.starts_with(kProviderPrefix) && !apply_provider(settings, name, text))) {
      left_out.push_back(name);
    }
  }
  if (ignored != nullptr) ignored->insert(ignored->end(), left_out.begin(), left_out.end());
  return settings;
}

OverrideTexts overrides_between(const ChannelSettings& base, const ChannelSettings& settings) {
  OverrideTexts overrides;
  for (const ChannelField& field : channel_fields()) {
    const auto value = field.get(settings);
    if (value && value != field.get(base)) overrides.emplace(field.name, to_text(*value));
  }
  ChannelSettings before = base;
  for (const auto& provider : base.providers) {
    const auto same = [&](const ProviderSettings& other) { return other.id == provider.id; };
    if (std::none_of(settings.providers.begin(), settings.providers.end(), same)) {
      overrides.emplace(provider_override(provider.id), kRemoved);
    }
  }
  for (const auto& provider : settings.providers) {
    const auto known = find_provider(before, provider.id);
    const ProviderSettings fresh{.id = provider.id};
    if (known == before.providers.end()) overrides.emplace(provider_override(provider.id), kPresent);
    for (const ProviderField& field : provider_fields()) {
      const auto value = field.get(provider);
      if (value && value != field.get(known == before.providers.end() ? fresh : *known)) {
        overrides.emplace(provider_override(provider.id, field.name), to_text(*value));
      }
    }
  }
  return overrides;
}

}  // namespace turnout::core
