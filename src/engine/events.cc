#include "engine/events.h"

#include <algorithm>

namespace turnout::engine {

void Subscription::offer(const std::shared_ptr<const std::string>& event) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() == kCapacity) waiting_.pop_front();
  waiting_.push_back(event);
}

std::optional<std::string> Subscription::take() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  std::string joined;
  for (const auto& event : waiting_) joined.append(*event);
  waiting_.clear();
  return joined;
}

std::shared_ptr<Subscription> Events::subscribe() {
  const std::lock_guard lock(mutex_);
  std::erase_if(subscriptions_, [](const auto& subscription) { return subscription.expired(); });
  if (subscriptions_.size() >= kMaxSubscriptions) return nullptr;
  auto subscription = std::make_shared<Subscription>();
  subscriptions_.push_back(subscription);
  listeners_.store(subscriptions_.size(), std::memory_order_relaxed);
  return subscription;
}

bool Events::has_listeners() const noexcept { return listeners_.load(std::memory_order_relaxed) > 0; }

void Events::publish(std::string_view name, std::string_view json) {
  if (!has_listeners()) return;
  auto text = std::make_shared<std::string>("event: ");
  text->append(name).append("\ndata: ").append(json).append("\n\n");
  const std::lock_guard lock(mutex_);
  std::erase_if(subscriptions_, [](const auto& subscription) { return subscription.expired(); });
  listeners_.store(subscriptions_.size(), std::memory_order_relaxed);
  for (const auto& subscription : subscriptions_) {
    if (const auto alive = subscription.lock()) alive->offer(text);
  }
}

}  // namespace turnout::engine
