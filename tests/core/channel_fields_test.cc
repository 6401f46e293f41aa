#include "core/channel_fields.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <map>

namespace turnout::core {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What one field accepts, each value reading back as it was given, and what it does not.
struct FieldRow {
  std::string_view name;
  std::vector<FieldValue> accepted;
  std::vector<FieldValue> refused;
};

FieldValue text(const char* value) { return std::string(value); }

/// The ends of a range, and the values just outside.
FieldRow durations(std::string_view name, const char* lowest, const char* highest, const char* below,
                   const char* above) {
  return {name,
          {text(lowest), text(highest)},
          {text(below), text(above), text(""), text("soon"), text("-1s"), text("1 s"), text("1.5s"), std::int64_t{30},
           30.0, true}};
}

FieldRow integers(std::string_view name, std::int64_t lowest, std::int64_t highest) {
  return {name,
          {lowest, highest},
          {lowest - 1, highest + 1, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(),
           static_cast<double>(lowest), text("5"), false}};
}

FieldRow numbers(std::string_view name, double lowest, double highest) {
  return {
      name, {lowest, highest, 0.5}, {lowest - 0.001, highest * 1.001, kNaN, kInfinity, -kInfinity, text("0.5"), true}};
}

FieldRow booleans(std::string_view name) {
  return {name, {true, false}, {std::int64_t{1}, 0.0, text("true"), text("")}};
}

FieldRow words(std::string_view name, std::vector<FieldValue> accepted) {
  return {name, std::move(accepted), {text(""), text("other"), text("Weighted"), std::int64_t{0}, 0.5, true}};
}

std::vector<FieldRow> field_rows() {
  return {
      words("policy", {text("weighted")}),
      numbers("epsilon", 0, 1),
      words("prior", {text("optimistic"), text("balanced"), text("conservative"), text("pessimistic")}),
      numbers("prior.alpha", 0.001, 1e6),
      numbers("prior.beta", 0.001, 1e6),
      durations("half_life", "1s", "365d", "999ms", "366d"),
      durations("window", "1s", "365d", "999ms", "366d"),
      durations("sweep_interval", "100ms", "1h", "99ms", "3601s"),
      durations("webhook_timeout", "100ms", "7d", "99ms", "169h"),
      durations("dedupe_for", "1m", "30d", "59s", "31d"),
      integers("dedupe_max", 1000, 1'000'000'000),
      words("all_open", {text("best_effort"), text("reject")}),
      booleans("stable_per_transaction"),
      durations("latency.p95_target", "1ms", "10m", "0ms", "601s"),
      numbers("latency.k", 0, 100),
      integers("breaker.failure_threshold", 1, 1'000'000),
      durations("breaker.open_for", "100ms", "1d", "99ms", "25h"),
      durations("breaker.max_open_for", "100ms", "7d", "99ms", "8d"),
      integers("breaker.half_open_probes", 1, 4),
      durations("breaker.probe_after", "100ms", "1d", "99ms", "25h"),
      durations("breaker.probe_lease", "100ms", "7d", "99ms", "8d"),
  };
}

TEST(ChannelFields, EveryFieldHasItsRow) {
  std::vector<std::string_view> expected;
  std::vector<std::string_view> names;
  for (const FieldRow& row : field_rows()) expected.push_back(row.name);
  for (const ChannelField& field : channel_fields()) names.push_back(field.name);
  EXPECT_EQ(names, expected);
}

TEST(ChannelFields, WhatIsAcceptedReadsBack) {
  for (const FieldRow& row : field_rows()) {
    const ChannelField* const field = find_channel_field(row.name);
    ASSERT_NE(field, nullptr) << row.name;
    for (const FieldValue& value : row.accepted) {
      ChannelSettings settings;
      EXPECT_TRUE(field->set(settings, value).ok()) << row.name << " = " << to_text(value);
      EXPECT_EQ(field->get(settings), value) << row.name << " = " << to_text(value);
    }
  }
}

TEST(ChannelFields, WhatIsRefusedChangesNothingAndSaysWhatWasExpected) {
  for (const FieldRow& row : field_rows()) {
    const ChannelField* const field = find_channel_field(row.name);
    ASSERT_NE(field, nullptr) << row.name;
    for (const FieldValue& value : row.refused) {
      ChannelSettings settings;
      const auto result = field->set(settings, value);
      ASSERT_FALSE(result.ok()) << row.name << " = " << to_text(value);
      EXPECT_EQ(result.error(), (Error{Error::Code::invalid, "expected " + std::string(field->expected)}));
      EXPECT_EQ(settings, ChannelSettings{});
    }
  }
}

TEST(ChannelFields, ExpectedNamesBothEndsOfTheRange) {
  for (const FieldRow& row : field_rows()) {
    const ChannelField& field = *find_channel_field(row.name);
    if (!std::holds_alternative<std::string>(row.accepted[0]) && !std::holds_alternative<std::int64_t>(row.accepted[0]))
      continue;
    for (std::size_t i = 0; i < 2 && i < row.accepted.size(); ++i) {
      EXPECT_NE(field.expected.find(to_text(row.accepted[i])), std::string_view::npos)
          << row.name << ": " << field.expected;
    }
  }
  EXPECT_EQ(find_channel_field("epsilon")->expected, "a number from 0 to 1");
}

TEST(ChannelFields, DefaultsAreThoseOfTheDesignAndReadBack) {
  const std::map<std::string_view, std::string> expected = {{"policy", "weighted"},
                                                            {"epsilon", "0.05"},
                                                            {"prior", "balanced"},
                                                            {"prior.alpha", "3"},
                                                            {"prior.beta", "2"},
                                                            {"window", "1h"},
                                                            {"sweep_interval", "10s"},
                                                            {"webhook_timeout", "2m"},
                                                            {"dedupe_for", "1d"},
                                                            {"dedupe_max", "20000000"},
                                                            {"all_open", "best_effort"},
                                                            {"stable_per_transaction", "false"},
                                                            {"latency.p95_target", "1500ms"},
                                                            {"latency.k", "1"},
                                                            {"breaker.failure_threshold", "5"},
                                                            {"breaker.open_for", "30s"},
                                                            {"breaker.max_open_for", "5m"},
                                                            {"breaker.half_open_probes", "1"},
                                                            {"breaker.probe_after", "10s"},
                                                            {"breaker.probe_lease", "2m"}};
  const ChannelSettings defaults;
  for (const ChannelField& field : channel_fields()) {
    const auto value = field.get(defaults);
    const auto row = expected.find(field.name);
    ASSERT_EQ(value.has_value(), row != expected.end()) << field.name;
    if (!value) continue;
    EXPECT_EQ(to_text(*value), row->second) << field.name;
    ChannelSettings again;
    EXPECT_TRUE(field.set(again, from_text(to_text(*value))).ok()) << field.name;
    EXPECT_EQ(again, defaults) << field.name;
  }
}

TEST(ChannelFields, UnknownNamesAreNotFound) {
  for (const std::string_view name : {"", "Epsilon", "breaker", "breaker.", "providers", "prior.gamma"}) {
    EXPECT_EQ(find_channel_field(name), nullptr) << name;
  }
  EXPECT_EQ(find_provider_field("id"), nullptr);
}

TEST(ChannelFields, WindowAndHalfLifeReplaceEachOther) {
  const ChannelField& window = *find_channel_field("window");
  const ChannelField& half_life = *find_channel_field("half_life");
  ChannelSettings settings;
  ASSERT_TRUE(half_life.set(settings, text("6h")).ok());
  EXPECT_EQ(settings.forgetting, (Forgetting{Forgetting::Kind::half_life, 6 * kHour}));
  EXPECT_EQ(window.get(settings), std::nullopt);
  ASSERT_TRUE(window.set(settings, text("2h")).ok());
  EXPECT_EQ(settings.forgetting, (Forgetting{Forgetting::Kind::window, 2 * kHour}));
  EXPECT_EQ(half_life.get(settings), std::nullopt);
  EXPECT_EQ(window.replaces.front(), "half_life");
  EXPECT_EQ(half_life.replaces.front(), "window");
}

TEST(ChannelFields, NamedPriorsSetBothParts) {
  struct Row {
    const char* name;
    Prior prior;
  };
  for (const Row& row :
       {Row{"optimistic", {5, 1}}, Row{"balanced", {3, 2}}, Row{"conservative", {1, 1}}, Row{"pessimistic", {1, 3}}}) {
    ChannelSettings settings;
    ASSERT_TRUE(find_channel_field("prior")->set(settings, text(row.name)).ok());
    EXPECT_EQ(settings.prior, row.prior) << row.name;
  }
}

TEST(ChannelFields, APriorOfItsOwnHasNoName) {
  ChannelSettings settings;
  ASSERT_TRUE(find_channel_field("prior.alpha")->set(settings, 7.5).ok());
  EXPECT_EQ(find_channel_field("prior")->get(settings), std::nullopt);
  EXPECT_EQ(settings.prior, (Prior{7.5, 2}));
}

TEST(ChannelFields, ProbeLeaseFollowsTheWebhookTimeoutUntilItDiffers) {
  const ChannelField& timeout = *find_channel_field("webhook_timeout");
  const ChannelField& lease = *find_channel_field("breaker.probe_lease");
  ChannelSettings settings;
  ASSERT_TRUE(timeout.set(settings, text("300s")).ok());
  EXPECT_EQ(settings.breaker.probe_lease_ms, 300 * kSecond);
  ASSERT_TRUE(lease.set(settings, text("20s")).ok());
  ASSERT_TRUE(timeout.set(settings, text("60s")).ok());
  EXPECT_EQ(settings.breaker.probe_lease_ms, 20 * kSecond);
}

TEST(ProviderFields, Table) {
  const FieldRow rows[] = {numbers("business_multiplier", 0, 1e6), booleans("enabled")};
  ASSERT_EQ(provider_fields().size(), std::size(rows));
  for (const FieldRow& row : rows) {
    const ProviderField* const field = find_provider_field(row.name);
    ASSERT_NE(field, nullptr) << row.name;
    ProviderSettings settings;
    for (const FieldValue& value : row.refused) EXPECT_FALSE(field->set(settings, value).ok()) << row.name;
    EXPECT_EQ(settings, ProviderSettings{});
    for (const FieldValue& value : row.accepted) {
      EXPECT_TRUE(field->set(settings, value).ok()) << row.name;
      EXPECT_EQ(field->get(settings), value) << row.name;
    }
  }
}

TEST(Contradictions, NoneInTheDefaults) { EXPECT_TRUE(contradictions(ChannelSettings{}).empty()); }

TEST(Contradictions, OpenPeriodLongerThanTheLongest) {
  ChannelSettings settings;
  settings.breaker.open_for_ms = 10 * kMinute;
  EXPECT_EQ(contradictions(settings),
            (std::vector<Contradiction>{{"breaker.max_open_for", "expected at least breaker.open_for, which is 10m"}}));
  settings.breaker.max_open_for_ms = 10 * kMinute;
  EXPECT_TRUE(contradictions(settings).empty());
}

TEST(Contradictions, ProviderIds) {
  ChannelSettings settings;
  for (const char* id : {"a", "b", "a", "with space"}) settings.providers.push_back({.id = id});
  EXPECT_EQ(
      contradictions(settings),
      (std::vector<Contradiction>{{"providers[2].id", "the id a appears twice"},
                                  {"providers[3].id", "expected an id: 1 to 64 characters of A-Z a-z 0-9 . _ : -"}}));
}

TEST(Contradictions, TooManyProviders) {
  ChannelSettings settings;
  for (std::size_t i = 0; i < kMaxProviders; ++i) settings.providers.push_back({.id = "p" + std::to_string(i)});
  EXPECT_TRUE(contradictions(settings).empty());
  settings.providers.push_back({.id = "one_more"});
  EXPECT_EQ(contradictions(settings),
            (std::vector<Contradiction>{{"providers", "expected at most 1000 providers, found 1001"}}));
}

TEST(FieldText, Table) {
  EXPECT_EQ(to_text(true), "true");
  EXPECT_EQ(to_text(std::int64_t{-3}), "-3");
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(text("30s")), "30s");
  EXPECT_EQ(from_text("false"), FieldValue(false));
  EXPECT_EQ(from_text("20"), FieldValue(std::int64_t{20}));
  EXPECT_EQ(from_text("1e3"), FieldValue(1000.0));
  for (const char* other :
       {"", "30s", "nan", "inf", "-inf", "1e999", "0x10", "+1", " 1", "1 ", "True", "99999999999999999999999x"}) {
    EXPECT_EQ(from_text(other), text(other)) << other;
  }
}

RC_GTEST_PROP(FieldText, NumbersReadBackTheSame, (std::int64_t integer, double number)) {
  RC_ASSERT(from_text(to_text(integer)) == FieldValue(integer));
  const auto back = read_number(from_text(to_text(number)), -kInfinity, kInfinity);
  RC_ASSERT(back == std::optional(number));
}

}  // namespace
}  // namespace turnout::core
