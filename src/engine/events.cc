#include "engine/events.h"

#include <algorithm>
#include <utility>

namespace turnout::engine {

void Subscription::offer(std::shared_ptr<const std::string> event) {
  const std::lock_guard lock(mutex_);
  waiting_bytes_ += event->size();
  waiting_.push_back(std::move(event));
  while (waiting_bytes_ > kCapacity && waiting_.size() > 1) {
    waiting_bytes_ -= waiting_.front()->size();
    waiting_.pop_front();
  }
}

std::optional<std::string> Subscription::take() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  std::string joined;
  do {
    joined.append(*waiting_.front());
    waiting_.pop_front();
  } while (!waiting_.empty() && joined.size() + waiting_.front()->size() <= kMaxTaken);
  waiting_bytes_ -= joined.size();
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
  constexpr std::string_view kEvent = "event: ";
  constexpr std::string_view kData = "\ndata: ";
  auto text = std::make_shared<std::string>();
  text->reserve(kEvent.size() + name.size() + kData.size() + json.size() + 2);
  text->append(kEvent).append(name).append(kData).append(json).append("\n\n");
  const std::lock_guard lock(mutex_);
  std::erase_if(subscriptions_, [](const auto& subscription) { return subscription.expired(); });
  listeners_.store(subscriptions_.size(), std::memory_order_relaxed);
  for (const auto& subscription : subscriptions_) {
    if (const auto alive = subscription.lock()) alive->offer(text);
  }
}

}  // namespace turnout::engine
