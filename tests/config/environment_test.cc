#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "config/keys.h"
#include "config/problems.h"
#include "core/channel_fields.h"

namespace turnout::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kFile = R"([server]
threads = 1
[channels.payments]
epsilon = 0.1
half_life = "6h"
[[channels.payments.providers]]
id = "stripe"
[[channels.payments.providers]]
id = "adyen:eu"
)";

Loaded with(const Environment& environment, const Flags& flags = {}, const char* file = kFile) {
  return load_text(file, "t.toml", {.file = {}, .environment = environment, .flags = flags});
}

const core::ChannelSettings& payments(const Loaded& loaded) { return loaded.settings.channels.at("payments"); }

TEST(Precedence, FlagOverEnvironmentOverFile) {
  EXPECT_EQ(with({}).settings.server.threads, 1U);
  EXPECT_EQ(with({{"TURNOUT_SERVER_THREADS", "2"}}).settings.server.threads, 2U);
  const Loaded loaded = with({{"TURNOUT_SERVER_THREADS", "2"}}, {.set = {"server.threads=3"}});
  EXPECT_THAT(described(loaded), ElementsAre());
  EXPECT_EQ(loaded.settings.server.threads, 3U);
}

TEST(Precedence, ChannelFieldsToo) {
  EXPECT_EQ(payments(with({})).epsilon, 0.1);
  EXPECT_EQ(payments(with({{"TURNOUT_CHANNELS_PAYMENTS_EPSILON", "0.2"}})).epsilon, 0.2);
  EXPECT_EQ(
      payments(with({{"TURNOUT_CHANNELS_PAYMENTS_EPSILON", "0.2"}}, {.set = {"channels.payments.epsilon=1"}})).epsilon,
      1);
}

TEST(Precedence, AProblemOfTheFileIsReportedEvenWhenItWouldBeReplaced) {
  EXPECT_THAT(described(with({{"TURNOUT_THREADS", "2"}}, {}, "server.threads = -1")),
              ElementsAre(HasSubstr("t.toml:1:18: server.threads: expected")));
}

TEST(Environment, OtherVariablesArePassedOver) {
  EXPECT_THAT(described(with({{"PATH", "/bin"}, {"TURNOUT", "x"}, {"turnout_threads", "x"}})), ElementsAre());
}

TEST(Environment, EveryKeyHasAVariableInBothSpellings) {
  for (const Key& key : keys()) {
    const std::string full = "TURNOUT_" + variable_spelling(key.name);
    const std::string value(4097, 'x');
    const std::string message =
        ": " + std::string(key.name) + ": expected " + std::string(key.expected) + ", found \"x";
    EXPECT_THAT(described(with({{full, value}})), ElementsAre(HasSubstr(full + message)));
    const std::size_t dot = key.name.find('.');
    const std::string brief = "TURNOUT_" + variable_spelling(key.name.substr(dot + 1));
    const bool may_be_brief = key.name.starts_with("server.") || key.name.starts_with("store.");
    EXPECT_THAT(described(with({{brief, value}})),
                ElementsAre(HasSubstr(may_be_brief ? brief + message : "unknown variable")))
        << brief;
  }
}

TEST(Environment, EveryChannelFieldHasAVariable) {
  const core::ChannelSettings defaults;
  for (const auto& field : core::channel_fields()) {
    const std::string variable = "TURNOUT_CHANNELS_PAYMENTS_" + variable_spelling(field.name);
    EXPECT_THAT(described(with({{variable, "?"}})),
                ElementsAre(variable + ": channels.payments." + std::string(field.name) + ": expected " +
                            std::string(field.expected) + ", found \"?\""));
    if (const auto value = field.get(defaults)) {
      const Loaded loaded = with({{variable, core::to_text(*value)}});
      EXPECT_THAT(described(loaded), ElementsAre()) << variable;
      EXPECT_EQ(field.get(payments(loaded)), value) << variable;
    }
  }
}

TEST(Environment, ReplacesWhatTheFileSaysInAnotherField) {
  const Loaded loaded = with({{"TURNOUT_CHANNELS_PAYMENTS_WINDOW", "2h"}});
  EXPECT_THAT(described(loaded), ElementsAre());
  EXPECT_EQ(payments(loaded).forgetting, (core::Forgetting{core::Forgetting::Kind::window, 2 * kHour}));
  EXPECT_THAT(
      described(with({{"TURNOUT_CHANNELS_PAYMENTS_WINDOW", "2h"}, {"TURNOUT_CHANNELS_PAYMENTS_HALF_LIFE", "2h"}})),
      ElementsAre("TURNOUT_CHANNELS_PAYMENTS_WINDOW: channels.payments.window: cannot be set together with half_life"));
}

TEST(Environment, FieldsAreSetInTheOrderOfTheTable) {
  const Loaded loaded = with(
      {{"TURNOUT_CHANNELS_PAYMENTS_BREAKER_PROBE_LEASE", "2m"}, {"TURNOUT_CHANNELS_PAYMENTS_WEBHOOK_TIMEOUT", "5m"}});
  EXPECT_EQ(payments(loaded).webhook_timeout_ms, 5 * kMinute);
  EXPECT_EQ(payments(loaded).breaker.probe_lease_ms, 2 * kMinute);
}

