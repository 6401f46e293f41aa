#include "core/decide.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/assert.h"

namespace turnout::core {
namespace {

/// Below it a weight counts as zero: near the smallest normal number products lose the digits that make up shares.
constexpr double kSmallestWeight = 1e-300;

/// The reason from the provider itself, leaving aside what the request excludes. The breaker comes last: `circuit_open`
/// means that nothing but an automatic breaker stands in the way.
WhyNot why_not(const ProviderView& provider, const BreakerSettings& settings, TimeMs now) {
  if (!provider.enabled) return WhyNot::disabled;
  const Circuit circuit = circuit_at(provider.breaker, now);
  if (circuit == Circuit::open && provider.breaker.manual) return WhyNot::manual_open;
  TURNOUT_ASSERT(provider.weight_without_circuit >= 0);
  if (provider.weight_without_circuit < kSmallestWeight) return WhyNot::zero_weight;
  if (circuit == Circuit::closed) return WhyNot::eligible;
  return probe_available(provider.breaker, settings, now) ? WhyNot::eligible : WhyNot::circuit_open;
}

void mark_restrictions(const DecisionRequest& request, std::size_t n, std::vector<WhyNot>& out) {
  out.assign(n, request.listed ? WhyNot::not_listed : WhyNot::eligible);
  const auto mark = [&](std::span<const ProviderIndex> indices, WhyNot why) {
    for (const ProviderIndex index : indices) {
      TURNOUT_ASSERT(index < n);
      out[index] = why;
    }
  };
  if (request.listed) mark(*request.listed, WhyNot::eligible);
  mark(request.excluded, WhyNot::excluded);
}

void collect_eligible(const DecisionRequest& request, const ChannelSettings& channel,
                      std::span<const ProviderView> providers, TimeMs now, DecisionBuffer& buffer) {
  mark_restrictions(request, providers.size(), buffer.why_not);
  buffer.eligible.resize(providers.size());
  buffer.weights.resize(providers.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < providers.size(); ++i) {
    WhyNot& mark = buffer.why_not[i];
    const WhyNot own = why_not(providers[i], channel.breaker, now);
    if (mark == WhyNot::eligible || own == WhyNot::disabled) mark = own;
    if (mark != WhyNot::eligible) continue;
    buffer.eligible[count] = static_cast<ProviderIndex>(i);
    buffer.weights[count] = providers[i].weight_at(now);
    ++count;
  }
  buffer.eligible.resize(count);
  buffer.weights.resize(count);
}

/// The eligible provider that is due for a probe and has waited longest.
std::optional<std::size_t> due_probe(const ChannelSettings& channel, std::span<const ProviderView> providers,
                                     TimeMs now, const DecisionBuffer& buffer) {
  std::optional<std::size_t> longest;
  for (std::size_t position = 0; position < buffer.eligible.size(); ++position) {
    const Breaker& breaker = providers[buffer.eligible[position]].breaker;
    if (breaker.circuit == Circuit::closed || !probe_due(breaker, channel.breaker, now)) continue;
    if (!longest || last_tried_at(breaker) < last_tried_at(providers[buffer.eligible[*longest]].breaker))
      longest = position;
  }
  return longest;
}

/// Takes the choice out of the eligible and orders the rest as fallbacks.
void draw_fallbacks(const Choice& choice, DecisionBuffer& buffer) {
  const auto offset = static_cast<std::ptrdiff_t>(choice.position);
  buffer.eligible.erase(buffer.eligible.begin() + offset);
  buffer.weights.erase(buffer.weights.begin() + offset);
  draw_order(buffer.eligible, buffer.weights, choice.remainder, buffer.fallbacks);
}

/// The choice among the eligible, with reason and propensity in `decision`.
Choice choose(const DecisionRequest& request, const ChannelSettings& channel, std::span<const ProviderView> providers,
              TimeMs now, const Draws& draws, const DecisionBuffer& buffer, Decision& decision) {
  decision.propensity = 1;
  if (request.forced && buffer.why_not[*request.forced] == WhyNot::eligible) {
    const auto forced = std::find(buffer.eligible.begin(), buffer.eligible.end(), *request.forced);
    decision.reason = Reason::forced;
    return {static_cast<std::size_t>(forced - buffer.eligible.begin()), draws.select};
  }
  if (const auto position = due_probe(channel, providers, now, buffer)) {
    decision.reason = Reason::probe;
    return {*position, draws.select};
  }
  const std::size_t n = buffer.eligible.size();
  const double total = std::accumulate(buffer.weights.begin(), buffer.weights.end(), 0.0);
  const bool explores = draws.explore < channel.epsilon;
  const Choice choice =
      explores ? choose_uniform(n, draws.select) : choose_weighted(buffer.weights, total, draws.select);
  decision.reason = explores ? Reason::explored : Reason::exploited;
  decision.propensity =
      channel.epsilon / static_cast<double>(n) + (1 - channel.epsilon) * buffer.weights[choice.position] / total;
  return choice;
}

/// The provider that nothing but an automatic breaker holds back and that reopens first.
std::optional<ProviderIndex> first_to_reopen(const ChannelSettings& channel, std::span<const ProviderView> providers,
                                             TimeMs now, const DecisionBuffer& buffer) {
  std::optional<ProviderIndex> first;
  for (std::size_t i = 0; i < providers.size(); ++i) {
    if (buffer.why_not[i] != WhyNot::circuit_open) continue;
    if (!first || reopens_at(providers[i].breaker, channel.breaker, now) <
                      reopens_at(providers[*first].breaker, channel.breaker, now)) {
      first = static_cast<ProviderIndex>(i);
    }
  }
  return first;
}

/// Time until the first breaker, automatic or opened for a time, lets its provider be chosen again.
std::optional<DurationMs> retry_after(const ChannelSettings& channel, std::span<const ProviderView> providers,
                                      TimeMs now, const DecisionBuffer& buffer) {
  std::optional<DurationMs> soonest;
  for (std::size_t i = 0; i < providers.size(); ++i) {
    if (buffer.why_not[i] != WhyNot::circuit_open && buffer.why_not[i] != WhyNot::manual_open) continue;
    const TimeMs reopens = reopens_at(providers[i].breaker, channel.breaker, now);
    if (reopens > now && (!soonest || reopens - now < *soonest)) soonest = reopens - now;
  }
  return soonest;
}

Decision decide_without_eligible(const ChannelSettings& channel, std::span<const ProviderView> providers, TimeMs now,
                                 const DecisionBuffer& buffer) {
  Decision decision;
  if (channel.all_open == AllOpen::best_effort) {
    decision.provider = first_to_reopen(channel, providers, now, buffer);
    if (decision.provider) {
      decision.reason = Reason::all_open;
      decision.propensity = 1;
      return decision;
    }
  }
  decision.retry_after_ms = retry_after(channel, providers, now, buffer);
  return decision;
}

}  // namespace

Decision decide(const DecisionRequest& request, const ChannelSettings& channel, std::span<const ProviderView> providers,
                TimeMs now, const Draws& draws, DecisionBuffer& buffer) {
  TURNOUT_ASSERT(draws.explore >= 0 && draws.explore < 1 && draws.select >= 0 && draws.select < 1);
  TURNOUT_ASSERT(providers.size() <= std::numeric_limits<ProviderIndex>::max());
  TURNOUT_ASSERT(!request.forced || *request.forced < providers.size());
  collect_eligible(request, channel, providers, now, buffer);
  buffer.fallbacks.clear();
  if (buffer.eligible.empty()) return decide_without_eligible(channel, providers, now, buffer);

  Decision decision;
  const Choice choice = choose(request, channel, providers, now, draws, buffer, decision);
  decision.provider = buffer.eligible[choice.position];
  decision.takes_probe = circuit_at(providers[*decision.provider].breaker, now) == Circuit::half_open;
  draw_fallbacks(choice, buffer);
  return decision;
}

}  // namespace turnout::core
