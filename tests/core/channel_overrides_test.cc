#include "core/channel_overrides.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/channel_fields.h"

namespace turnout::core {
namespace {

ChannelSettings base_settings() {
  ChannelSettings settings;
  settings.providers = {{.id = "adyen"}, {.id = "stripe", .business_multiplier = 2}};
  return settings;
}

std::vector<std::string> provider_ids(const ChannelSettings& settings) {
  std::vector<std::string> ids;
  for (const ProviderSettings& provider : settings.providers) ids.push_back(provider.id);
  return ids;
}

using Ids = std::vector<std::string>;

TEST(ChannelOverrides, NamesAreSpelledOnce) {
  EXPECT_EQ(provider_override("a:b"), "provider/a:b");
  EXPECT_EQ(provider_override("a:b", "enabled"), "provider/a:b/enabled");
}

TEST(ChannelOverrides, NoneLeaveTheBase) {
  std::vector<std::string> ignored;
  EXPECT_EQ(with_overrides(base_settings(), {}, &ignored), base_settings());
  EXPECT_EQ(with_overrides(base_settings(), {{"channel", "present"}}, &ignored), base_settings());
  EXPECT_TRUE(ignored.empty());
}

TEST(ChannelOverrides, FieldsAreSet) {
  std::vector<std::string> ignored;
  const auto settings = with_overrides(base_settings(),
                                       {{"epsilon", "0.1"},
                                        {"dedupe_max", "5000"},
                                        {"breaker.open_for", "1s"},
                                        {"all_open", "reject"},
                                        {"stable_per_transaction", "true"},
                                        {"half_life", "6h"}},
                                       &ignored);
  EXPECT_TRUE(ignored.empty());
  EXPECT_EQ(settings.epsilon, 0.1);
  EXPECT_EQ(settings.dedupe_max, 5000);
  EXPECT_EQ(settings.breaker.open_for_ms, kSecond);
  EXPECT_EQ(settings.all_open, AllOpen::reject);
  EXPECT_TRUE(settings.stable_per_transaction);
  EXPECT_EQ(settings.forgetting, (Forgetting{Forgetting::Kind::half_life, 6 * kHour}));
}

TEST(ChannelOverrides, TheMoreExactFieldHasTheLastWord) {
  const auto settings = with_overrides(
      base_settings(),
      {{"prior", "pessimistic"}, {"prior.alpha", "2"}, {"breaker.probe_lease", "20s"}, {"webhook_timeout", "300s"}});
  EXPECT_EQ(settings.prior, (Prior{2, 3}));
  EXPECT_EQ(settings.webhook_timeout_ms, 300 * kSecond);
  EXPECT_EQ(settings.breaker.probe_lease_ms, 20 * kSecond);
}

TEST(ChannelOverrides, ProvidersComeAndGo) {
  std::vector<std::string> ignored;
  const auto settings = with_overrides(base_settings(),
                                       {{"provider/adyen", "removed"},
                                        {"provider/worldpay", "present"},
                                        {"provider/checkout", "present"},
                                        {"provider/checkout/enabled", "false"},
                                        {"provider/stripe/business_multiplier", "0.5"},
                                        {"provider/stripe", "present"},
                                        {"provider/gone", "removed"}},
                                       &ignored);
  EXPECT_TRUE(ignored.empty());
  EXPECT_EQ(provider_ids(settings), (Ids{"stripe", "checkout", "worldpay"}));
  EXPECT_EQ(settings.providers[0], (ProviderSettings{.id = "stripe", .business_multiplier = 0.5}));
  EXPECT_FALSE(settings.providers[1].enabled);
}

TEST(ChannelOverrides, WhatNoLongerFitsIsLeftOutAndNamed) {
  const char* const names[][2] = {{"epsilon", "2"},
                                  {"epsilon", ""},
                                  {"window", "1"},
                                  {"gone_field", "1"},
                                  {"", ""},
                                  {"Epsilon", "0.1"},
                                  {"provider", "present"},
                                  {"provider/", "present"},
                                  {"provider/no id", "present"},
                                  {"provider/adyen", "maybe"},
                                  {"provider/gone/enabled", "true"},
                                  {"provider/adyen/enabled", "1"},
                                  {"provider/adyen/cost", "1"},
                                  {"provider/adyen/", "1"}};
  for (const auto& [name, text] : names) {
    std::vector<std::string> ignored;
    EXPECT_EQ(with_overrides(base_settings(), {{name, text}}, &ignored), base_settings()) << name;
    EXPECT_EQ(ignored, Ids{name});
    EXPECT_EQ(with_overrides(base_settings(), {{name, text}}), base_settings()) << name;
  }
}

TEST(ChannelOverrides, FieldsOfARemovedProviderAreIgnored) {
  std::vector<std::string> ignored;
  const auto settings =
      with_overrides(base_settings(), {{"provider/adyen", "removed"}, {"provider/adyen/enabled", "true"}}, &ignored);
  EXPECT_EQ(provider_ids(settings), Ids{"stripe"});
  EXPECT_EQ(ignored, Ids{"provider/adyen/enabled"});
}

TEST(ChannelOverrides, NoMoreProvidersThanAChannelHas) {
  ChannelSettings full;
  for (std::size_t i = 0; i < kMaxProviders; ++i) full.providers.push_back({.id = "p" + std::to_string(i)});
  std::vector<std::string> ignored;
  EXPECT_EQ(with_overrides(full, {{"provider/one_more", "present"}}, &ignored), full);
  EXPECT_EQ(ignored, Ids{"provider/one_more"});
}

TEST(ChannelOverrides, AnOpenPeriodThatContradictsTheFileIsIgnored) {
  ChannelSettings base = base_settings();
  base.breaker.open_for_ms = 10 * kMinute;
  base.breaker.max_open_for_ms = 20 * kMinute;
  std::vector<std::string> ignored;
  EXPECT_EQ(with_overrides(base, {{"breaker.max_open_for", "5m"}}, &ignored), base);
  EXPECT_EQ(ignored, Ids{"breaker.max_open_for"});
}

RC_GTEST_PROP(ChannelOverrides, AnyTextsGiveSettingsWithoutContradiction, (std::map<std::string, std::string> noise)) {
  OverrideTexts overrides(noise.begin(), noise.end());
  for (const ChannelField& field : channel_fields()) {
    if (*rc::gen::arbitrary<bool>())
      overrides[std::string(field.name)] = *rc::gen::element<std::string>("1s", "5m", "3d", "2", "0.5", "true", "x");
  }
  for (const char* id : {"adyen", "new", "bad id"}) {
    overrides[provider_override(id)] = *rc::gen::element<std::string>("present", "removed", "other");
  }
  std::vector<std::string> ignored;
  const auto settings = with_overrides(base_settings(), overrides, &ignored);
  RC_ASSERT(contradictions(settings).empty());
  for (const std::string& name : ignored) RC_ASSERT(overrides.erase(name) == 1U);
  RC_ASSERT(with_overrides(base_settings(), overrides) == settings);
}

}  // namespace
}  // namespace turnout::core