TEST(Environment, ProvidersAsAListAndOneByOne) {
  const Loaded one = with({{"TURNOUT_CHANNELS_PAYMENTS_PROVIDERS_ADYEN_EU_ENABLED", "false"},
                           {"TURNOUT_CHANNELS_PAYMENTS_PROVIDERS_STRIPE_BUSINESS_MULTIPLIER", "1.5"}});
  EXPECT_THAT(described(one), ElementsAre());
  EXPECT_THAT(payments(one).providers,
              ElementsAre(core::ProviderSettings{"stripe", 1.5, true}, core::ProviderSettings{"adyen:eu", 1, false}));
  const Loaded list = with({{"TURNOUT_CHANNELS_PAYMENTS_PROVIDERS", "[{id = \"new\"}]"},
                            {"TURNOUT_CHANNELS_PAYMENTS_PROVIDERS_NEW_ENABLED", "false"}});
  EXPECT_THAT(described(list), ElementsAre());
  EXPECT_THAT(payments(list).providers, ElementsAre(core::ProviderSettings{"new", 1, false}));
}

TEST(Environment, ListsAreWrittenAsToml) {
  const Loaded tokens =
      with({{"TURNOUT_TOKENS", "[{name = \"a\", sha256 = \"" + std::string(64, 'A') + "\", scopes = [\"read\"]}]"}});
  EXPECT_THAT(described(tokens), ElementsAre());
  EXPECT_THAT(tokens.settings.server.tokens, ElementsAre(Token{"a", std::string(64, 'a'), {Scope::read}, {}}));
  EXPECT_THAT(described(with({{"TURNOUT_TOKENS", "[{}"}})),
              ElementsAre(HasSubstr("TURNOUT_TOKENS: server.tokens: not TOML: ")));
  EXPECT_THAT(described(with({{"TURNOUT_TOKENS", "[]\nother = 1"}})),
              ElementsAre("TURNOUT_TOKENS: server.tokens: expected one TOML array"));
  EXPECT_THAT(described(with({{"TURNOUT_CHANNELS_PAYMENTS_PROVIDERS", "stripe"}})),
              ElementsAre(HasSubstr("TURNOUT_CHANNELS_PAYMENTS_PROVIDERS: channels.payments.providers: not TOML: ")));
  EXPECT_THAT(
      described(with({{"TURNOUT_CHANNELS_PAYMENTS_PROVIDERS", "[{id = \"a\"}, {id = \"a\"}, 3]"}})),
      ElementsAre("TURNOUT_CHANNELS_PAYMENTS_PROVIDERS: channels.payments.providers[2]: expected a table, found 3",
                  "TURNOUT_CHANNELS_PAYMENTS_PROVIDERS: channels.payments.providers[1].id: the id a appears twice"));
}

TEST(Environment, UnknownVariablesAreProblems) {
  EXPECT_THAT(described(with({{"TURNOUT_LISTN", "x"}})),
              ElementsAre("TURNOUT_LISTN: unknown variable; did you mean TURNOUT_LISTEN?"));
  EXPECT_THAT(described(with({{"TURNOUT_CHANNELS_OTHER_EPSILON", "1"}})), ElementsAre(HasSubstr("unknown variable")));
  EXPECT_THAT(
      described(with({{"TURNOUT_CHANNELS_PAYMENTS_EPSILOM", "1"}})),
      ElementsAre(
          "TURNOUT_CHANNELS_PAYMENTS_EPSILOM: unknown variable; did you mean TURNOUT_CHANNELS_PAYMENTS_EPSILON?"));
}

TEST(Environment, NamesThatMeanTwoThingsAreProblems) {
  EXPECT_THAT(
      described(with({{"TURNOUT_CHANNELS_A_B_EPSILON", "1"}}, {}, "[channels.a-b]\n[channels.a_b]\n")),
      ElementsAre(
          "TURNOUT_CHANNELS_A_B_EPSILON: may mean channels.a-b.epsilon or channels.a_b.epsilon; use --set with the "
          "one that is meant"));
  EXPECT_THAT(described(with({{"TURNOUT_LISTEN", "127.0.0.1:1"}, {"TURNOUT_SERVER_LISTEN", "127.0.0.1:2"}})),
              ElementsAre("TURNOUT_SERVER_LISTEN: server.listen: is set by TURNOUT_LISTEN too"));
}

