#include "store/settings_store.h"

#include <gmock/gmock.h>

#include "store/contract.h"

namespace turnout::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class SettingsStoreContract : public StoreContract {};
INSTANTIATE_TEST_SUITE_P(Backends, SettingsStoreContract, ::testing::ValuesIn(backend_kinds()), name_of_kind);

AuditEntry entry(TimeMs at_ms) {
  AuditEntry entry;
  entry.at_ms = at_ms;
  entry.action = "settings";
  entry.provider = "stripe";
  entry.author = "Zoë";
  entry.reason = "it's \"slow\"";
  entry.detail = "epsilon 0.05 -> 0.1";
  return entry;
}

TEST_P(SettingsStoreContract, ChangesAndRemovesOverrides) {
  EXPECT_THAT(store.all_overrides(), IsEmpty());
  store.change_overrides({{"epsilon", "0.1"}, {"breaker.open_for", "30s"}}, entry(kStart));
  store.change_overrides({{"epsilon", std::nullopt}, {"policy", ""}, {"never set", std::nullopt}}, entry(kStart + 1));
  EXPECT_THAT(store.all_overrides(),
              ElementsAre(Pair("payments", ElementsAre(Pair("breaker.open_for", "30s"), Pair("policy", "")))));
  StoreUser other(*backend, "payouts");
  other.change_overrides({{"channel", "present"}}, entry(kStart));
  EXPECT_EQ(store.all_overrides().size(), 2U);
  store.change_overrides({{"breaker.open_for", std::nullopt}, {"policy", std::nullopt}}, entry(kStart + 2));
  EXPECT_THAT(store.all_overrides(), ElementsAre(Pair("payouts", ElementsAre(Pair("channel", "present")))));
}

TEST_P(SettingsStoreContract, EveryChangeIsAudited) {
  EXPECT_THAT(store.audit(), IsEmpty());
  store.change_overrides({{"epsilon", "0.1"}}, entry(kStart));
  store.append_audit(entry(kStart + 1));
  store.append_audit(entry(kStart - kHour));
  EXPECT_THAT(store.audit(), ElementsAre(entry(kStart - kHour), entry(kStart + 1), entry(kStart)));
  EXPECT_THAT(store.audit(1), ElementsAre(entry(kStart - kHour)));
  EXPECT_THAT(store.audit(0), IsEmpty());
  EXPECT_THAT(StoreUser(*backend, "other").audit(), IsEmpty());
}

TEST_P(SettingsStoreContract, KeepsTheNewestAuditEntries) {
  constexpr auto kLimit = static_cast<TimeMs>(SettingsStore::kAuditLimit);
  for (TimeMs i = 0; i < kLimit + 10; ++i) store.append_audit(entry(i));
  backend->restart();
  const auto entries = store.audit(5000);
  ASSERT_EQ(entries.size(), SettingsStore::kAuditLimit);
  EXPECT_EQ(entries.front().at_ms, kLimit + 9);
  EXPECT_EQ(entries.back().at_ms, 10);
}

TEST_P(SettingsStoreContract, ForgetsARemovedChannelAltogether) {
  StoreUser other(*backend, "other");
  for (StoreUser* user : {&store, &other}) {
    user->report("stripe", "tx", true, kStart);
    user->begin_pending("stripe", "waiting", kStart);
    user->publish({{"stripe", 0.5}}, kStart);
    user->remember_choice(7U << 20, "stripe", kHour, kStart);
    user->change_overrides({{"epsilon", "0.1"}}, entry(kStart));
  }
  store.remove_channel();
  StoreUser(*backend, "never seen").remove_channel();

  EXPECT_THAT(store.all_overrides(), UnorderedElementsAre(Pair("other", ElementsAre(Pair("epsilon", "0.1")))));
  EXPECT_THAT(store.audit(), IsEmpty());
  EXPECT_EQ(store.arm("stripe"), core::Arm{});
  EXPECT_THAT(store.history("stripe"), IsEmpty());
  EXPECT_EQ(store.pending_count(), 0U);
  EXPECT_EQ(store.webhook("stripe", "waiting", true, kStart).verdict, Verdict::unknown);
  EXPECT_EQ(store.report("stripe", "tx", true, kStart).verdict, Verdict::recorded);
  EXPECT_FALSE(store.remember_choice(7U << 20, "adyen", kHour, kStart).earlier);

  EXPECT_EQ(other.pending_count(), 1U);
  EXPECT_EQ(other.report("stripe", "tx", true, kStart).verdict, Verdict::duplicate);
  EXPECT_EQ(other.audit().size(), 1U);
}

}  // namespace
}  // namespace turnout::store
