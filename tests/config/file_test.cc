#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "config/keys.h"
#include "config/problems.h"
#include "core/channel_fields.h"

namespace turnout::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A folder that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "turnout_config_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::ofstream(file) << text;
    return file.string();
  }
  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(NoFile, OneChannelWithoutProvidersInMemory) {
  const Loaded loaded = load({});
  EXPECT_TRUE(loaded.ok());
  Settings expected;
  expected.channels["payments"];
  EXPECT_EQ(loaded.settings, expected);
  EXPECT_EQ(loaded.settings.store.kind, StoreKind::memory);
  EXPECT_EQ(loaded.settings.server.listen, (ListenAddress{"127.0.0.1", 8080}));
}

TEST(File, AnEmptyOneHasNoChannels) {
  const Loaded loaded = load_text("", "t.toml");
  EXPECT_TRUE(loaded.ok());
  EXPECT_EQ(loaded.settings, Settings{});
}

TEST(File, EverythingIsRead) {
  const Loaded loaded = load_text(R"(
    [server]
    listen = "0.0.0.0:80"
    threads = 4
    max_connections = 1_000
    idle_timeout = "5s"
    [[server.tokens]]
    name = "ops"
    sha256 = "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef"
    scopes = ["admin", "route", "admin"]
    channels = ["payments"]
    [store]
    kind = "file"
    path = "./data"
    [decision_log]
    directory = "./decisions"
    [log]
    level = "debug"
    [channels.payments]
    epsilon = 1
    prior = { alpha = 2.5, beta = 1 }
    half_life = "6h"
    latency.k = 0.5
    webhook_timeout = "30s"
    [channels.payments.breaker]
    failure_threshold = 3
    [[channels.payments.providers]]
    id = "stripe"
    [[channels.payments.providers]]
    id = "adyen"
    business_multiplier = 2
    enabled = false
    [channels.payouts-eu]
  )",
                                  "t.toml");
  EXPECT_THAT(described(loaded), ElementsAre());
  Settings expected;
  expected.server.listen = {"0.0.0.0", 80};
  expected.server.threads = 4;
  expected.server.max_connections = 1000;
  expected.server.idle_timeout_ms = 5 * kSecond;
  expected.server.tokens = {{"ops",
                             "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                             {Scope::route, Scope::admin},
                             {"payments"}}};
  expected.store.kind = StoreKind::file;
  expected.store.path = "./data";
  expected.decision_log.directory = "./decisions";
  expected.log.level = LogLevel::debug;
  core::ChannelSettings& payments = expected.channels["payments"];
  payments.epsilon = 1;
  payments.prior = {2.5, 1};
  payments.forgetting = {core::Forgetting::Kind::half_life, 6 * kHour};
  payments.latency.k = 0.5;
  payments.webhook_timeout_ms = 30 * kSecond;
  payments.breaker.probe_lease_ms = 30 * kSecond;
  payments.breaker.failure_threshold = 3;
  payments.providers = {{.id = "stripe"}, {.id = "adyen", .business_multiplier = 2, .enabled = false}};
  expected.channels["payouts-eu"];
  EXPECT_EQ(loaded.settings, expected);
}

TEST(File, ShortIntervalsForTestsAreAllowed) {
  EXPECT_THAT(problems_of(R"([channels.c]
    sweep_interval = "1s"
    webhook_timeout = "1s"
    breaker = { open_for = "1s", probe_after = "100ms", max_open_for = "2s" })"),
              ElementsAre());
}

/// Every field of a channel: no value of an array's type, the same with a letter too many, and a table in its place.
TEST(File, EveryChannelFieldIsJudged) {
  for (const auto& field : core::channel_fields()) {
    const std::string name(field.name);
    if (name != "prior") {
      EXPECT_THAT(problems_of("[channels.c]\n\n" + name + " = [1]"),
                  ElementsAre("t.toml:3:" + std::to_string(name.size() + 4) + ": channels.c." + name + ": expected " +
                              std::string(field.expected) + ", found an array"));
    }
    EXPECT_THAT(problems_of("[channels.c]\n" + name + "x = 1"),
                ElementsAre(HasSubstr("channels.c." + name + "x: unknown key")));
    EXPECT_THAT(problems_of("[channels.c]\n" + name + " = \"\""), ElementsAre(HasSubstr("found \"\""))) << name;
  }
}