TEST(Environment, StoreVariables) {
  const Loaded data = with({{"TURNOUT_DATA", "/d"}});
  EXPECT_EQ(data.settings.store.kind, StoreKind::file);
  EXPECT_EQ(data.settings.store.path, "/d");
  EXPECT_THAT(
      described(with({{"TURNOUT_REDIS_URL", "redis://h"}})),
      ElementsAre("TURNOUT_REDIS_URL: store.redis_url: needs the Redis store, which this version does not have"));
  EXPECT_THAT(described(with({{"TURNOUT_DATA", "/d"}, {"TURNOUT_STORE_PATH", "/e"}})),
              ElementsAre("TURNOUT_DATA: store.path: is set by TURNOUT_STORE_PATH too"));
  const char* const file_store = "[store]\nkind = \"file\"\npath = \"/d\"";
  const Loaded memory = with({{"TURNOUT_MEMORY", "true"}}, {}, file_store);
  EXPECT_THAT(described(memory), ElementsAre());
  EXPECT_EQ(memory.settings.store, StoreSettings{});
  EXPECT_EQ(with({{"TURNOUT_MEMORY", "false"}}, {}, file_store).settings.store.kind, StoreKind::file);
  EXPECT_THAT(described(with({{"TURNOUT_MEMORY", "yes"}})),
              ElementsAre("TURNOUT_MEMORY: expected true or false, found \"yes\""));
}

TEST(Flags, SetWhatTheyAreNamedFor) {
  const Loaded loaded =
      with({{"TURNOUT_MEMORY", "true"}}, {.listen = "0.0.0.0:99", .data = "/d", .insecure_no_auth = true});
  EXPECT_THAT(described(loaded), ElementsAre());
  EXPECT_EQ(loaded.settings.server.listen, (ListenAddress{"0.0.0.0", 99}));
  EXPECT_TRUE(loaded.settings.server.insecure_no_auth);
  EXPECT_EQ(loaded.settings.store.kind, StoreKind::file);
  EXPECT_EQ(loaded.settings.store.path, "/d");
  EXPECT_EQ(with({{"TURNOUT_DATA", "/d"}}, {.memory = true}).settings.store, StoreSettings{});
}

TEST(Flags, Problems) {
  EXPECT_THAT(
      described(with({}, {.redis = "redis://user:secret@h"})),
      ElementsAre("--redis: store.kind: \"redis\" needs the Redis store, which this version does not have; expected "
                  "\"memory\" or \"file\""));
  EXPECT_THAT(described(with({}, {.data = "/d", .memory = true})),
              ElementsAre("--memory: store.kind: is set by --data too", "--memory: store.path: is set by --data too"));
  EXPECT_THAT(described(with({}, {.listen = "0.0.0.0:80"})),
              ElementsAre(HasSubstr("--listen: server.listen: 0.0.0.0:80 can be reached")));
  EXPECT_THAT(
      described(with(
          {}, {.set = {"server.threads", "server.threds=1", "channels.payments.epsilon=2", "=", "log.level=info=x"}})),
      ElementsAre("--set: expected KEY=VALUE, found \"server.threads\"",
                  "--set: \"server.threds\": unknown key; did you mean server.threads?", "--set: \"\": unknown key",
                  "--set: log.level: expected \"trace\", \"debug\", \"info\", \"warn\" or \"error\", found \"info=x\"",
                  "--set: channels.payments.epsilon: expected a number from 0 to 1, found \"2\""));
}

TEST(Flags, ReachTheChannelOfNoFile) {
  const Loaded loaded = load({.file = {},
                              .environment = {},
                              .flags = {.set = {"channels.payments.providers=[{id = \"a\"}]",
                                                "channels.payments.providers.a.enabled=false"}}});
  EXPECT_THAT(described(loaded), ElementsAre());
  EXPECT_THAT(payments(loaded).providers, ElementsAre(core::ProviderSettings{"a", 1, false}));
}

TEST(AllSources, ProblemsOfEachComeAtOnce) {
  EXPECT_THAT(
      described(
          with({{"TURNOUT_THREADS", "many"}, {"TURNOUT_X", "1"}}, {.listen = "x"}, "[log]\nlevel = 1\nlevle = 2")),
      ElementsAre(HasSubstr("t.toml:2:9: log.level: expected"), HasSubstr("t.toml:3:1: log.levle: unknown key"),
                  HasSubstr("TURNOUT_X: unknown variable"), HasSubstr("TURNOUT_THREADS: server.threads: expected"),
                  HasSubstr("--listen: server.listen: expected")));
}

TEST(AllSources, WithoutTheFileOnlyChannelsArePassedOver) {
  EXPECT_THAT(described(with({{"TURNOUT_CHANNELS_PAYMENTS_EPSILON", "0.2"}, {"TURNOUT_THREADS", "x"}},
                             {.set = {"channels.payments.epsilon=1", "nothing=1"}}, "= 1")),
              ElementsAre(HasSubstr("t.toml:1:1: not TOML"), HasSubstr("TURNOUT_THREADS"),
                          HasSubstr("--set: \"nothing\": unknown key")));
}

TEST(ProcessEnvironment, HasTheVariablesOfThisProgramOnly) {
  ASSERT_EQ(setenv("TURNOUT_TEST_VARIABLE", "a=b", 1), 0);
  const Environment environment = process_environment();
  ASSERT_EQ(unsetenv("TURNOUT_TEST_VARIABLE"), 0);
  ASSERT_TRUE(environment.contains("TURNOUT_TEST_VARIABLE"));
  EXPECT_EQ(environment.at("TURNOUT_TEST_VARIABLE"), "a=b");
  for (const auto& [name, text] : environment) EXPECT_TRUE(name.starts_with("TURNOUT_")) << name;
}

}  // namespace
}  // namespace turnout::config
