#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.h"

// Events for whoever listens.

namespace turnout::engine {
namespace {

TEST(Events, ReachEveryListenerInOrder) {
  Events events;
  const auto one = events.subscribe();
  const auto two = events.subscribe();
  events.publish("weights", R"({"a":1})");
  events.publish("transition", "{}");
  for (const auto& subscription : {one, two}) {
    EXPECT_EQ(subscription->take(), "event: weights\ndata: {\"a\":1}\n\nevent: transition\ndata: {}\n\n");
    EXPECT_EQ(subscription->take(), std::nullopt);
  }
}

TEST(Events, WhatCameBeforeIsNotSent) {
  Events events;
  events.publish("weights", "{}");
  EXPECT_EQ(events.subscribe()->take(), std::nullopt);
}

TEST(Events, ASlowReaderLosesTheOldest) {
  Events events;
  const auto subscription = events.subscribe();
  constexpr std::size_t kPublished = Subscription::kCapacity + 5;
  for (std::size_t i = 0; i < kPublished; ++i) events.publish("n", std::to_string(i));
  const std::string taken = subscription->take().value();
  EXPECT_THAT(taken, ::testing::StartsWith("event: n\ndata: 5\n\n"));
  EXPECT_THAT(taken, ::testing::EndsWith("data: " + std::to_string(kPublished - 1) + "\n\n"));
}

TEST(Events, AListenerThatIsGoneIsForgotten) {
  Events events;
  EXPECT_FALSE(events.has_listeners());
  auto subscription = events.subscribe();
  EXPECT_TRUE(events.has_listeners());
  subscription.reset();
  events.publish("n", "{}");
  EXPECT_FALSE(events.has_listeners());
}

TEST(Events, ThereIsALimitOfListeners) {
  Events events;
  std::vector<std::shared_ptr<Subscription>> subscriptions;
  for (std::size_t i = 0; i < Events::kMaxSubscriptions; ++i) {
    subscriptions.push_back(events.subscribe());
    ASSERT_TRUE(subscriptions.back());
  }
  EXPECT_FALSE(events.subscribe());
  subscriptions.pop_back();
  EXPECT_TRUE(events.subscribe());
}

TEST(Events, ATransitionSaysFromWhereToWhere) {
  store::MemoryStore memory;
  Engine engine(memory.stores());
  engine.configure(channel_of({"stripe"}));
  const auto subscription = engine.events.subscribe();
  engine.fail("stripe", 5);
  EXPECT_EQ(subscription->take(),
            "event: transition\ndata: {\"at_ms\":1700000000000,\"channel\":\"payments\",\"provider\":\"stripe\","
            "\"from\":\"closed\",\"to\":\"open\",\"manual\":false,\"consecutive_failures\":5,\"generation\":1}\n\n");
  engine.order("stripe", CircuitAction::open);
  EXPECT_THAT(subscription->take().value(), ::testing::HasSubstr("\"manual\":true"));
}

}  // namespace
}  // namespace turnout::engine
