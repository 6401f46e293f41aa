#include "engine/operations.h"

#include <algorithm>
#include <vector>

#include "core/channel_fields.h"
#include "core/channel_overrides.h"

namespace turnout::engine {
namespace {

std::string_view word(CircuitAction action) {
  switch (action) {
    case CircuitAction::open:
      return "open";
    case CircuitAction::close:
      return "close";
    case CircuitAction::auto_:
      return "auto";
  }
  TURNOUT_ASSERT(false);
}

core::BreakerEvent event_of(const CircuitOrder& order, TimeMs now) {
  switch (order.action) {
    case CircuitAction::open:
      return core::OpenManually{order.expires_in_ms ? now + *order.expires_in_ms : 0};
    case CircuitAction::close:
      return core::CloseManually{};
    case CircuitAction::auto_:
      return core::ReturnToAutomatic{};
  }
  TURNOUT_ASSERT(false);
}

/// "epsilon = 0.1, breaker.open_for = 10s"
std::string describe(const std::map<std::string, std::string>& fields) {
  std::string text;
  for (const auto& [name, value] : fields) {
    if (!text.empty()) text += ", ";
    text.append(name).append(" = ").append(value);
  }
  return text;
}

/// Overrides of fields that another one replaces go with it.
store::OverrideChanges changes_of(const std::map<std::string, std::string>& fields) {
  store::OverrideChanges changes;
  for (const auto& [name, text] : fields) {
    for (const auto replaced : core::find_channel_field(name)->replaces) changes.emplace(replaced, std::nullopt);
  }
  for (const auto& [name, text] : fields) changes[name] = text;
  return changes;
}

/// The providers of `before` that `after` does not have.
std::vector<std::string> left_out(const core::ChannelSettings& before, const core::ChannelSettings& after) {
  std::vector<std::string> ids;
  for (const auto& provider : before.providers) {
    const auto is_it = [&](const core::ProviderSettings& kept) { return kept.id == provider.id; };
    if (std::none_of(after.providers.begin(), after.providers.end(), is_it)) ids.push_back(provider.id);
  }
  return ids;
}

}  // namespace

Awaitable<Result<core::Breaker>> Operations::order_circuit(std::shared_ptr<Channel> channel, std::string provider,
                                                           CircuitOrder order, TimeMs now) {
  const auto snapshot = channel->snapshot();
  const core::BreakerEvent event = event_of(order, now);
  const auto change =
      co_await stores_.arms.change_breaker(channel->name(), provider, snapshot->settings().breaker, event, now);
  if (!change) co_return change.error();
  channel->update(provider, change->arm, now);
  co_await transitions_.observe(*channel, snapshot, provider, change->before, change->arm.breaker, now);
  std::string detail = order.expires_in_ms ? "expires_in_ms = " + std::to_string(*order.expires_in_ms) : "";
  store::AuditEntry entry{
      now, std::string(word(order.action)), provider, order.author, order.reason, std::move(detail)};
  const auto audited = co_await stores_.settings.append_audit(channel->name(), std::move(entry));
  if (!audited) {
    co_return Error{audited.error().code,
                    "the order is carried out, but its audit entry could not be stored: " + audited.error().message};
  }
  co_return change->arm.breaker;
}

Awaitable<Result<Done>> Operations::put_channel(std::string channel, core::ChannelSettings settings, std::string author,
                                                TimeMs now) {
  const auto base = channels_.configured(channel);
  const auto known = channels_.find(channel);
  const std::vector<std::string> removed =
      known ? left_out(known->snapshot()->settings(), settings) : std::vector<std::string>{};
  store::OverrideChanges changes;
  for (const auto& [name, text] : channels_.overrides(channel)) changes.emplace(name, std::nullopt);
  for (auto& [name, text] : core::overrides_between(base.value_or(core::ChannelSettings{}), settings)) {
    changes[name] = std::move(text);
  }
  if (!base) changes[std::string(core::kChannelPresent)] = std::string(core::kPresent);
  store::AuditEntry entry{now, known ? "channel_replaced" : "channel_created", "", std::move(author), "", ""};
  const auto changed = co_await channels_.change(channel, std::move(changes), std::move(entry), now);
  if (!changed) co_return changed.error();
  for (const std::string& provider : removed) {
    const auto done = co_await stores_.arms.remove_provider(channel, provider);
    if (!done) co_return done.error();
  }
  co_return Done{};
}

Awaitable<Result<Done>> Operations::patch_channel(std::shared_ptr<Channel> channel,
                                                  std::map<std::string, std::string> fields, std::string author,
                                                  TimeMs now) {
  store::AuditEntry entry{now, "settings", "", std::move(author), "", describe(fields)};
  co_return co_await channels_.change(channel->name(), changes_of(fields), std::move(entry), now);
}

Awaitable<Result<Done>> Operations::put_provider(std::shared_ptr<Channel> channel, std::string provider,
                                                 std::map<std::string, std::string> fields, std::string author,
                                                 TimeMs now) {
  const bool exists = channel->snapshot()->layout->find(provider).has_value();
  store::OverrideChanges changes;
  changes[core::provider_override(provider)] = std::string(core::kPresent);
  for (const auto& [name, text] : fields) changes[core::provider_override(provider, name)] = text;
  store::AuditEntry entry{
      now, exists ? "provider_changed" : "provider_added", provider, std::move(author), "", describe(fields)};
  co_return co_await channels_.change(channel->name(), std::move(changes), std::move(entry), now);
}

Awaitable<Result<Done>> Operations::remove_provider(std::shared_ptr<Channel> channel, std::string provider,
                                                    std::string author, TimeMs now) {
  const auto base = channels_.configured(channel->name());
  bool in_file = false;
  for (const auto& known : base ? base->providers : std::vector<core::ProviderSettings>{})
    in_file |= known.id == provider;
  store::OverrideChanges changes;
  for (const auto& field : core::provider_fields()) {
    changes[core::provider_override(provider, field.name)] = std::nullopt;
  }
  auto& presence = changes[core::provider_override(provider)];
  if (in_file) presence = std::string(core::kRemoved);
  store::AuditEntry entry{now, "provider_removed", provider, std::move(author), "", ""};
  const auto changed = co_await channels_.change(channel->name(), std::move(changes), std::move(entry), now);
  if (!changed) co_return changed.error();
  co_return co_await stores_.arms.remove_provider(channel->name(), provider);
}

}  // namespace turnout::engine
