#include <gtest/gtest.h>

#include "engine/engine.h"
#include "store/file/file_store.h"
#include "support/failing_store.h"
#include "support/temporary_directory.h"

// Which channels there are, and how a change of them reaches everybody.

namespace turnout::engine {
namespace {

class ChannelsTest : public ::testing::Test {
 protected:
  Result<Done> change(Engine& at, store::OverrideChanges changes) {
    return await(at.channels.change("payments", std::move(changes), {kStart, "settings", "", "ann", "", ""}, kStart));
  }

  store::MemoryStore memory;
  store::FailingStore failing{memory.stores()};
  Engine engine{failing.stores(), 2};
};

TEST_F(ChannelsTest, TheFileIsInForce) {
  engine.configure_all({{"payouts", channel_of({"a"})}, {"payments", channel_of({"b", "c"})}});
  EXPECT_EQ(engine.channels.size(), 2U);
  EXPECT_EQ(engine.channels.all().front()->name(), "payments") << "by name";
  EXPECT_EQ(engine.channels.configured("payouts"), channel_of({"a"}));
  EXPECT_FALSE(engine.channels.configured("nothing"));
  EXPECT_FALSE(engine.channels.find("nothing"));
  EXPECT_TRUE(engine.channels.overrides("payments").empty());
}

TEST_F(ChannelsTest, ANewConfigurationAddsAndTakesAway) {
  engine.configure_all({{"payments", channel_of({"a"})}, {"old", channel_of({"a"})}});
  (void)await(engine.operations.put_channel("by-hand", channel_of({"a"}), "ann", kStart)).value();
  const auto kept = engine.channel();
  engine.configure_all({{"payments", channel_of({"a"})}, {"new", channel_of({"a"})}});
  EXPECT_FALSE(engine.channels.find("old"));
  EXPECT_TRUE(engine.channels.find("new"));
  EXPECT_TRUE(engine.channels.find("by-hand"));
  EXPECT_EQ(engine.channel(), kept);
}

TEST_F(ChannelsTest, TheStateOfAChannelThatComesBackIsStillThere) {
  engine.configure(channel_of({"a"}));
  engine.fail("a", 5);
  engine.configure_all({});
  EXPECT_FALSE(engine.channel());
  engine.configure(channel_of({"a"}));
  EXPECT_EQ(engine.circuit("a"), core::Circuit::open);
}

TEST_F(ChannelsTest, AReloadKeepsArmsAndActivityOfProvidersThatStay) {
  engine.configure(channel_of({"a", "b"}));
  engine.fail("b", 5);
  engine.configure(channel_of({"new", "b"}));
  EXPECT_EQ(engine.circuit("b"), core::Circuit::open);
  EXPECT_EQ(engine.arm("b").sums.total, 5);
  EXPECT_EQ(engine.activity("b").outcomes(1), 5U);
  EXPECT_EQ(engine.activity("new").outcomes(1), 0U);
  EXPECT_DOUBLE_EQ(engine.view("b").factors.success_rate, 3.0 / 10);
  EXPECT_FALSE(engine.channel()->snapshot()->layout->find("a"));
}

TEST_F(ChannelsTest, OverridesOutliveTheProcess) {
  const TemporaryDirectory directory;
  auto settings = channel_of({"a"});
  {
    const auto store = store::FileStore::open(directory.path()).value();
    Engine before(store->stores());
    before.configure(settings);
    (void)await(before.operations.patch_channel(before.channel(), {{"epsilon", "0.3"}}, "ann", kStart)).value();
    (void)await(before.operations.put_provider(before.channel(), "b", {}, "ann", kStart)).value();
    (void)await(before.operations.put_channel("by-hand", channel_of({"c"}), "ann", kStart)).value();
  }
  const auto store = store::FileStore::open(directory.path()).value();
  Engine after(store->stores());
  settings.sweep_interval_ms = kMinute;  // the file changed meanwhile
  after.configure(settings);
  const auto in_force = after.channel()->snapshot()->settings();
  EXPECT_EQ(in_force.epsilon, 0.3);
  EXPECT_EQ(in_force.sweep_interval_ms, kMinute);
  ASSERT_EQ(in_force.providers.size(), 2U);
  EXPECT_EQ(in_force.providers[1].id, "b");
  ASSERT_TRUE(after.channels.find("by-hand"));
  EXPECT_EQ(after.channels.find("by-hand")->snapshot()->settings(), channel_of({"c"}));
}

TEST_F(ChannelsTest, AnOverrideThatNoLongerFitsIsIgnored) {
  engine.configure(channel_of({"a", "b"}));
  ASSERT_TRUE(change(engine, {{"provider/b/enabled", "false"}, {"unheard_of", "1"}}));
  engine.configure(channel_of({"a"}));
  EXPECT_EQ(engine.channel()->snapshot()->settings(), channel_of({"a"}));
}

TEST_F(ChannelsTest, OfTwoChangesAtOnceTheOneThatWasStoredLastIsInForce) {
  engine.configure(channel_of({"a"}));
  // While the first change reads its arms, the second one is stored and put in force.
  failing.before = [&](std::string_view operation) -> std::optional<Error> {
    if (operation != "read_arms") return std::nullopt;
    failing.before = nullptr;
    EXPECT_TRUE(change(engine, {{"epsilon", "0.2"}}));
    return std::nullopt;
  };
  ASSERT_TRUE(change(engine, {{"epsilon", "0.1"}}));
  EXPECT_EQ(engine.channel()->snapshot()->settings().epsilon, 0.2);
  EXPECT_EQ(engine.channels.overrides("payments"), await(memory.overrides("payments")).value());
}

TEST_F(ChannelsTest, SoItIsWhenTheSecondComesBetweenTheFirstOnesSteps) {
  engine.configure(channel_of({"a"}));
  for (const char* step : {"change_overrides", "overrides", "read_arms"}) {
    failing.before = [&](std::string_view operation) -> std::optional<Error> {
      if (operation != step) return std::nullopt;
      failing.before = nullptr;
      EXPECT_TRUE(change(engine, {{"epsilon", "0.2"}, {"breaker.failure_threshold", "7"}}));
      return std::nullopt;
    };
    ASSERT_TRUE(change(engine, {{"epsilon", "0.1"}}));
    const auto stored = await(memory.overrides("payments")).value();
    EXPECT_EQ(engine.channels.overrides("payments"), stored) << step;
    EXPECT_EQ(std::to_string(engine.channel()->snapshot()->settings().epsilon).substr(0, 3), stored.at("epsilon"));
    EXPECT_EQ(engine.channel()->snapshot()->settings().breaker.failure_threshold, 7U) << step;
    ASSERT_TRUE(change(engine, {{"breaker.failure_threshold", std::nullopt}}));
  }
}

TEST_F(ChannelsTest, AReloadDoesNotForgetAChangeMadeMeanwhile) {
  engine.configure(channel_of({"a"}));
  for (const char* step : {"all_overrides", "read_arms"}) {
    ASSERT_TRUE(change(engine, {{"epsilon", "0.1"}}));
    failing.before = [&](std::string_view operation) -> std::optional<Error> {
      if (operation != step) return std::nullopt;
      failing.before = nullptr;
      EXPECT_TRUE(change(engine, {{"epsilon", "0.2"}}));
      return std::nullopt;
    };
    engine.configure(channel_of({"a", "b"}));
    EXPECT_EQ(engine.channel()->snapshot()->settings().epsilon, 0.2) << step;
    EXPECT_EQ(engine.channel()->snapshot()->providers.size(), 2U) << step;
    engine.configure(channel_of({"a"}));
  }
}

TEST_F(ChannelsTest, AChannelRemovedWhileItIsChangedStaysRemoved) {
  for (const char* step : {"overrides", "read_arms"}) {
    (void)await(engine.operations.put_channel("by-hand", channel_of({"a"}), "ann", kStart)).value();
    failing.before = [&](std::string_view operation) -> std::optional<Error> {
      if (operation != step) return std::nullopt;
      failing.before = nullptr;
      EXPECT_TRUE(await(engine.channels.remove("by-hand")));
      return std::nullopt;
    };
    const auto by_hand = engine.channels.find("by-hand");
    EXPECT_TRUE(await(engine.operations.patch_channel(by_hand, {{"epsilon", "0.1"}}, "ann", kStart)));
    EXPECT_FALSE(engine.channels.find("by-hand")) << step;
  }
}

TEST_F(ChannelsTest, AnOutcomeCountedWhileSettingsChangeIsNotLost) {
  engine.configure(channel_of({"a"}));
  engine.fail("a", 4);
  // The fifth failure comes after the arms were read and before they are published.
  auto settings = channel_of({"a"});
  Channel& channel = *engine.channel();
  const std::vector<core::Arm> arms{engine.arm("a")};
  engine.fail("a", 1);
  ASSERT_TRUE(channel.install(settings, Origin::file, 1000, arms, engine.now));
  EXPECT_EQ(engine.circuit("a"), core::Circuit::open);
  EXPECT_FALSE(channel.install(settings, Origin::file, 1000, arms, engine.now)) << "not newer than what is there";
  channel.update("a", arms[0], engine.now);
  EXPECT_EQ(engine.circuit("a"), core::Circuit::open) << "an older arm";
  channel.refresh(*channel.snapshot(), arms, engine.now);
  EXPECT_EQ(engine.circuit("a"), core::Circuit::open) << "an older arm";
}

TEST_F(ChannelsTest, AFailedReloadSaysSo) {
  engine.configure(channel_of({"a"}));
  failing.fail("all_overrides");
  EXPECT_FALSE(await(engine.channels.configure({}, kStart)));
  EXPECT_TRUE(engine.channel()) << "nothing has changed";
  failing.fail("read_arms");
  EXPECT_FALSE(await(engine.channels.configure({{"payments", channel_of({"a", "b"})}}, kStart)));
}

TEST_F(ChannelsTest, EveryWorkerSeesAChangeWithItsNextCall) {
  engine.configure(channel_of({"a", "b"}));
  for (auto& worker : engine.workers) {
    const auto* view = worker->view("payments");
    ASSERT_NE(view, nullptr);
    EXPECT_EQ(view->snapshot, engine.channel()->snapshot());
    EXPECT_EQ(worker->view("payments")->snapshot, view->snapshot);
    EXPECT_EQ(worker->view("new"), nullptr);
  }
  engine.fail("a", 5);
  engine.configure_all({{"payments", channel_of({"a", "b"})}, {"new", channel_of({"a"})}});
  for (auto& worker : engine.workers) {
    EXPECT_EQ(worker->view("payments")->snapshot->providers[0].breaker.circuit, core::Circuit::open);
    ASSERT_NE(worker->view("new"), nullptr);
  }
  engine.configure_all({{"new", channel_of({"a"})}});
  for (auto& worker : engine.workers) {
    EXPECT_EQ(worker->view("payments"), nullptr);
    EXPECT_NE(worker->view("new"), nullptr);
  }
}

TEST_F(ChannelsTest, AWorkerSeesTheNewChannelOfAnOldName) {
  engine.configure(channel_of({"a"}));
  const auto before = engine.workers[0]->view("payments")->channel;
  engine.configure_all({});
  engine.configure(channel_of({"a"}));
  EXPECT_NE(engine.workers[0]->view("payments")->channel, before);
}

}  // namespace
}  // namespace turnout::engine
