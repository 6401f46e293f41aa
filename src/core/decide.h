#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/arm.h"
#include "core/channel_settings.h"
#include "core/selection.h"

namespace turnout::core {

/// Why a provider was chosen.
enum class Reason : std::uint8_t {
  exploited,  ///< proportional to the weights
  explored,   ///< uniform over the eligible
  probe,      ///< a half-open provider was due for a try
  all_open,   ///< nobody is eligible: the provider that only an automatic breaker holds back and that reopens first
  forced,     ///< the caller said which, see DecisionRequest::forced
};

/// Why a provider could not be chosen. Where several things stand in the way, the first of them in this order is named.
enum class WhyNot : std::uint8_t {
  eligible,  ///< it could
  disabled,
  excluded,
  not_listed,
  manual_open,   ///< by an operator, until told otherwise or for a time
  zero_weight,   ///< below 10^−300, the circuit left aside
  circuit_open,  ///< nothing but an automatic breaker stands in the way: open, or half-open with every probe out
};

/// The random numbers of one decision, each uniform in [0, 1).
struct Draws {
  double explore = 0;
  double select = 0;
};

/// What the caller wants of one decision. Indices are positions in the channel's list of providers, in any order; one
/// beyond the end is a bug of the caller.
struct DecisionRequest {
  std::span<const ProviderIndex> excluded;               ///< never chosen, listed or not
  std::optional<std::span<const ProviderIndex>> listed;  ///< when given, only these may be chosen
  std::optional<ProviderIndex> forced;                   ///< chosen whenever it is eligible
};

/// The result of one decision.
struct Decision {
  std::optional<ProviderIndex> provider;  ///< nothing: nobody was eligible
  Reason reason = Reason::exploited;
  bool takes_probe = false;  ///< the chosen provider is half-open: its probe must be taken before the decision counts
  /// Probability of this choice given the state, by the formula of the policy; 1 where the state alone decided (probe,
  /// all_open, forced); 0 when nobody was chosen.
  double propensity = 0;
  /// Nobody chosen: time until the first breaker that stands in the way lets its provider be chosen again, at the end
  /// of its open period, or of the lease of a half-open one's probe. Nothing when none will by itself.
  std::optional<DurationMs> retry_after_ms;
};

/// The parts of a decision that grow with the number of providers. Reused from decision to decision by one thread, so
/// that deciding allocates nothing once it has seen the largest channel.
struct DecisionBuffer {
  std::vector<WhyNot> why_not;           ///< one per provider
  std::vector<ProviderIndex> fallbacks;  ///< the other eligible providers, in the order to try them
  std::vector<ProviderIndex> eligible;   ///< working space
  std::vector<double> weights;           ///< working space
};

/// Picks a provider: docs/concepts.md, "Decision". Pure: the same arguments give the same decision, and nothing is
/// changed but `buffer`.
///
/// `providers` are the channel's, in order, at most 65 535. A provider is eligible when nothing of WhyNot stands in its
/// way. In this order: the forced provider if it is eligible; the half-open provider that is due for a probe and has
/// waited longest; the policy. When all_open is best_effort and nobody is eligible: the provider that only an automatic
/// breaker holds back (WhyNot::circuit_open) and that reopens first. With policy `weighted`: explore_draw < epsilon
/// picks uniformly over the eligible, otherwise the cumulative walk over the weights;
/// propensity = epsilon / n + (1 − epsilon) × w / W.
/// Example: weights .5 .3 .2, epsilon .05, draws .9 and .6: the second provider, exploited,
/// propensity .05/3 + .95 × .3 = .301667, and the other two as fallbacks.
Decision decide(const DecisionRequest& request, const ChannelSettings& channel, std::span<const ProviderView> providers,
                TimeMs now, const Draws& draws, DecisionBuffer& buffer);

}  // namespace turnout::core
