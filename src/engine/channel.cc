#include "engine/channel.h"

#include "base/assert.h"
#include "base/json_writer.h"

namespace turnout::engine {

std::shared_ptr<const Snapshot> Channel::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

void Channel::publish(std::shared_ptr<const Snapshot> snapshot) {
  snapshot_ = std::move(snapshot);
  version_.fetch_add(1, std::memory_order_release);
}

bool Channel::install(core::ChannelSettings settings, Origin origin, std::uint64_t sequence,
                      const std::vector<core::Arm>& arms, TimeMs now) {
  TURNOUT_ASSERT(arms.size() == settings.providers.size());
  auto layout = std::make_shared<ChannelLayout>();
  layout->settings = std::move(settings);
  layout->origin = origin;
  const auto& providers = layout->settings.providers;

  const std::lock_guard lock(mutex_);
  if (sequence <= sequence_) return false;
  sequence_ = sequence;
  auto snapshot = std::make_shared<Snapshot>();
  for (std::size_t i = 0; i < providers.size(); ++i) {
    const auto before = snapshot_ ? snapshot_->layout->find(providers[i].id) : std::nullopt;
    layout->positions.emplace(providers[i].id, static_cast<core::ProviderIndex>(i));
    JsonWriter(layout->json_ids.emplace_back()).value(providers[i].id);
    layout->activity.push_back(before ? snapshot_->layout->activity[*before]
                                      : std::make_shared<ProviderActivity>(workers_));
    snapshot->providers.push_back(core::view_of(arms[i], providers[i], layout->settings, now));
    // An outcome that was counted while the arms were read has published a newer breaker; the weight follows with the
    // next sweep.
    if (before && snapshot_->providers[*before].revision > arms[i].revision) {
      snapshot->providers.back().breaker = snapshot_->providers[*before].breaker;
      snapshot->providers.back().revision = snapshot_->providers[*before].revision;
    }
  }
  snapshot->layout = std::move(layout);
  publish(std::move(snapshot));
  return true;
}

void Channel::update(std::string_view provider, const core::Arm& arm, TimeMs now) {
  const std::lock_guard lock(mutex_);
  if (!snapshot_) return;
  const auto position = snapshot_->layout->find(provider);
  if (!position || snapshot_->providers[*position].revision > arm.revision) return;
  auto next = std::make_shared<Snapshot>(*snapshot_);
  next->providers[*position] = core::view_of(arm, next->settings().providers[*position], next->settings(), now);
  publish(std::move(next));
}

core::Breaker Channel::take_probe(std::string_view provider, const core::TakeProbe& probe, TimeMs now) {
  const std::lock_guard lock(mutex_);
  const auto position = snapshot_ ? snapshot_->layout->find(provider) : std::nullopt;
  if (!position) return {};
  auto next = std::make_shared<Snapshot>(*snapshot_);
  core::Breaker& breaker = next->providers[*position].breaker;
  breaker = core::after_event(breaker, next->settings().breaker, probe, now);
  const core::Breaker after = breaker;
  publish(std::move(next));
  return after;
}

void Channel::refresh(const Snapshot& snapshot, const std::vector<core::Arm>& arms, TimeMs now) {
  TURNOUT_ASSERT(arms.size() == snapshot.providers.size());
  const std::lock_guard lock(mutex_);
  if (snapshot_->layout != snapshot.layout) return;
  auto next = std::make_shared<Snapshot>(*snapshot_);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (next->providers[i].revision > arms[i].revision) continue;
    next->providers[i] = core::view_of(arms[i], next->settings().providers[i], next->settings(), now);
  }
  publish(std::move(next));
}

}  // namespace turnout::engine
