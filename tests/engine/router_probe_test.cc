#include <gtest/gtest.h>

#include "engine/engine.h"
#include "support/failing_store.h"

// Breakers and probes as decisions meet them: docs/concepts.md, "Breaker and probe".

namespace turnout::engine {
namespace {

using core::Circuit;
using core::Reason;
using core::WhyNot;

constexpr DurationMs kOpenFor = 30 * kSecond;
constexpr DurationMs kProbeAfter = 10 * kSecond;

class RouterProbe : public ::testing::Test {
 protected:
  RouterProbe() { engine.configure(channel_of({"stripe", "adyen"})); }

  /// stripe is half-open and due for a probe.
  void let_probe_be_due() {
    engine.fail("stripe", 5);
    engine.now += kOpenFor + kProbeAfter;
  }
  [[nodiscard]] std::size_t leases() { return engine.arm("stripe").breaker.lease_count; }

  store::MemoryStore memory;
  store::FailingStore failing{memory.stores()};
  Engine engine{failing.stores()};
};

TEST_F(RouterProbe, TheThresholdOpensTheCircuit) {
  engine.fail("stripe", 5);
  EXPECT_EQ(engine.circuit("stripe"), Circuit::open);
  EXPECT_EQ(engine.activity("stripe").transitions(Circuit::open), 1U);
  for (int i = 0; i < 50; ++i) {
    const Decided decided = engine.route("t" + std::to_string(i));
    EXPECT_EQ(decided.provider, "adyen");
    EXPECT_EQ(decided.why_not[0], WhyNot::circuit_open);
    EXPECT_TRUE(decided.fallbacks.empty());
  }
}

TEST_F(RouterProbe, OnlyTheEndOfTheOpenPeriodLetsADecisionNearIt) {
  engine.fail("stripe", 5);
  engine.now += kOpenFor - 1;
  EXPECT_EQ(engine.route("t1", {.eligible = {{"stripe"}}}).answer.decision.reason, Reason::all_open);
  EXPECT_EQ(engine.circuit("stripe"), Circuit::open);
  engine.now += 1;
  EXPECT_EQ(engine.circuit("stripe"), Circuit::half_open);
  EXPECT_DOUBLE_EQ(engine.view("stripe").weight_at(engine.now), 0.02 * 3 / 10);
  const Decided decided = engine.route("t2", {.eligible = {{"stripe"}}});
  EXPECT_EQ(decided.provider, "stripe");
  EXPECT_EQ(decided.answer.decision.reason, Reason::exploited);
  EXPECT_EQ(leases(), 1U);
}

TEST_F(RouterProbe, TwoWorkersThatSeeTheThresholdMakeOneTransition) {
  Engine other(memory.stores());
  other.configure(channel_of({"stripe", "adyen"}));
  engine.fail("stripe", 4);
  // Both instances have seen four failures when the fifth and the sixth come.
  failing.before = [&](std::string_view operation) -> std::optional<Error> {
    failing.before = nullptr;
    EXPECT_EQ(operation, "finish");
    other.report("sixth", "stripe", failure());
    return std::nullopt;
  };
  engine.report("fifth", "stripe", failure());
  EXPECT_EQ(engine.arm("stripe").breaker.generation, 1U);
  EXPECT_EQ(engine.arm("stripe").breaker.consecutive_failures, 6U);
  EXPECT_EQ(engine.activity("stripe").transitions(Circuit::open) + other.activity("stripe").transitions(Circuit::open),
            1U);
}

TEST_F(RouterProbe, AskingTakesNoProbe) {
  let_probe_be_due();
  engine.route("t1", {.exclude = {"stripe"}});
  engine.route("t2", {.eligible = {{"adyen"}}});
  EXPECT_EQ(leases(), 0U);
  EXPECT_EQ(engine.arm("stripe").breaker.circuit, Circuit::open) << "looking changed the stored state";
}

TEST_F(RouterProbe, TheDecisionThatIsDueTakesItAndOthersSeeAnOpenCircuit) {
  let_probe_be_due();
  const Decided probe = engine.route("probe");
  EXPECT_EQ(probe.provider, "stripe");
  EXPECT_EQ(probe.answer.decision.reason, Reason::probe);
  EXPECT_EQ(probe.answer.decision.propensity, 1);
  EXPECT_EQ(probe.fallbacks, std::vector<std::string>{"adyen"});
  ASSERT_EQ(leases(), 1U);
  EXPECT_EQ(engine.arm("stripe").breaker.leases[0].decision_id, probe.answer.decision_id);
  EXPECT_EQ(engine.activity("stripe").transitions(Circuit::half_open), 1U);

  for (int i = 0; i < 100; ++i) {
    const Decided decided = engine.route("t" + std::to_string(i));
    EXPECT_EQ(decided.provider, "adyen");
    EXPECT_EQ(decided.why_not[0], WhyNot::circuit_open);
  }
  EXPECT_EQ(leases(), 1U);
}

TEST_F(RouterProbe, AQuietChannelProbesOnceTheTimeHasCome) {
  engine.fail("stripe", 5);
  engine.now += kOpenFor + kProbeAfter - 1;
  EXPECT_NE(engine.route("t1").answer.decision.reason, Reason::probe);
  engine.now += 1;
  EXPECT_EQ(engine.route("t2").answer.decision.reason, Reason::probe);
}

TEST_F(RouterProbe, ALostProbeExpiresAndTheNextDecisionMayProbe) {
  let_probe_be_due();
  engine.route("lost");
  engine.now += engine.channel()->snapshot()->settings().breaker.probe_lease_ms - 1;
  EXPECT_EQ(engine.route("t1").provider, "adyen");
  engine.now += 1;
  EXPECT_EQ(engine.route("t2").answer.decision.reason, Reason::probe);
  EXPECT_EQ(engine.report("lost", "stripe", success()).circuit, Circuit::half_open) << "the lease was over";
  EXPECT_EQ(engine.report("t2", "stripe", success()).circuit, Circuit::closed);
}

TEST_F(RouterProbe, ItsOutcomeIsRecognisedWithoutADecisionId) {
  let_probe_be_due();
  engine.route("probe");
  const ReportAnswer answer = engine.report("probe", "stripe", success());
  EXPECT_EQ(answer.circuit, Circuit::closed);
  EXPECT_EQ(answer.consecutive_failures, 0U);
  EXPECT_EQ(engine.activity("stripe").transitions(Circuit::closed), 1U);
}

TEST_F(RouterProbe, ItsFailureOpensAgainForLonger) {
  engine.fail("stripe", 9);  // four of them while open
  engine.now += kOpenFor + kProbeAfter;
  engine.route("probe");
  EXPECT_EQ(engine.report("probe", "stripe", failure()).consecutive_failures, 10U);
  EXPECT_EQ(engine.view("stripe").breaker.half_open_at_ms, engine.now + 60 * kSecond);
}

TEST_F(RouterProbe, TheOutcomeOfAnOlderPaymentDoesNotMoveAHalfOpenBreaker) {
  engine.route("older");
  let_probe_be_due();
  engine.route("probe");
  EXPECT_EQ(engine.report("older", "stripe", success()).circuit, Circuit::half_open);
  EXPECT_EQ(engine.arm("stripe").sums.successes, 1);
  EXPECT_EQ(leases(), 1U);
}

TEST_F(RouterProbe, AnIssuerOrCustomerOutcomeFreesTheLeaseWithoutAVerdict) {
  int n = 0;
  for (const auto kind : {core::FailureKind::issuer, core::FailureKind::customer}) {
    if (n++ == 0) let_probe_be_due();
    const std::string id = "probe-" + std::to_string(n);
    ASSERT_EQ(engine.route(id).provider, "stripe");
    EXPECT_EQ(engine.report(id, "stripe", failure(kind)).circuit, Circuit::half_open);
    EXPECT_EQ(leases(), 0U);
    engine.now += kProbeAfter;
  }
}

TEST_F(RouterProbe, APendingProbeKeepsItsLeaseUntilTheTimeOutIsItsFailure) {
  let_probe_be_due();
  engine.route("probe");
  engine.advance(100 * kSecond);
  engine.pending("probe", "stripe");
  engine.advance(119 * kSecond);
  EXPECT_EQ(engine.route("t1").provider, "adyen");
  EXPECT_EQ(leases(), 1U);
  engine.advance(2 * kSecond);
  const core::Breaker breaker = engine.arm("stripe").breaker;
  EXPECT_EQ(breaker.circuit, Circuit::open);
  EXPECT_EQ(breaker.consecutive_failures, 6U);
  EXPECT_EQ(engine.pending_count(), 0U);
}

TEST_F(RouterProbe, APendingProbeIsSettledByItsWebhook) {
  let_probe_be_due();
  engine.route("probe");
  engine.pending("probe", "stripe");
  engine.advance(100 * kSecond);
  EXPECT_EQ(engine.webhook("probe", "stripe", true).circuit, Circuit::closed);
}

TEST_F(RouterProbe, WhoLosesTheRaceForItGetsAnotherProvider) {
  let_probe_be_due();
  Engine other(memory.stores());
  other.configure(channel_of({"stripe", "adyen"}));
  other.now = engine.now;
  failing.before = [&](std::string_view) -> std::optional<Error> {
    failing.before = nullptr;
    EXPECT_EQ(other.route("first").answer.decision.reason, Reason::probe);
    return std::nullopt;
  };
  const Decided second = engine.route("second");
  EXPECT_EQ(second.provider, "adyen");
  EXPECT_EQ(second.answer.decision.reason, Reason::exploited);
  EXPECT_EQ(second.why_not[0], WhyNot::circuit_open);
  EXPECT_FALSE(second.answer.degraded);
  EXPECT_EQ(leases(), 1U);
  EXPECT_EQ(engine.activity("stripe").decisions(Reason::probe), 0U);
}

TEST_F(RouterProbe, WhoLosesTheRaceForTheOnlyProviderGetsItAsAllOpenOrNothing) {
  for (const auto all_open : {core::AllOpen::best_effort, core::AllOpen::reject}) {
    store::MemoryStore store;
    store::FailingStore between(store.stores());
    Engine late(between.stores());
    Engine early(store.stores());
    auto settings = channel_of({"stripe"});
    settings.all_open = all_open;
    late.configure(settings);
    late.fail("stripe", 5);
    late.now += kOpenFor + kProbeAfter;
    early.now = late.now;
    early.configure(settings);
    between.before = [&](std::string_view) -> std::optional<Error> {
      between.before = nullptr;
      early.route("first");
      return std::nullopt;
    };
    const Decided second = late.route("second");
    if (all_open == core::AllOpen::best_effort) {
      EXPECT_EQ(second.provider, "stripe");
      EXPECT_EQ(second.answer.decision.reason, Reason::all_open);
      EXPECT_FALSE(second.answer.decision.takes_probe);
    } else {
      EXPECT_EQ(second.answer.status, RouteAnswer::Status::no_provider);
      EXPECT_EQ(second.answer.decision.retry_after_ms, 120 * kSecond) << "the end of the lease";
      EXPECT_EQ(late.channel()->no_provider(), 1U);
    }
  }
}

TEST_F(RouterProbe, TwoProbesWhenTwoAreAllowed) {
  auto settings = channel_of({"stripe", "adyen"});
  settings.breaker.half_open_probes = 2;
  engine.configure(settings);
  let_probe_be_due();
  EXPECT_EQ(engine.route("one").answer.decision.reason, Reason::probe);
  engine.now += kProbeAfter;
  EXPECT_EQ(engine.route("two").answer.decision.reason, Reason::probe);
  engine.now += kProbeAfter;
  EXPECT_EQ(engine.route("three").provider, "adyen");
  EXPECT_EQ(leases(), 2U);
}

TEST_F(RouterProbe, AStoreThatFailsLetsOneProbeThroughAndNotAllTraffic) {
  let_probe_be_due();
  failing.fail("change_breaker");
  int probes = 0;
  for (int i = 0; i < 100; ++i) {
    const Decided decided = engine.route("t" + std::to_string(i));
    if (decided.provider != "stripe") continue;
    probes += 1;
    EXPECT_TRUE(decided.answer.degraded);
  }
  EXPECT_EQ(probes, 1);
  failing.work();
  EXPECT_EQ(engine.route("again").provider, "adyen");
  engine.now += 130 * kSecond;
  EXPECT_EQ(engine.route("later").answer.decision.reason, Reason::probe);
  EXPECT_EQ(engine.report("later", "stripe", success()).circuit, Circuit::closed);
}

TEST_F(RouterProbe, AllOpenTakesTheOneThatReopensFirst) {
  engine.fail("stripe", 10);
  engine.now += 5 * kSecond;
  engine.fail("adyen", 5);
  const Decided decided = engine.route("t1");
  EXPECT_EQ(decided.provider, "stripe");
  EXPECT_EQ(decided.answer.decision.reason, Reason::all_open);
}

TEST_F(RouterProbe, AllOpenWithRejectSaysWhyAndWhen) {
  auto settings = channel_of({"stripe", "adyen"});
  settings.all_open = core::AllOpen::reject;
  engine.configure(settings);
  engine.fail("stripe", 5);
  engine.fail("adyen", 5);
  engine.now += 10 * kSecond;
  const Decided decided = engine.route("t1");
  EXPECT_EQ(decided.answer.status, RouteAnswer::Status::no_provider);
  EXPECT_EQ(decided.why_not, (std::vector<WhyNot>{WhyNot::circuit_open, WhyNot::circuit_open}));
  EXPECT_EQ(decided.answer.decision.retry_after_ms, 20 * kSecond);
}

TEST_F(RouterProbe, OneOpenedByHandIsNeverChosenEvenWhenAllAreOpen) {
  engine.order("stripe", CircuitAction::open);
  engine.fail("adyen", 5);
  const Decided decided = engine.route("t1");
  EXPECT_EQ(decided.provider, "adyen");
  EXPECT_EQ(decided.why_not[0], WhyNot::manual_open);
}

TEST_F(RouterProbe, WindowsEndButBreakersStay) {
  engine.fail("stripe", 4);
  engine.now += 61 * kMinute;
  engine.step();
  EXPECT_EQ(engine.view("stripe").counts.total, 0);
  EXPECT_EQ(engine.view("stripe").breaker.consecutive_failures, 4U);
  engine.fail("stripe", 1);
  EXPECT_EQ(engine.circuit("stripe"), Circuit::open);
}

}  // namespace
}  // namespace turnout::engine
