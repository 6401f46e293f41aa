#include <algorithm>
#include <string>

#include "base/hash.h"
#include "engine/router.h"
#include "store/attempt.h"

// Router: choosing a provider. report.cc has the other half, learning from outcomes.

namespace turnout::engine {
namespace {

void find_all(const ChannelLayout& layout, std::span<const std::string_view> names,
              std::vector<core::ProviderIndex>& out) {
  out.clear();
  for (const auto name : names) {
    if (const auto position = layout.find(name)) out.push_back(*position);
  }
}

/// Identifies the request of a channel that is stable per transaction: another exclude, eligible or amount is another
/// request.
std::uint64_t choice_key(const RouteRequest& request) {
  constexpr HashKey kKey{0x7475726e6f757431U, 0x63686f6963653131U};
  std::string text(request.transaction_id);
  text.append(1, '\0').append(request.amount ? std::to_string(*request.amount) : "");
  const auto append_names = [&text](char mark, std::span<const std::string_view> names) {
    std::vector<std::string_view> sorted(names.begin(), names.end());
    std::sort(sorted.begin(), sorted.end());
    text.append(1, '\0').append(1, mark);
    for (const auto name : sorted) text.append(1, '\0').append(name);
  };
  append_names('x', request.exclude);
  if (request.eligible) append_names('e', *request.eligible);
  return sip_hash(kKey, text);
}

std::uint64_t attempt_of(const RouteRequest& request, std::string_view provider) {
  return store::attempt_fingerprint(request.channel, provider, request.transaction_id);
}

/// Each decision takes its own: a draw that has led to one provider is known to lie in that provider's part, so that
/// what it would pick instead is not in proportion to the weights.
core::Draws fresh_draws(Worker& worker) {
  Random& random = worker.random();
  const double explore = random.next_draw();
  return {explore, random.next_draw()};
}

/// The snapshot as it looks to an attempt that has a provider's probe already: its own lease does not stand in its way.
std::shared_ptr<const Snapshot> without_lease(std::shared_ptr<const Snapshot> snapshot, core::ProviderIndex provider,
                                              std::uint64_t attempt, TimeMs now) {
  if (!core::holds_probe(snapshot->providers[provider].breaker, attempt, now)) return snapshot;
  auto own = std::make_shared<Snapshot>(*snapshot);
  core::Breaker& breaker = own->providers[provider].breaker;
  const auto leases = std::span(breaker.leases).first(breaker.lease_count);
  const auto kept = std::remove_if(leases.begin(), leases.end(),
                                   [attempt](const core::ProbeLease& lease) { return lease.attempt == attempt; });
  breaker.lease_count = static_cast<std::uint8_t>(kept - leases.begin());
  return own;
}

}  // namespace

void Router::decide(Worker& worker, const RouteRequest& request, RouteAnswer& answer, TimeMs now,
                    std::optional<core::ProviderIndex> forced) const {
  const Snapshot& snapshot = *answer.snapshot;
  core::DecisionRequest wanted;
  wanted.forced = forced;
  find_all(*snapshot.layout, request.exclude, worker.excluded);
  wanted.excluded = worker.excluded;
  if (request.eligible) {
    find_all(*snapshot.layout, *request.eligible, worker.listed);
    wanted.listed = worker.listed;
  }
  answer.decision = core::decide(wanted, snapshot.settings(), snapshot.providers, now, answer.draws, worker.buffer());
  answer.status = answer.decision.provider ? RouteAnswer::Status::decided : RouteAnswer::Status::no_provider;
}

Awaitable<RouteAnswer> Router::route(Worker& worker, RouteRequest request, TimeMs now) {
  RouteAnswer answer;
  const Worker::View* view = worker.view(request.channel);
  if (view == nullptr) co_return answer;
  answer.snapshot = view->snapshot;
  Random& random = worker.random();
  answer.draws = fresh_draws(worker);
  const std::uint64_t high = random.next();
  const std::uint64_t low = random.next();
  answer.decision_id = Uuid::make(now, high, low);

  decide(worker, request, answer, now, std::nullopt);
  const bool stable = answer.snapshot->settings().stable_per_transaction;
  if (answer.decision.provider && (stable || answer.decision.takes_probe)) {
    answer = co_await ask_store(worker, request, std::move(answer), now);
  }
  record_decision(worker, request, answer, now);
  co_return answer;
}

// Apart from route(), whose frame stays small enough for Asio to recycle that way: most decisions allocate nothing.
Awaitable<RouteAnswer> Router::ask_store(Worker& worker, RouteRequest request, RouteAnswer answer, TimeMs now) {
  if (answer.snapshot->settings().stable_per_transaction) {
    answer = co_await keep_choice(worker, request, std::move(answer), now);
  }
  if (answer.decision.takes_probe) answer = co_await claim_probe(worker, request, std::move(answer), now);
  co_return answer;
}

Awaitable<RouteAnswer> Router::keep_choice(Worker& worker, RouteRequest request, RouteAnswer answer, TimeMs now) {
  const std::uint64_t key = choice_key(request);
  const auto& settings = answer.snapshot->settings();
  const core::DecisionBuffer own = worker.buffer();  // another request may use the worker while the store answers
  const std::string_view proposal = settings.providers[*answer.decision.provider].id;
  const auto choice =
      co_await stores_.transactions.remember_choice(request.channel, key, proposal, settings.dedupe_for_ms, now);
  worker.buffer() = own;
  if (!choice) answer.degraded = true;
  if (!choice || !choice->earlier || choice->provider == proposal) co_return answer;

  const auto earlier = answer.snapshot->layout->find(choice->provider);
  if (earlier) {
    answer.snapshot = without_lease(answer.snapshot, *earlier, attempt_of(request, choice->provider), now);
  }
  answer.draws = fresh_draws(worker);
  decide(worker, request, answer, now, earlier);
  if (answer.decision.provider == earlier) co_return answer;
  co_return co_await replace_choice(worker, request, std::move(answer), now);
}

Awaitable<RouteAnswer> Router::replace_choice(Worker& worker, RouteRequest request, RouteAnswer answer, TimeMs now) {
  const auto& settings = answer.snapshot->settings();
  const std::string_view provider = settings.providers[*answer.decision.provider].id;
  const core::DecisionBuffer own = worker.buffer();
  const auto replaced = co_await stores_.transactions.replace_choice(request.channel, choice_key(request), provider,
                                                                     settings.dedupe_for_ms, now);
  worker.buffer() = own;
  if (!replaced) answer.degraded = true;
  co_return answer;
}

Awaitable<RouteAnswer> Router::claim_probe(Worker& worker, RouteRequest request, RouteAnswer answer, TimeMs now) {
  bool lost = false;
  // Each turn takes the probe or sees that somebody else has it, after which that provider is not eligible; so this
  // ends.
  while (answer.decision.takes_probe) {
    const Worker::View* view = worker.view(request.channel);
    if (view == nullptr) break;
    const std::shared_ptr<Channel> channel = view->channel;
    const std::string provider = answer.snapshot->settings().providers[*answer.decision.provider].id;
    const core::TakeProbe probe{attempt_of(request, provider), answer.decision_id};
    const core::DecisionBuffer own = worker.buffer();
    const auto breaker = co_await take_probe(channel, answer.snapshot, provider, probe, now);
    worker.buffer() = own;
    if (!breaker) answer.degraded = true;
    if (core::holds_probe(breaker ? *breaker : channel->take_probe(provider, probe, now), probe.attempt, now)) break;
    lost = true;
    answer.snapshot = channel->snapshot();
    answer.draws = fresh_draws(worker);
    decide(worker, request, answer, now, std::nullopt);
  }
  if (lost && answer.decision.provider && answer.snapshot->settings().stable_per_transaction) {
    co_return co_await replace_choice(worker, request, std::move(answer), now);
  }
  co_return answer;
}

/// The breaker after asking the store for the probe.
Awaitable<Result<core::Breaker>> Router::take_probe(std::shared_ptr<Channel> channel,
                                                    std::shared_ptr<const Snapshot> snapshot, std::string_view provider,
                                                    core::TakeProbe probe, TimeMs now) {
  const core::BreakerEvent event = probe;
  const auto change =
      co_await stores_.arms.change_breaker(channel->name(), provider, snapshot->settings().breaker, event, now);
  if (!change) co_return change.error();
  channel->update(provider, change->arm, now);
  co_await transitions_.observe(*channel, snapshot, provider, change->before, change->arm.breaker, now);
  co_return change->arm.breaker;
}

void Router::record_decision(Worker& worker, const RouteRequest& request, const RouteAnswer& answer, TimeMs now) {
  const auto& decision = answer.decision;
  if (decision.provider) {
    answer.snapshot->layout->activity[*decision.provider]->decided(worker.index(), decision.reason, now,
                                                                   answer.snapshot->settings().webhook_timeout_ms);
  } else if (const Worker::View* view = worker.view(request.channel)) {
    view->channel->count_no_provider();
  }
  QueuedRecord* slot = worker.queue().reserve();
  if (slot == nullptr) {
    log_.wake();
    return;
  }
  slot->kind = QueuedRecord::Kind::decision;
  DecisionRecord& record = *slot->decision;
  record.decision_id = answer.decision_id;
  record.at_ms = now;
  record.channel = request.channel;
  record.transaction_id = request.transaction_id;
  record.merchant_id = request.merchant_id;
  record.payment_method = request.payment_method;
  record.payment_method_type = request.payment_method_type;
  record.amount = request.amount;
  record.currency = request.currency;
  record.snapshot = answer.snapshot;
  record.draws = answer.draws;
  record.decision = decision;
  record.why_not = worker.buffer().why_not;
  record.fallbacks = worker.buffer().fallbacks;
  worker.queue().push();
  if (worker.queue().crowded()) log_.wake();
}

}  // namespace turnout::engine