TEST(File, EveryKeyIsJudged) {
  for (const Key& key : keys()) {
    const std::string name(key.name);
    EXPECT_THAT(problems_of("\n" + name + " = 1979-05-27"),
                ElementsAre(HasSubstr(": " + name + ": expected " + std::string(key.expected) + ", found a date")));
    EXPECT_THAT(problems_of(name + "s = 1"),
                ElementsAre(HasSubstr(name + "s: unknown key; did you mean " + name + "?")));
  }
}

struct ProblemRow {
  const char* toml;
  Lines expected;
};

void PrintTo(const ProblemRow& row, std::ostream* out) { *out << row.toml; }

class FileProblems : public testing::TestWithParam<ProblemRow> {};

TEST_P(FileProblems, AreNamedWithTheirPlace) { EXPECT_EQ(problems_of(GetParam().toml), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    Keys, FileProblems,
    testing::Values(
        ProblemRow{"x = 1", {"t.toml:1:1: x: unknown key"}},
        ProblemRow{"[serve]\nlisten = 1", {"t.toml:1:2: serve: unknown key; did you mean server?"}},
        ProblemRow{"[sticky]\nenabled = true", {"t.toml:1:2: sticky: unknown key"}},
        ProblemRow{"[sticky.merchants.m1]\nenabled = true", {"t.toml:1:2: sticky: unknown key"}},
        ProblemRow{"server = 5", {"t.toml:1:10: server: expected a table, found 5"}},
        ProblemRow{"[[server]]\nthreads = 1", {"t.toml:1:1: server: expected a table, found an array"}},
        ProblemRow{"[server]\n  listn = 1", {"t.toml:2:3: server.listn: unknown key; did you mean server.listen?"}},
        ProblemRow{"\"server.threads\" = 1", {"t.toml:1:1: server.threads: unknown key; did you mean server.threads?"}},
        ProblemRow{"\"a\\u001bb\" = 1", {"t.toml:1:1: \"a?b\": unknown key"}},
        ProblemRow{"[store]\nkind = \"file\"",
                   {"t.toml:1:1: store.path: is missing: expected the folder of the file store"}},
        ProblemRow{"store.path = \"d\"",
                   {"t.toml:1:14: store.path: would not be used by the memory store: expected store.kind = \"file\" "
                    "beside it"}},
        ProblemRow{"[store]\nkind = \"sqlite\"\npath = \"d\"",
                   {"t.toml:2:8: store.kind: expected \"memory\" or \"file\", found \"sqlite\""}},
        ProblemRow{"[store]\nkind = \"redis\"\nredis_url = \"redis://h\"",
                   {"t.toml:2:8: store.kind: \"redis\" needs the Redis store, which this version does not have; "
                    "expected \"memory\" or \"file\""}},
        ProblemRow{"[store]\nredis_url = \"redis://h\"",
                   {"t.toml:2:13: store.redis_url: needs the Redis store, which this version does not have"}},
        ProblemRow{
            "[store]\nselection = \"script\"",
            {"t.toml:2:13: store.selection: \"script\" needs the Redis store, which this version does not have"}},
        ProblemRow{"[server]\ntls_key = \"/dev/null\"",
                   {"t.toml:2:11: server.tls_cert: is missing: expected beside server.tls_key"}},
        ProblemRow{"[server]\ntls_cert = \"/nowhere/c\"\ntls_key = \"/dev\"",
                   {"t.toml:2:12: server.tls_cert: cannot read \"/nowhere/c\": No such file or directory",
                    "t.toml:3:11: server.tls_key: cannot read \"/dev\": it is a folder"}},
        ProblemRow{
            "[server]\nlisten = \"0.0.0.0:80\"",
            {"t.toml:2:10: server.listen: 0.0.0.0:80 can be reached by other machines: expected server.tokens, or the "
             "explicit server.insecure_no_auth = true (--insecure-no-auth)"}},
        ProblemRow{"[server]\nlisten = \"0.0.0.0:80\"\ninsecure_no_auth = true", {}}));

INSTANTIATE_TEST_SUITE_P(
    Channels, FileProblems,
    testing::Values(
        ProblemRow{"channels = []", {"t.toml:1:12: channels: expected a table, found an array"}},
        ProblemRow{"channels.c = 1", {"t.toml:1:14: channels.c: expected a table, found 1"}},
        ProblemRow{"[channels.\"a b\"]",
                   {"t.toml:1:11: channels.\"a b\": expected an id: 1 to 64 characters of A-Z a-z 0-9 . _ : -"}},
        ProblemRow{"[channels.c]\nepsilom = 1", {"t.toml:2:1: channels.c.epsilom: unknown key; did you mean epsilon?"}},
        ProblemRow{"[channels.c]\nopen_for = \"1s\"",
                   {"t.toml:2:1: channels.c.open_for: unknown key; did you mean breaker.open_for?"}},
        ProblemRow{"[channels.c]\nbreaker = { open_for = 30 }",
                   {"t.toml:2:24: channels.c.breaker.open_for: expected a duration such as \"30s\", from 100ms to 1d, "
                    "found 30"}},
        ProblemRow{"[channels.c]\nbreaker = true", {"t.toml:2:11: channels.c.breaker: expected a table, found true"}},
        ProblemRow{"[channels.c.epsilon]",
                   {"t.toml:1:1: channels.c.epsilon: expected a number from 0 to 1, found a table"}},
        ProblemRow{"[[channels.c.limits]]\nkey = 1", {"t.toml:1:14: channels.c.limits: unknown key"}},
        ProblemRow{"[channels.c]\nepsilon = nan\nlatency.k = inf",
                   {"t.toml:2:11: channels.c.epsilon: expected a number from 0 to 1, found nan",
                    "t.toml:3:13: channels.c.latency.k: expected a number from 0 to 100, found inf"}},
        ProblemRow{"[channels.c]\nwindow = \"1h\"\nhalf_life = \"1h\"",
                   {"t.toml:2:10: channels.c.window: cannot be set together with half_life"}},
        ProblemRow{"[channels.c.breaker]\nopen_for = \"10m\"",
                   {"t.toml:1:1: channels.c.breaker.max_open_for: expected at least breaker.open_for, which is 10m"}},
        ProblemRow{"[channels.c.breaker]\nopen_for = \"10m\"\nmax_open_for = 1",
                   {"t.toml:3:16: channels.c.breaker.max_open_for: expected a duration such as \"5m\", from 100ms to "
                    "7d, found 1"}}));

INSTANTIATE_TEST_SUITE_P(
    Providers, FileProblems,
    testing::Values(
        ProblemRow{"[channels.c.providers.a]\nenabled = true",
                   {"t.toml:1:1: channels.c.providers: expected an array of tables, found a table"}},
        ProblemRow{"[channels.c]\nproviders = [\"a\"]",
                   {"t.toml:2:14: channels.c.providers[0]: expected a table, found \"a\""}},
        ProblemRow{
            "[[channels.c.providers]]",
            {"t.toml:1:1: channels.c.providers[0].id: expected an id: 1 to 64 characters of A-Z a-z 0-9 . _ : -"}},
        ProblemRow{
            "[channels.c]\nproviders = [{ id = 5 }]",
            {"t.toml:2:21: channels.c.providers[0].id: expected an id: 1 to 64 characters of A-Z a-z 0-9 . _ : -"}},
        ProblemRow{"[channels.c]\nproviders = [{ id = \"a\" },\n  { id = \"b\" }, { id = \"a\" }]",
                   {"t.toml:3:24: channels.c.providers[2].id: the id a appears twice"}},
        ProblemRow{
            "[[channels.c.providers]]\nid = \"a\"\nbusiness_multiplier = -1\nenabeld = false",
            {"t.toml:3:23: channels.c.providers[0].business_multiplier: expected a number from 0 to 1000000, found -1",
             "t.toml:4:1: channels.c.providers[0].enabeld: unknown key; did you mean enabled?"}}));

/// The beginning of a token that is right but for what a row adds.
#define TURNOUT_TOKEN "[[server.tokens]]\nname = \"a\"\nsha256 = \"" TURNOUT_HASH "\"\n"
#define TURNOUT_HASH "00000000000000000000000000000000000000000000000000000000000000aa"

INSTANTIATE_TEST_SUITE_P(
    Tokens, FileProblems,
    testing::Values(
        ProblemRow{"server.tokens = 1", {"t.toml:1:17: server.tokens: expected an array of tables, found 1"}},
        ProblemRow{"[[server.tokens]]",
                   {"t.toml:1:1: server.tokens[0].name: is missing", "t.toml:1:1: server.tokens[0].sha256: is missing",
                    "t.toml:1:1: server.tokens[0].scopes: is missing"}},
        ProblemRow{TURNOUT_TOKEN "scopes = []", {"t.toml:4:10: server.tokens[0].scopes: expected at least one scope"}},
        ProblemRow{TURNOUT_TOKEN "scopes = \"route\"",
                   {"t.toml:4:10: server.tokens[0].scopes: expected an array of strings, found \"route\""}},
        ProblemRow{TURNOUT_TOKEN "scopes = [\"route\", \"rout\", 1]",
                   {"t.toml:4:20: server.tokens[0].scopes: expected \"route\", \"report\", \"budgets\", \"read\" or "
                    "\"admin\", found \"rout\"",
                    "t.toml:4:28: server.tokens[0].scopes: expected \"route\", \"report\", \"budgets\", \"read\" or "
                    "\"admin\", found 1"}},
        ProblemRow{TURNOUT_TOKEN "scopes = [\"read\"]\nchannels = [\"c\", \"a b\"]\nscope = 1",
                   {"t.toml:5:18: server.tokens[0].channels: expected the id of a channel: 1 to 64 characters of A-Z "
                    "a-z 0-9 . _ : -, found \"a b\"",
                    "t.toml:6:1: server.tokens[0].scope: unknown key; did you mean scopes?"}},
        ProblemRow{"[[server.tokens]]\nname = \"a b\"\nsha256 = \"my secret\"\nscopes = [\"read\"]",
                   {"t.toml:2:8: server.tokens[0].name: expected a name: 1 to 64 characters of A-Z a-z 0-9 . _ : -, "
                    "found \"a b\"",
                    "t.toml:3:10: server.tokens[0].sha256: expected the SHA-256 of the token, 64 hexadecimal digits, "
                    "found something else"}},
        ProblemRow{TURNOUT_TOKEN "scopes = [\"read\"]\n" TURNOUT_TOKEN "scopes = [\"read\"]",
                   {"t.toml:6:8: server.tokens[1].name: the name a appears twice",
                    "t.toml:7:10: server.tokens[1].sha256: is the token of \"a\" too"}},
        ProblemRow{"server.insecure_no_auth = true\n" TURNOUT_TOKEN "scopes = [\"read\"]",
                   {"t.toml:1:27: server.insecure_no_auth: contradicts server.tokens: expected one of the two"}}));

TEST(File, ManyProblemsComeAtOnceInTheOrderOfTheFile) {
  EXPECT_THAT(
      problems_of("[channels.b]\n"
                  "epsilon = 2\n"
                  "[channels.a]\n"
                  "policy = \"best\"\n"
                  "unheard_of = 1\n"
                  "[[channels.a.providers]]\n"
                  "id = \"x y\"\n"
                  "[server]\n"
                  "threads = -1\n"),
      ElementsAre("t.toml:2:11: channels.b.epsilon: expected a number from 0 to 1, found 2",
                  "t.toml:4:10: channels.a.policy: expected \"weighted\", found \"best\"",
                  "t.toml:5:1: channels.a.unheard_of: unknown key",
                  "t.toml:7:6: channels.a.providers[0].id: expected an id: 1 to 64 characters of A-Z a-z 0-9 . _ : -",
                  "t.toml:9:11: server.threads: expected an integer from 0 to 1024, found -1"));
}

TEST(File, TextThatIsNoTomlIsOneProblem) {
  EXPECT_THAT(problems_of("[server]\nlisten = \n"), ElementsAre(HasSubstr("t.toml:2:10: not TOML: ")));
  EXPECT_THAT(problems_of("[server]\nthreads = 1\nthreads = 2"), ElementsAre(HasSubstr("t.toml:3:")));
  EXPECT_THAT(problems_of("a = \"\xff\""), ElementsAre(HasSubstr("not TOML")));
  EXPECT_THAT(problems_of(std::string(100'000, '[')), ElementsAre(HasSubstr("not TOML")));
}

TEST(File, NumbersOfChannelsAndProvidersAreLimited) {
  std::string channels;
  for (std::size_t i = 0; i < core::kMaxChannels; ++i) channels += "[channels.c" + std::to_string(i) + "]\n";
  EXPECT_THAT(problems_of(channels), ElementsAre());
  EXPECT_THAT(problems_of(channels + "[channels.one_more]"),
              ElementsAre(HasSubstr("channels: expected at most 10000 channels, found 10001")));
  std::string providers;
  for (std::size_t i = 0; i < core::kMaxProviders; ++i)
    providers += "[[channels.c.providers]]\nid = \"p" + std::to_string(i) + "\"\n";
  EXPECT_THAT(problems_of(providers), ElementsAre());
  EXPECT_THAT(problems_of(providers + "[[channels.c.providers]]\nid = \"q\""),
              ElementsAre(HasSubstr("channels.c.providers: expected at most 1000 providers, found 1001")));
}

TEST(File, OneThatCannotBeReadIsAProblem) {
  const Folder folder;
  EXPECT_THAT(described(load({.file = folder.name() + "/none.toml"})),
              ElementsAre(folder.name() + "/none.toml: cannot read it: No such file or directory"));
  EXPECT_THAT(described(load({.file = folder.name()})),
              ElementsAre(folder.name() + ": cannot read it: Is a directory"));
}

TEST(File, IsReadFromDiskAgainAtEveryLoad) {
  const Folder folder;
  const std::string name = folder.write("turnout.toml", "[channels.c]\nepsilon = 0.2\n");
  EXPECT_EQ(load({.file = name}).settings.channels.at("c").epsilon, 0.2);
  EXPECT_EQ(folder.write("turnout.toml", "[channels.c]\nepsilon = 0.3\n"), name);
  EXPECT_EQ(load({.file = name}).settings.channels.at("c").epsilon, 0.3);
  EXPECT_EQ(load({.environment = {{"TURNOUT_CONFIG", name}}}).settings.channels.at("c").epsilon, 0.3);
}

TEST(File, TheExampleIsValid) {
  const Loaded loaded = load({.file = TURNOUT_SOURCE_DIR "/deploy/example.toml"});
  EXPECT_THAT(described(loaded), ElementsAre());
  EXPECT_EQ(loaded.settings.server, ServerSettings{});
  EXPECT_EQ(loaded.settings.store.kind, StoreKind::file);
  EXPECT_EQ(loaded.settings.store.path, "./data");
  core::ChannelSettings payments = loaded.settings.channels.at("payments");
  EXPECT_EQ(payments.providers.size(), 5U);
  payments.providers.clear();
  EXPECT_EQ(payments, core::ChannelSettings{}) << "the example shows the defaults";
}

TEST(File, TheExampleNamesEveryKeyButThoseOfRedis) {
  std::ifstream file(TURNOUT_SOURCE_DIR "/deploy/example.toml");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::string_view> names;
  for (const auto& field : core::channel_fields()) names.push_back(field.name);
  for (const auto& field : core::provider_fields()) names.push_back(field.name);
  for (const Key& key : keys()) names.push_back(key.name);
  for (const std::string_view redis : {"store.redis_url", "store.selection", "store.max_staleness"})
    std::erase(names, redis);
  for (const std::string_view name : names) {
    EXPECT_THAT(text, HasSubstr(std::string(name.substr(name.rfind('.') + 1)) + " = ")) << name;
  }
}

}  // namespace
}  // namespace turnout::config
