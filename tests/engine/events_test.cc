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

/// An event: `size` times `filling`.
std::shared_ptr<const std::string> text_of(std::size_t size, char filling) {
  return std::make_shared<const std::string>(size, filling);
}

TEST(Events, ASlowReaderLosesTheOldest) {
  Subscription subscription;
  constexpr std::size_t kFit = 16;
  for (std::size_t i = 0; i < kFit + 2; ++i) {
    subscription.offer(text_of(Subscription::kCapacity / kFit, static_cast<char>('a' + i)));
  }
  for (std::size_t i = 2; i < kFit + 2; ++i) {
    EXPECT_EQ(subscription.take(), std::string(Subscription::kCapacity / kFit, static_cast<char>('a' + i)));
  }
  EXPECT_EQ(subscription.take(), std::nullopt);
}

TEST(Events, WhatWasTakenMakesRoom) {
  Subscription subscription;
  for (int round = 0; round < 3; ++round) {
    subscription.offer(text_of(Subscription::kCapacity - 1, 'a'));
    subscription.offer(text_of(1, 'b'));
    EXPECT_EQ(subscription.take()->size(), Subscription::kCapacity - 1);
    EXPECT_EQ(subscription.take(), "b");
    EXPECT_EQ(subscription.take(), std::nullopt);
  }
}

TEST(Events, AnEventBeyondTheBoundWaitsAlone) {
  Subscription subscription;
  subscription.offer(text_of(1, 'a'));
  subscription.offer(text_of(Subscription::kCapacity + 1, 'b'));
  EXPECT_EQ(subscription.take(), std::string(Subscription::kCapacity + 1, 'b'));
  subscription.offer(text_of(Subscription::kCapacity + 1, 'b'));
  subscription.offer(text_of(1, 'c'));
  EXPECT_EQ(subscription.take(), "c");
  EXPECT_EQ(subscription.take(), std::nullopt);
}

TEST(Events, AreTakenInPiecesOfWholeEvents) {
  Subscription subscription;
  subscription.offer(text_of(Subscription::kMaxTaken - 1, 'a'));
  for (const char filling : {'b', 'c'}) subscription.offer(text_of(1, filling));
  subscription.offer(text_of(Subscription::kMaxTaken + 1, 'd'));
  subscription.offer(text_of(1, 'e'));
  EXPECT_EQ(subscription.take(), std::string(Subscription::kMaxTaken - 1, 'a') + "b");
  EXPECT_EQ(subscription.take(), "c");
  EXPECT_EQ(subscription.take(), std::string(Subscription::kMaxTaken + 1, 'd'));
  EXPECT_EQ(subscription.take(), "e");
}

TEST(Events, OfferedToSeveralAreNotCopied) {
  std::vector<Subscription> subscriptions(3);
  const auto text = text_of(100, 'a');
  for (Subscription& subscription : subscriptions) subscription.offer(text);
  EXPECT_EQ(text.use_count(), 4);
  for (Subscription& subscription : subscriptions) EXPECT_EQ(subscription.take(), *text);
  EXPECT_EQ(text.use_count(), 1);
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
