#include "core/channel_fields.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"

namespace turnout::core {
namespace {

using Value = FieldValue;
using Present = std::optional<FieldValue>;

constexpr DurationMs kShortest = 100;
constexpr DurationMs kYear = 365 * kDay;

/// What `get` of a duration reads.
Present duration(DurationMs value) { return format_duration(value); }

struct NamedPrior {
  std::string_view name;
  Prior prior;
};

constexpr NamedPrior kNamedPriors[] = {
    {"optimistic", {5, 1}}, {"balanced", {3, 2}}, {"conservative", {1, 1}}, {"pessimistic", {1, 3}}};

bool set_named_prior(ChannelSettings& settings, const Value& value) {
  for (const NamedPrior& named : kNamedPriors) {
    if (value != Value(std::string(named.name))) continue;
    settings.prior = named.prior;
    return true;
  }
  return false;
}

Present named_prior(const ChannelSettings& settings) {
  for (const NamedPrior& named : kNamedPriors) {
    if (named.prior == settings.prior) return std::string(named.name);
  }
  return std::nullopt;
}

template <Forgetting::Kind kind>
bool set_forgetting(ChannelSettings& settings, const Value& value) {
  const auto span = read_duration(value, kSecond, kYear);
  if (span) settings.forgetting = {kind, *span};
  return span.has_value();
}

template <Forgetting::Kind kind>
Present forgetting_span(const ChannelSettings& settings) {
  if (settings.forgetting.kind != kind) return std::nullopt;
  return format_duration(settings.forgetting.span_ms);
}

bool set_webhook_timeout(ChannelSettings& settings, const Value& value) {
  const bool lease_follows = settings.breaker.probe_lease_ms == settings.webhook_timeout_ms;
  if (!store(settings.webhook_timeout_ms, read_duration(value, kShortest, 7 * kDay))) return false;
  if (lease_follows) settings.breaker.probe_lease_ms = settings.webhook_timeout_ms;
  return true;
}

bool set_policy(ChannelSettings& settings, const Value& value) {
  if (value != Value("weighted")) return false;
  settings.policy = Policy::weighted;
  return true;
}

bool set_all_open(ChannelSettings& settings, const Value& value) {
  const bool best_effort = value == Value("best_effort");
  if (!best_effort && value != Value("reject")) return false;
  settings.all_open = best_effort ? AllOpen::best_effort : AllOpen::reject;
  return true;
}

constexpr std::array<std::string_view, 2> kPriorParts = {"prior.alpha", "prior.beta"};
constexpr std::array<std::string_view, 1> kWindow = {"window"};
constexpr std::array<std::string_view, 1> kHalfLife = {"half_life"};

using Settings = ChannelSettings;

constexpr ChannelField kChannelFields[] = {
    {"policy", "\"weighted\"", set_policy, [](const Settings&) { return Present("weighted"); }},
    {"epsilon", "a number from 0 to 1",
     [](Settings& s, const Value& v) { return store(s.epsilon, read_number(v, 0, 1)); },
     [](const Settings& s) { return Present(s.epsilon); }},
    {"prior", "\"optimistic\", \"balanced\", \"conservative\" or \"pessimistic\"", set_named_prior, named_prior,
     kPriorParts},
    {"prior.alpha", "a number from 0.001 to 1000000",
     [](Settings& s, const Value& v) { return store(s.prior.alpha, read_number(v, 0.001, 1e6)); },
     [](const Settings& s) { return Present(s.prior.alpha); }},
    {"prior.beta", "a number from 0.001 to 1000000",
     [](Settings& s, const Value& v) { return store(s.prior.beta, read_number(v, 0.001, 1e6)); },
     [](const Settings& s) { return Present(s.prior.beta); }},
    {"half_life", "a duration such as \"6h\", from 1s to 365d", set_forgetting<Forgetting::Kind::half_life>,
     forgetting_span<Forgetting::Kind::half_life>, kWindow},
    {"window", "a duration such as \"1h\", from 1s to 365d", set_forgetting<Forgetting::Kind::window>,
     forgetting_span<Forgetting::Kind::window>, kHalfLife},
    {"sweep_interval", "a duration such as \"10s\", from 100ms to 1h",
     [](Settings& s, const Value& v) { return store(s.sweep_interval_ms, read_duration(v, kShortest, kHour)); },
     [](const Settings& s) { return duration(s.sweep_interval_ms); }},
    {"webhook_timeout", "a duration such as \"120s\", from 100ms to 7d", set_webhook_timeout,
     [](const Settings& s) { return duration(s.webhook_timeout_ms); }},
    {"dedupe_for", "a duration such as \"24h\", from 1m to 30d",
     [](Settings& s, const Value& v) { return store(s.dedupe_for_ms, read_duration(v, kMinute, 30 * kDay)); },
     [](const Settings& s) { return duration(s.dedupe_for_ms); }},
    {"dedupe_max", "an integer from 1000 to 1000000000",
     [](Settings& s, const Value& v) { return store(s.dedupe_max, read_integer(v, 1000, 1'000'000'000)); },
     [](const Settings& s) { return Present(s.dedupe_max); }},
    {"all_open", "\"best_effort\" or \"reject\"", set_all_open,
     [](const Settings& s) { return Present(s.all_open == AllOpen::reject ? "reject" : "best_effort"); }},
    {"stable_per_transaction", "true or false",
     [](Settings& s, const Value& v) { return store(s.stable_per_transaction, read_boolean(v)); },
     [](const Settings& s) { return Present(s.stable_per_transaction); }},
    {"latency.p95_target", "a duration such as \"1500ms\", from 1ms to 10m",
     [](Settings& s, const Value& v) { return store(s.latency.p95_target_ms, read_duration(v, 1, 10 * kMinute)); },
     [](const Settings& s) { return duration(s.latency.p95_target_ms); }},
    {"latency.k", "a number from 0 to 100",
     [](Settings& s, const Value& v) { return store(s.latency.k, read_number(v, 0, 100)); },
     [](const Settings& s) { return Present(s.latency.k); }},
    {"breaker.failure_threshold", "an integer from 1 to 1000000",
     [](Settings& s, const Value& v) { return store(s.breaker.failure_threshold, read_integer(v, 1, 1'000'000)); },
     [](const Settings& s) { return Present(std::int64_t{s.breaker.failure_threshold}); }},
    {"breaker.open_for", "a duration such as \"30s\", from 100ms to 1d",
     [](Settings& s, const Value& v) { return store(s.breaker.open_for_ms, read_duration(v, kShortest, kDay)); },
     [](const Settings& s) { return duration(s.breaker.open_for_ms); }},
    {"breaker.max_open_for", "a duration such as \"5m\", from 100ms to 7d",
     [](Settings& s, const Value& v) {
       return store(s.breaker.max_open_for_ms, read_duration(v, kShortest, 7 * kDay));
     },
     [](const Settings& s) { return duration(s.breaker.max_open_for_ms); }},
    {"breaker.half_open_probes", "an integer from 1 to 4",
     [](Settings& s, const Value& v) {
       static_assert(Breaker::kMaxProbes == 4, "the text of the field says 4");
       return store(s.breaker.half_open_probes, read_integer(v, 1, Breaker::kMaxProbes));
     },
     [](const Settings& s) { return Present(std::int64_t{s.breaker.half_open_probes}); }},
    {"breaker.probe_after", "a duration such as \"10s\", from 100ms to 1d",
     [](Settings& s, const Value& v) { return store(s.breaker.probe_after_ms, read_duration(v, kShortest, kDay)); },
     [](const Settings& s) { return duration(s.breaker.probe_after_ms); }},
    {"breaker.probe_lease", "a duration such as \"120s\", from 100ms to 7d",
     [](Settings& s, const Value& v) { return store(s.breaker.probe_lease_ms, read_duration(v, kShortest, 7 * kDay)); },
     [](const Settings& s) { return duration(s.breaker.probe_lease_ms); }},
};

constexpr ProviderField kProviderFields[] = {
    {"business_multiplier", "a number from 0 to 1000000",
     [](ProviderSettings& s, const Value& v) { return store(s.business_multiplier, read_number(v, 0, 1e6)); },
     [](const ProviderSettings& s) { return Present(s.business_multiplier); }},
    {"enabled", "true or false", [](ProviderSettings& s, const Value& v) { return store(s.enabled, read_boolean(v)); },
     [](const ProviderSettings& s) { return Present(s.enabled); }},
};

template <class Settings>
const Field<Settings>* find(std::span<const Field<Settings>> fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

}  // namespace

std::span<const ChannelField> channel_fields() { return kChannelFields; }

const ChannelField* find_channel_field(std::string_view name) { return find(channel_fields(), name); }

std::span<const ProviderField> provider_fields() { return kProviderFields; }

const ProviderField* find_provider_field(std::string_view name) { return find(provider_fields(), name); }

std::vector<Contradiction> contradictions(const ChannelSettings& settings) {
  std::vector<Contradiction> found;
  if (settings.breaker.max_open_for_ms < settings.breaker.open_for_ms) {
    found.push_back({"breaker.max_open_for",
                     "expected at least breaker.open_for, which is " + format_duration(settings.breaker.open_for_ms)});
  }
  if (settings.providers.size() > kMaxProviders) {
    found.push_back({"providers", "expected at most " + std::to_string(kMaxProviders) + " providers, found " +
                                      std::to_string(settings.providers.size())});
  }
  std::set<std::string_view> ids;
  for (std::size_t i = 0; i < settings.providers.size(); ++i) {
    const std::string& id = settings.providers[i].id;
    const std::string field = "providers[" + std::to_string(i) + "].id";
    if (!is_id(id)) {
      found.push_back({field, "expected an id: 1 to 64 characters of A-Z a-z 0-9 . _ : -"});
    } else if (!ids.insert(id).second) {
      found.push_back({field, "the id " + id + " appears twice"});
    }
  }
  return found;
}

}  // namespace turnout::core
