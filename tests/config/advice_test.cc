#include "config/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnout::config {
namespace {

using core::ChannelSettings;
using testing::ElementsAre;
using testing::HasSubstr;

ChannelSettings usual_channel() {
  ChannelSettings channel;
  channel.providers = {{.id = "a"}, {.id = "b"}};
  return channel;
}

Settings usual_settings() {
  Settings settings;
  settings.store.kind = StoreKind::file;
  settings.store.path = "d";
  settings.channels["c"] = usual_channel();
  return settings;
}

/// Advice on one channel beyond the three that every channel gets.
std::vector<std::string> remarks_on(const ChannelSettings& channel) {
  Settings settings = usual_settings();
  settings.channels["c"] = channel;
  std::vector<std::string> remarks;
  for (const Advice& advice : advise(settings)) {
    const bool is_traffic = advice.text.starts_with("suits ") || advice.text.starts_with("outside ");
    if (!is_traffic) remarks.push_back(advice.key + " " + advice.value + ": " + advice.text);
  }
  return remarks;
}

TEST(Advise, NamesTheChannelOfATokenThatDoesNotExist) {
  Settings settings = usual_settings();
  settings.server.tokens = {
      {"all", "", {Scope::read}, {}}, {"good", "", {Scope::read}, {"c"}}, {"bad", "", {Scope::read}, {"k"}}};
  std::vector<std::string> remarks;
  for (const Advice& advice : advise(settings)) {
    if (advice.key == "server.tokens") remarks.push_back(advice.value + ": " + advice.text);
  }
  EXPECT_THAT(remarks, ElementsAre("bad: names the channel k, which is not configured"));
}

TEST(Advise, SaysWhatTrafficTheDefaultsSuit) {
  EXPECT_EQ(
      advise(usual_settings()),
      (std::vector<Advice>{
          {{"c"},
           "sweep_interval",
           "10s",
           "suits over 100 req/s, 1 to 100 req/s; critical payments: 5s, under 1 req/s: 30s"},
          {{"c"},
           "epsilon",
           "0.05",
           "suits steady providers, volatile providers; stable providers: 0.01 to 0.03, new providers: 0.10 to 0.15"},
          {{"c"}, "breaker.failure_threshold", "5", "suits most traffic; low traffic: 3, over 1000 req/s: 10 to 20"}}));
}

TEST(Advise, Recommendations) {
  struct Row {
    DurationMs sweep;
    double epsilon;
    std::uint32_t threshold;
    const char* sweep_text;
    const char* epsilon_text;
    const char* threshold_text;
  };
  const Row rows[] = {
      {5'000, 0.01, 3, "suits critical payments, over 100 req/s;", "suits stable providers;", "suits low traffic;"},
      {30'000, 0.03, 10, "suits under 1 req/s;", "suits stable providers, steady providers;", "suits over 1000 req/s;"},
      {7'000, 0.1, 20, "suits over 100 req/s;", "suits volatile providers, new providers;", "suits over 1000 req/s;"},
      {1'000, 0.2, 4, "outside what is recommended; critical", "outside what is recommended; stable",
       "outside what is recommended; low"},
  };
  for (const Row& row : rows) {
    Settings settings = usual_settings();
    ChannelSettings& channel = settings.channels["c"];
    channel.sweep_interval_ms = row.sweep;
    channel.epsilon = row.epsilon;
    channel.breaker.failure_threshold = row.threshold;
    const auto advice = advise(settings);
    ASSERT_EQ(advice.size(), 3U);
    EXPECT_THAT(advice[0].text, HasSubstr(row.sweep_text));
    EXPECT_THAT(advice[1].text, HasSubstr(row.epsilon_text));
    EXPECT_THAT(advice[2].text, HasSubstr(row.threshold_text));
  }
}

TEST(Advise, NothingElseOnAUsualChannel) { EXPECT_THAT(remarks_on(usual_channel()), ElementsAre()); }

TEST(Advise, OneRemarkForEachOddity) {
  struct Row {
    void (*change)(ChannelSettings&);
    const char* expected;
  };
  const Row rows[] = {
      {[](ChannelSettings& c) { c.providers.clear(); }, "providers 0: every decision answers no_provider"},
      {[](ChannelSettings& c) { c.providers.pop_back(); }, "providers 1: only one can be chosen"},
      {[](ChannelSettings& c) { c.providers[0].enabled = false; }, "providers 2: only one can be chosen"},
      {[](ChannelSettings& c) { c.providers[0].enabled = false, c.providers[1].business_multiplier = 0; },
       "providers 2: none can be chosen"},
      {[](ChannelSettings& c) { c.epsilon = 0; }, "epsilon 0: never explores"},
      {[](ChannelSettings& c) { c.epsilon = 0.9; }, "epsilon 0.9: most decisions ignore the weights"},
      {[](ChannelSettings& c) { c.latency.k = 0; }, "latency.k 0: latency never costs weight"},
      {[](ChannelSettings& c) { c.breaker.open_for_ms = kSecond; }, "sweep_interval 10s: longer than breaker.open_for"},
      {[](ChannelSettings& c) { c.webhook_timeout_ms = kSecond; },
       "webhook_timeout 1s: shorter than latency.p95_target"},
      {[](ChannelSettings& c) { c.breaker.probe_lease_ms = kSecond; },
       "breaker.probe_lease 1s: shorter than webhook_timeout"},
      {[](ChannelSettings& c) { c.dedupe_for_ms = kMinute; }, "dedupe_for 1m: shorter than webhook_timeout"},
      {[](ChannelSettings& c) { c.forgetting.span_ms = kSecond; }, "window 1s: shorter than sweep_interval"},
      {[](ChannelSettings& c) {
         c.forgetting = {core::Forgetting::Kind::half_life, kSecond};
       },
       "half_life 1s: shorter than sweep_interval"},
  };
  for (const Row& row : rows) {
    ChannelSettings channel = usual_channel();
    row.change(channel);
    EXPECT_THAT(remarks_on(channel), ElementsAre(HasSubstr(row.expected)));
  }
}

TEST(Advise, ChannelsShareARemark) {
  Settings settings = usual_settings();
  settings.channels["d"] = usual_channel();
  settings.channels["d"].epsilon = 0.02;
  const auto advice = advise(settings);
  ASSERT_EQ(advice.size(), 4U);
  EXPECT_THAT(advice[0].channels, ElementsAre("c", "d"));
  EXPECT_THAT(advice[1].channels, ElementsAre("c"));
  EXPECT_THAT(advice[2].channels, ElementsAre("c", "d"));
  EXPECT_THAT(advice[3].channels, ElementsAre("d"));
}

TEST(Advise, TheProgramComesFirst) {
  Settings settings;
  settings.server.listen.address = "0.0.0.0";
  settings.server.insecure_no_auth = true;
  std::vector<std::string> keys;
  for (const Advice& advice : advise(settings)) {
    EXPECT_TRUE(advice.channels.empty());
    keys.push_back(advice.key);
  }
  EXPECT_THAT(keys, ElementsAre("server.insecure_no_auth", "server.tls_cert", "store.kind", "channels"));
}

}  // namespace
}  // namespace turnout::config
