#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "support/failing_store.h"

// What operators order: circuits by hand, and settings.

namespace turnout::engine {
namespace {

using core::Circuit;
using ::testing::ElementsAre;

class OperationsTest : public ::testing::Test {
 protected:
  OperationsTest() { engine.configure(channel_of({"stripe", "adyen"})); }

  /// The actions of the audit list, oldest first.
  std::vector<std::string> actions() {
    std::vector<std::string> actions;
    for (const auto& entry : engine.audit()) actions.insert(actions.begin(), entry.action);
    return actions;
  }
  Result<Done> patch(std::map<std::string, std::string> fields) {
    return await(engine.operations.patch_channel(engine.channel(), std::move(fields), "ann", engine.now));
  }
  [[nodiscard]] const core::ChannelSettings& settings() {
    snapshot = engine.channel()->snapshot();
    return snapshot->settings();
  }

  store::MemoryStore memory;
  store::FailingStore failing{memory.stores()};
  Engine engine{failing.stores()};
  std::shared_ptr<const Snapshot> snapshot;
};

TEST_F(OperationsTest, AProviderOpenedByHandStaysOpenWhateverComes) {
  const core::Breaker breaker = engine.order("stripe", CircuitAction::open);
  EXPECT_TRUE(breaker.manual);
  EXPECT_EQ(breaker.circuit, Circuit::open);
  for (int i = 0; i < 100; ++i) engine.report("t" + std::to_string(i), "stripe", success());
  engine.advance(kHour, kMinute);
  EXPECT_EQ(engine.circuit("stripe"), Circuit::open);
  EXPECT_EQ(engine.route("t").why_not[0], core::WhyNot::manual_open);

  const auto entry = engine.audit().front();
  EXPECT_EQ(entry, (store::AuditEntry{kStart, "open", "stripe", "ann", "maintenance", ""}));
  EXPECT_EQ(engine.activity("stripe").transitions(Circuit::open), 1U);
}

TEST_F(OperationsTest, ClosingByHandStartsTheCountAgain) {
  engine.fail("stripe", 5);
  const core::Breaker breaker = engine.order("stripe", CircuitAction::close);
  EXPECT_EQ(breaker.circuit, Circuit::closed);
  EXPECT_EQ(breaker.consecutive_failures, 0U);
  EXPECT_THAT(actions(), ElementsAre("close"));
}

TEST_F(OperationsTest, HandingBackLetsAProbeDecideAfterTooManyFailures) {
  engine.order("stripe", CircuitAction::open);
  EXPECT_EQ(engine.order("stripe", CircuitAction::auto_).circuit, Circuit::closed);
  engine.order("stripe", CircuitAction::open);
  engine.fail("stripe", 5);
  EXPECT_EQ(engine.order("stripe", CircuitAction::auto_).circuit, Circuit::half_open);
  EXPECT_THAT(actions(), ElementsAre("open", "auto", "open", "auto"));
}

TEST_F(OperationsTest, AnOpeningForATimeEndsByItselfAndASweepNotesIt) {
  engine.order("stripe", CircuitAction::open, 60 * kSecond);
  EXPECT_EQ(engine.audit().front().detail, "expires_in_ms = 60000");
  engine.advance(59 * kSecond);
  EXPECT_EQ(engine.circuit("stripe"), Circuit::open);
  engine.advance(11 * kSecond);
  EXPECT_EQ(engine.circuit("stripe"), Circuit::closed);
  EXPECT_THAT(actions(), ElementsAre("open", "expired"));
  EXPECT_EQ(engine.audit().front().provider, "stripe");
  EXPECT_FALSE(engine.view("stripe").breaker.manual);
  engine.advance(kMinute);
  EXPECT_THAT(actions(), ElementsAre("open", "expired")) << "noted once";
}

TEST_F(OperationsTest, TheEndOfAnOpeningIsNotedWithoutWaitingForASweep) {
  engine.step();
  engine.order("stripe", CircuitAction::open, 300);
  engine.advance(2 * Sweeper::kStepEvery, Sweeper::kStepEvery);
  EXPECT_THAT(actions(), ElementsAre("open", "expired"));
  EXPECT_FALSE(engine.view("stripe").breaker.manual);
}

TEST_F(OperationsTest, ADecisionMayFindItsEndFirst) {
  engine.order("stripe", CircuitAction::open, 60 * kSecond);
  engine.now += 60 * kSecond;
  const Decided decided = engine.route("t1", {.eligible = {{"stripe"}}});
  EXPECT_EQ(decided.provider, "stripe");
  EXPECT_EQ(decided.answer.decision.reason, core::Reason::exploited);
  EXPECT_THAT(actions(), ElementsAre("open")) << "a decision changes nothing";
  engine.step();
  EXPECT_THAT(actions(), ElementsAre("open", "expired"));
}

TEST_F(OperationsTest, AReportMayFindItsEndFirst) {
  engine.order("stripe", CircuitAction::open, 60 * kSecond);
  engine.now += 60 * kSecond;
  EXPECT_EQ(engine.report("t1", "stripe", success()).circuit, Circuit::closed);
  engine.step();
  EXPECT_THAT(actions(), ElementsAre("open", "expired"));
}

TEST_F(OperationsTest, AnOrderMayFindItsEndFirst) {
  engine.order("stripe", CircuitAction::open, 60 * kSecond);
  engine.now += 60 * kSecond;
  engine.order("stripe", CircuitAction::open);
  EXPECT_THAT(actions(), ElementsAre("open", "expired", "open"));
  EXPECT_EQ(engine.circuit("stripe"), Circuit::open);
  engine.order("stripe", CircuitAction::close);
  EXPECT_THAT(actions(), ElementsAre("open", "expired", "open", "close"));
}

TEST_F(OperationsTest, AnOrderHoldsWithoutItsAuditEntryAndSaysSo) {
  failing.fail("append_audit");
  CircuitOrder order{CircuitAction::open, "ann", "", {}};
  const auto answer = await(engine.operations.order_circuit(engine.channel(), "stripe", order, engine.now));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, ::testing::HasSubstr("audit entry could not be stored"));
  EXPECT_EQ(engine.circuit("stripe"), Circuit::open);
  EXPECT_EQ(engine.activity("stripe").transitions(Circuit::open), 1U);
}

TEST_F(OperationsTest, AnOrderThatTheStoreRefusesChangesNothing) {
  failing.fail("change_breaker");
  CircuitOrder order{CircuitAction::open, "ann", "", {}};
  EXPECT_FALSE(await(engine.operations.order_circuit(engine.channel(), "stripe", order, engine.now)));
  EXPECT_EQ(engine.circuit("stripe"), Circuit::closed);
  EXPECT_TRUE(engine.audit().empty());
}

TEST_F(OperationsTest, APatchIsInForceAtOnceAndAudited) {
  ASSERT_TRUE(patch({{"epsilon", "0.2"}, {"breaker.failure_threshold", "2"}}));
  EXPECT_EQ(settings().epsilon, 0.2);
  engine.fail("stripe", 2);
  EXPECT_EQ(engine.circuit("stripe"), Circuit::open);
  const auto entry = engine.audit().front();
  EXPECT_EQ(entry.action, "settings");
  EXPECT_EQ(entry.author, "ann");
  EXPECT_EQ(entry.detail, "breaker.failure_threshold = 2, epsilon = 0.2");
}

TEST_F(OperationsTest, AFieldTakesTheOverrideItReplacesAway) {
  ASSERT_TRUE(patch({{"half_life", "6h"}}));
  EXPECT_EQ(settings().forgetting, (core::Forgetting{core::Forgetting::Kind::half_life, 6 * kHour}));
  ASSERT_TRUE(patch({{"window", "2h"}}));
  EXPECT_EQ(settings().forgetting, (core::Forgetting{core::Forgetting::Kind::window, 2 * kHour}));
  EXPECT_EQ(engine.channels.overrides("payments"), (store::Overrides{{"window", "2h"}}));
  ASSERT_TRUE(patch({{"half_life", "1h"}}));
  EXPECT_EQ(engine.channels.overrides("payments"), (store::Overrides{{"half_life", "1h"}}));
}

TEST_F(OperationsTest, ProvidersComeChangeAndGo) {
  auto done = await(
      engine.operations.put_provider(engine.channel(), "klarna", {{"business_multiplier", "2"}}, "ann", engine.now));
  ASSERT_TRUE(done);
  EXPECT_EQ(engine.view("klarna").factors.business_multiplier, 2);
  engine.fail("klarna", 5);
  done = await(engine.operations.put_provider(engine.channel(), "klarna", {{"enabled", "false"}}, "ann", engine.now));
  ASSERT_TRUE(done);
  EXPECT_FALSE(engine.view("klarna").enabled);
  EXPECT_EQ(engine.view("klarna").factors.business_multiplier, 2) << "what was not named stays";
  EXPECT_EQ(engine.circuit("klarna"), Circuit::open);
  ASSERT_TRUE(await(engine.operations.remove_provider(engine.channel(), "klarna", "ann", engine.now)));
  EXPECT_FALSE(engine.channel()->snapshot()->layout->find("klarna"));
  EXPECT_THAT(actions(), ElementsAre("provider_added", "provider_changed", "provider_removed"));

  ASSERT_TRUE(await(engine.operations.put_provider(engine.channel(), "klarna", {}, "ann", engine.now)));
  EXPECT_EQ(engine.circuit("klarna"), Circuit::closed) << "its state went with it";
  EXPECT_EQ(engine.view("klarna").factors.business_multiplier, 1);
  EXPECT_TRUE(engine.view("klarna").enabled);
}

TEST_F(OperationsTest, AProviderOfTheFileCanBeTakenAwayAndPutBack) {
  ASSERT_TRUE(await(engine.operations.remove_provider(engine.channel(), "stripe", "ann", engine.now)));
  EXPECT_EQ(engine.route("t1").provider, "adyen");
  EXPECT_EQ(engine.channels.overrides("payments"), (store::Overrides{{"provider/stripe", "removed"}}));
  ASSERT_TRUE(await(engine.operations.put_provider(engine.channel(), "stripe", {}, "ann", engine.now)));
  EXPECT_EQ(engine.route("t1", {.eligible = {{"stripe"}}}).provider, "stripe");
}

TEST_F(OperationsTest, PutReplacesAllSettingsOfAChannel) {
  ASSERT_TRUE(patch({{"half_life", "6h"}, {"epsilon", "0.2"}}));
  auto wanted = channel_of({"adyen", "klarna"});
  wanted.breaker.failure_threshold = 3;
  ASSERT_TRUE(await(engine.operations.put_channel("payments", wanted, "ann", engine.now)));
  EXPECT_EQ(settings(), wanted);
  EXPECT_EQ(snapshot->layout->origin, Origin::file);
  EXPECT_THAT(actions(), ElementsAre("settings", "channel_replaced"));
}

TEST_F(OperationsTest, AChannelCanBeCreatedAndRemovedWithItsState) {
  const auto wanted = channel_of({"stripe"});
  ASSERT_TRUE(await(engine.operations.put_channel("payouts", wanted, "ann", engine.now)));
  const auto created = engine.channels.find("payouts");
  ASSERT_TRUE(created);
  EXPECT_EQ(created->snapshot()->settings(), wanted);
  EXPECT_EQ(created->snapshot()->layout->origin, Origin::override_);
  const core::BreakerEvent event = core::OpenManually{};
  (void)await(memory.change_breaker("payouts", "stripe", wanted.breaker, event, kStart)).value();

  ASSERT_TRUE(await(engine.operations.remove_channel("payouts")));
  EXPECT_FALSE(engine.channels.find("payouts"));
  EXPECT_EQ(engine.channels.size(), 1U);
  EXPECT_EQ(await(memory.read_arms("payouts", {"stripe"})).value().at(0), core::Arm{});
  ASSERT_TRUE(await(engine.operations.put_channel("payouts", wanted, "ann", engine.now)));
  EXPECT_EQ(engine.channels.find("payouts")->snapshot()->providers[0].breaker.circuit, Circuit::closed);
}

TEST_F(OperationsTest, AChannelThatTheStoreCannotRemoveStays) {
  ASSERT_TRUE(await(engine.operations.put_channel("payouts", channel_of({"stripe"}), "ann", engine.now)));
  failing.fail("remove_channel");
  EXPECT_FALSE(await(engine.operations.remove_channel("payouts")));
  EXPECT_TRUE(engine.channels.find("payouts"));
  failing.work();
  EXPECT_TRUE(await(engine.operations.remove_channel("payouts")));
  EXPECT_FALSE(engine.channels.find("payouts"));
}

TEST_F(OperationsTest, AChangeThatIsNotStoredIsNotInForce) {
  failing.fail("change_overrides");
  EXPECT_FALSE(patch({{"epsilon", "0.2"}}));
  EXPECT_EQ(settings().epsilon, 0);
  failing.work();
  ASSERT_TRUE(patch({{"breaker.failure_threshold", "3"}}));
  EXPECT_EQ(settings().epsilon, 0);
}

TEST_F(OperationsTest, AChangeThatIsStoredButNotReadComesIntoForceWithTheNext) {
  for (const char* operation : {"overrides", "read_arms"}) {
    failing.fail(operation);
    const auto done = patch({{"epsilon", "0.2"}});
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message, ::testing::StartsWith("stored, but not in force yet"));
    failing.work();
    ASSERT_TRUE(patch({{"breaker.failure_threshold", "3"}}));
    EXPECT_EQ(settings().epsilon, 0.2);
    ASSERT_TRUE(patch({{"epsilon", "0"}}));
  }
}

}  // namespace
}  // namespace turnout::engine
