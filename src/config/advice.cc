#include "config/advice.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "base/text.h"
#include "core/channel_fields.h"

namespace turnout::config {
namespace {

/// A kind of traffic and the values recommended for it, both ends included.
struct Recommendation {
  std::string_view traffic;
  double lowest;
  double highest;
  std::string_view values;
};

constexpr Recommendation kSweepInterval[] = {{"critical payments", 5'000, 5'000, "5s"},
                                             {"over 100 req/s", 5'000, 10'000, "5s to 10s"},
                                             {"1 to 100 req/s", 10'000, 10'000, "10s"},
                                             {"under 1 req/s", 30'000, 30'000, "30s"}};

constexpr Recommendation kEpsilon[] = {{"stable providers", 0.01, 0.03, "0.01 to 0.03"},
                                       {"steady providers", 0.03, 0.05, "0.03 to 0.05"},
                                       {"volatile providers", 0.05, 0.10, "0.05 to 0.10"},
                                       {"new providers", 0.10, 0.15, "0.10 to 0.15"}};

constexpr Recommendation kFailureThreshold[] = {
    {"low traffic", 3, 3, "3"}, {"most traffic", 5, 5, "5"}, {"over 1000 req/s", 10, 20, "10 to 20"}};

/// "suits over 100 req/s, 1 to 100 req/s; critical payments: 5s, under 1 req/s: 30s".
std::string suits(std::span<const Recommendation> recommendations, double value) {
  std::string fitting;
  std::string others;
  for (const Recommendation& row : recommendations) {
    const bool fits = value >= row.lowest && value <= row.highest;
    std::string& list = fits ? fitting : others;
    if (!list.empty()) list += ", ";
    list.append(row.traffic);
    if (!fits) list.append(": ").append(row.values);
  }
  return (fitting.empty() ? "outside what is recommended; " : "suits " + fitting + "; ") + others;
}

/// Collects remarks and joins the channels that share one.
class Remarks {
 public:
  /// About a field of the channel, whose value is shown.
  void add_field(const std::string& channel, const core::ChannelSettings& settings, std::string_view field,
                 std::string text) {
    const auto value = core::find_channel_field(field)->get(settings);
    add(channel, std::string(field), value ? core::to_text(*value) : "", std::move(text));
  }

  void add(const std::string& channel, std::string key, std::string value, std::string text) {
    const auto [known, inserted] = positions_.emplace(key + '\n' + value + '\n' + text, advice_.size());
    if (inserted) advice_.push_back({{}, std::move(key), std::move(value), std::move(text)});
    if (!channel.empty()) advice_[known->second].channels.push_back(channel);
  }

  std::vector<Advice> take() { return std::move(advice_); }

 private:
  std::vector<Advice> advice_;
  std::map<std::string, std::size_t, std::less<>> positions_;
};

void advise_program(const Settings& settings, Remarks& remarks) {
  const ServerSettings& server = settings.server;
  const std::string listen = format_listen_address(server.listen);
  if (!is_loopback(server.listen) && server.insecure_no_auth) {
    remarks.add("", "server.insecure_no_auth", "true",
                "everybody who reaches " + listen + " can route, report and administer");
  }
  if (!is_loopback(server.listen) && server.tls_cert.empty()) {
    remarks.add("", "server.tls_cert", "",
                "without TLS, tokens and payments travel in clear text unless a proxy in front encrypts");
  }
  if (settings.store.kind == StoreKind::memory) {
    remarks.add("", "store.kind", "memory", "a restart forgets all that was learned and every pending transaction");
  }
  for (const auto& token : settings.server.tokens) {
    for (const auto& channel : token.channels) {
      if (settings.channels.contains(channel)) continue;
      remarks.add("", "server.tokens", token.name, "names the channel " + channel + ", which is not configured");
    }
  }
  if (settings.channels.empty()) remarks.add("", "channels", "0", "nothing can be routed until one is added");
}

void advise_traffic(const std::string& name, const core::ChannelSettings& channel, Remarks& remarks) {
  remarks.add_field(name, channel, "sweep_interval",
                    suits(kSweepInterval, static_cast<double>(channel.sweep_interval_ms)));
  remarks.add_field(name, channel, "epsilon", suits(kEpsilon, channel.epsilon));
  remarks.add_field(name, channel, "breaker.failure_threshold",
                    suits(kFailureThreshold, channel.breaker.failure_threshold));
}

void advise_providers(const std::string& name, const core::ChannelSettings& channel, Remarks& remarks) {
  const auto usable = std::count_if(channel.providers.begin(), channel.providers.end(), [](const auto& provider) {
    return provider.enabled && provider.business_multiplier > 0;
  });
  const std::string count = std::to_string(channel.providers.size());
  if (channel.providers.empty()) {
    remarks.add(name, "providers", count, "every decision answers no_provider until one is added");
  } else if (usable == 0) {
    remarks.add(name, "providers", count, "none can be chosen: all are disabled or have a business_multiplier of 0");
  } else if (usable == 1) {
    remarks.add(name, "providers", count, "only one can be chosen: nothing to fall back to when it fails");
  }
}

void advise_times(const std::string& name, const core::ChannelSettings& channel, Remarks& remarks) {
  const core::BreakerSettings& breaker = channel.breaker;
  if (channel.sweep_interval_ms > breaker.open_for_ms) {
    remarks.add_field(
        name, channel, "sweep_interval",
        "longer than breaker.open_for: the history misses openings, and listed weights lag behind the breaker");
  }
  if (channel.webhook_timeout_ms < channel.latency.p95_target_ms) {
    remarks.add_field(name, channel, "webhook_timeout",
                      "shorter than latency.p95_target: payments that are merely slow count as failures");
  }
  if (breaker.probe_lease_ms < channel.webhook_timeout_ms) {
    remarks.add_field(
        name, channel, "breaker.probe_lease",
        "shorter than webhook_timeout: a probe whose webhook is late is given up, and another one is sent");
  }
  if (channel.dedupe_for_ms < channel.webhook_timeout_ms) {
    remarks.add_field(name, channel, "dedupe_for",
                      "shorter than webhook_timeout: a report that is repeated late may count twice");
  }
  if (channel.forgetting.span_ms < channel.sweep_interval_ms) {
    const bool is_window = channel.forgetting.kind == core::Forgetting::Kind::window;
    remarks.add_field(name, channel, is_window ? "window" : "half_life",
                      "shorter than sweep_interval: outcomes are forgotten before a sweep has seen them");
  }
}

void advise_choice(const std::string& name, const core::ChannelSettings& channel, Remarks& remarks) {
  if (channel.epsilon == 0) {
    remarks.add_field(name, channel, "epsilon",
                      "never explores: a provider with a low weight is hardly tried again after it recovers");
  }
  if (channel.epsilon > 0.5) {
    remarks.add_field(name, channel, "epsilon", "most decisions ignore the weights");
  }
  if (channel.latency.k == 0) remarks.add_field(name, channel, "latency.k", "latency never costs weight");
}

}  // namespace

std::vector<Advice> advise(const Settings& settings) {
  Remarks remarks;
  advise_program(settings, remarks);
  for (const auto& advise_channel : {advise_providers, advise_traffic, advise_times, advise_choice}) {
    for (const auto& [name, channel] : settings.channels) advise_channel(name, channel, remarks);
  }
  return remarks.take();
}

}  // namespace turnout::config
