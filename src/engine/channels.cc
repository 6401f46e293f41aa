#include "engine/channels.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "core/channel_overrides.h"

namespace turnout::engine {
namespace {

std::vector<std::string> provider_ids(const core::ChannelSettings& settings) {
  std::vector<std::string> ids;
  for (const auto& provider : settings.providers) ids.push_back(provider.id);
  return ids;
}

}  // namespace

/// Settings and sequence are taken together under the lock, so that of two concurrent changes the one that saw both
/// wins.
Channels::Plan Channels::plan(const std::string& name) {
  const auto configured = configured_.find(name);
  const bool from_file = configured != configured_.end();
  Plan plan;
  plan.origin = from_file ? Origin::file : Origin::override_;
  plan.settings = from_file ? configured->second : core::ChannelSettings{};
  const auto overrides = overrides_.find(name);
  if (overrides != overrides_.end()) {
    std::vector<std::string> ignored;
    plan.settings = core::with_overrides(std::move(plan.settings), overrides->second.texts, &ignored);
    for (const auto& entry : ignored)
      spdlog::warn("channel {}: stored override {} no longer fits and is ignored", name, entry);
  }
  const auto known = channels_.find(name);
  plan.channel = known == channels_.end() ? std::make_shared<Channel>(name, workers_) : known->second;
  plan.sequence = ++sequence_;
  return plan;
}

Awaitable<Result<Done>> Channels::carry_out(Plan plan, TimeMs now) {
  auto arms = co_await stores_.arms.read_arms(plan.channel->name(), provider_ids(plan.settings));
  if (!arms) co_return arms.error();
  const std::unique_lock lock(mutex_);
  if (!exists(plan.channel->name())) co_return Done{};  // removed while the arms were read
  // Two calls may have created the same channel at once: the first one's object stays. It is published with its first
  // snapshot in place, so that nobody meets a channel without one.
  const auto known = channels_.find(plan.channel->name());
  const auto target = known == channels_.end() ? plan.channel : known->second;
  target->install(std::move(plan.settings), plan.origin, plan.sequence, *arms, now);
  if (known == channels_.end()) {
    channels_.emplace(target->name(), target);
    version_.fetch_add(1, std::memory_order_release);
  }
  co_return Done{};
}

bool Channels::exists(std::string_view name) const {
  if (configured_.contains(name)) return true;
  const auto overrides = overrides_.find(name);
  return overrides != overrides_.end() && overrides->second.texts.contains(core::kChannelPresent);
}

std::vector<Channels::Plan> Channels::plan_all() {
  const auto gone = [&](const auto& entry) { return !exists(entry.first); };
  if (boost::unordered::erase_if(channels_, gone) > 0) version_.fetch_add(1, std::memory_order_release);
  std::set<std::string> names;
  for (const auto& [name, settings] : configured_) names.insert(name);
  for (const auto& [name, read] : overrides_) {
    if (exists(name)) names.insert(name);
  }
  std::vector<Plan> plans;
  for (const auto& name : names) plans.push_back(plan(name));
  return plans;
}

std::uint64_t Channels::begin_read() {
  const std::unique_lock lock(mutex_);
  return ++reads_begun_;
}

void Channels::take_overrides(const std::string& channel, store::Overrides texts, std::uint64_t turn) {
  ReadOverrides& known = overrides_[channel];
  if (known.turn < turn) known = {std::move(texts), turn};
}

Awaitable<Result<Done>> Channels::read_overrides(std::string channel) {
  const std::uint64_t turn = begin_read();
  auto texts = co_await stores_.settings.overrides(channel);
  if (!texts) co_return texts.error();
  const std::unique_lock lock(mutex_);
  take_overrides(channel, *std::move(texts), turn);
  co_return Done{};
}

Awaitable<Result<Done>> Channels::configure(ConfiguredChannels configured, TimeMs now) {
  const std::uint64_t turn = begin_read();
  auto overrides = co_await stores_.settings.all_overrides();
  if (!overrides) co_return overrides.error();
  std::vector<Plan> plans;
  {
    const std::unique_lock lock(mutex_);
    configured_ = std::move(configured);
    for (auto& [name, texts] : *overrides) take_overrides(name, std::move(texts), turn);
    std::erase_if(overrides_, [turn](const auto& entry) { return entry.second.turn < turn; });
    plans = plan_all();
  }
  for (auto& next : plans) {
    auto done = co_await carry_out(std::move(next), now);
    if (!done) co_return done.error();
  }
  co_return Done{};
}

Awaitable<Result<Done>> Channels::change(std::string channel, store::OverrideChanges changes, store::AuditEntry entry,
                                         TimeMs now) {
  auto stored = co_await stores_.settings.change_overrides(channel, std::move(changes), std::move(entry));
  if (!stored) co_return stored.error();
  auto done = co_await read_overrides(channel);
  if (done) done = co_await put_in_force(std::move(channel), now);
  if (done) co_return Done{};
  co_return Error{done.error().code, "stored, but not in force yet: " + done.error().message};
}

Awaitable<Result<Done>> Channels::put_in_force(std::string channel, TimeMs now) {
  Plan next;
  {
    const std::unique_lock lock(mutex_);
    if (!exists(channel)) co_return Done{};  // removed again already
    next = plan(channel);
  }
  co_return co_await carry_out(std::move(next), now);
}

Awaitable<Result<Done>> Channels::remove(std::string channel) {
  const auto known = find(channel);
  {
    const std::unique_lock lock(mutex_);
    if (channels_.erase(channel) > 0) version_.fetch_add(1, std::memory_order_release);
  }
  const auto removed = co_await stores_.settings.remove_channel(channel);
  if (!removed) {
    const std::unique_lock lock(mutex_);
    if (known && channels_.emplace(channel, known).second) version_.fetch_add(1, std::memory_order_release);
    co_return removed.error();
  }
  const auto read = co_await read_overrides(channel);
  if (!read) co_return read.error();
  const std::unique_lock lock(mutex_);
  // A change at the same time may have put it in force again before the store forgot it.
  if (!exists(channel) && channels_.erase(channel) > 0) version_.fetch_add(1, std::memory_order_release);
  co_return Done{};
}

std::shared_ptr<Channel> Channels::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = channels_.find(name);
  return found == channels_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Channel>> Channels::all() const {
  std::vector<std::shared_ptr<Channel>> channels;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [name, channel] : channels_) channels.push_back(channel);
  }
  std::sort(channels.begin(), channels.end(), [](const auto& a, const auto& b) { return a->name() < b->name(); });
  return channels;
}

std::size_t Channels::size() const {
  const std::shared_lock lock(mutex_);
  return channels_.size();
}

std::optional<core::ChannelSettings> Channels::configured(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = configured_.find(name);
  return found == configured_.end() ? std::nullopt : std::optional(found->second);
}

store::Overrides Channels::overrides(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = overrides_.find(name);
  return found == overrides_.end() ? store::Overrides{} : found->second.texts;
}

}  // namespace turnout::engine
