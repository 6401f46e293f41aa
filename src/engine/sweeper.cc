#include "engine/sweeper.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/json_writer.h"

namespace turnout::engine {

namespace {

/// Lets the thread serve requests before the next piece of work.
Awaitable<void> let_others_work() {
  const auto executor = co_await boost::asio::this_coro::executor;
  co_await boost::asio::post(executor, boost::asio::use_awaitable_t<Executor>());
}

void log_failure(const Channel& channel, std::string_view what, const Error& error) {
  spdlog::error("channel {}: cannot {}: {}", channel.name(), what, error.message);
}

/// Whether an operator's opening is over that is still stored as one: this is told at once, not with the next sweep.
bool manual_opening_ended(const Snapshot& snapshot, TimeMs now) {
  return std::any_of(snapshot.providers.begin(), snapshot.providers.end(), [now](const core::ProviderView& provider) {
    return provider.breaker.manual && !core::manual_at(provider.breaker, now);
  });
}

}  // namespace

Awaitable<void> Sweeper::step(TimeMs now) {
  for (const auto& channel : channels_.all()) {
    co_await time_out_pending(channel, now);
    co_await sweep(channel, now);
  }
}

Awaitable<void> Sweeper::time_out_pending(std::shared_ptr<Channel> channel, TimeMs now) {
  constexpr std::size_t kBatch = 256;
  for (bool more = true; more;) {
    auto due = co_await stores_.transactions.due(channel->name(), now, kBatch);
    if (!due) {
      co_return log_failure(*channel, "look for overdue transactions", due.error());
    }
    more = false;
    for (auto& pending : *due) {
      const auto verdict = co_await router_.time_out(worker_, *channel, std::move(pending), now);
      if (!verdict) {
        co_return log_failure(*channel, "time out a transaction", verdict.error());
      }
      // A full batch of which we counted something: there may be more. (Of others' time-outs we are told next step.)
      more = more || (*verdict == store::Verdict::recorded && due->size() == kBatch);
    }
    if (more) co_await let_others_work();
  }
}

Awaitable<void> Sweeper::end_manual_openings(std::shared_ptr<Channel> channel, std::shared_ptr<const Snapshot> snapshot,
                                             TimeMs now) {
  const auto ended = co_await store_time_passed(*channel, snapshot, now);
  if (!ended) log_failure(*channel, "end a manual opening", ended.error());
}

Awaitable<void> Sweeper::sweep(std::shared_ptr<Channel> channel, TimeMs now) {
  const auto snapshot = channel->snapshot();
  const DurationMs interval = snapshot->settings().sweep_interval_ms;
  Progress& progress = progress_[channel->name()];
  if (!progress.owes_sweep) {
    // A clock that was set back must not stop the sweeps until it has caught up.
    const bool due = now < progress.asked_at_ms || now >= progress.asked_at_ms + interval;
    if (!due && !manual_opening_ended(*snapshot, now)) co_return;
    if (!due) co_return co_await end_manual_openings(channel, snapshot, now);
    const auto claimed = co_await stores_.arms.claim_sweep(channel->name(), interval, now);
    if (!claimed) co_return log_failure(*channel, "sweep", claimed.error());
    progress = {now, *claimed};
    if (!*claimed) co_return;
  }
  const auto done = co_await pass_time(*channel, snapshot, now);
  if (!done) co_return log_failure(*channel, "sweep", done.error());
  progress.owes_sweep = false;
  co_await let_others_work();
}

Awaitable<Result<Done>> Sweeper::store_time_passed(Channel& channel, std::shared_ptr<const Snapshot> snapshot,
                                                   TimeMs now) {
  const auto& settings = snapshot->settings();
  for (std::size_t i = 0; i < settings.providers.size(); ++i) {
    const std::string& provider = settings.providers[i].id;
    if (core::circuit_at(snapshot->providers[i].breaker, now) == snapshot->providers[i].breaker.circuit) continue;
    const core::BreakerEvent event = core::TimePassed{};
    const auto change = co_await stores_.arms.change_breaker(channel.name(), provider, settings.breaker, event, now);
    if (!change) co_return change.error();
    channel.update(provider, change->arm, now);
    co_await transitions_.observe(channel, snapshot, provider, change->before, change->arm.breaker, now);
  }
  co_return Done{};
}

Awaitable<Result<Done>> Sweeper::pass_time(Channel& channel, std::shared_ptr<const Snapshot> snapshot, TimeMs now) {
  const auto stored = co_await store_time_passed(channel, snapshot, now);
  if (!stored) co_return stored.error();
  std::vector<std::string> providers;
  for (const auto& provider : snapshot->settings().providers) providers.push_back(provider.id);
  const auto arms = co_await stores_.arms.read_arms(channel.name(), providers);
  if (!arms) co_return arms.error();
  channel.refresh(*snapshot, *arms, now);

  const auto refreshed = channel.snapshot();
  std::vector<store::ProviderWeight> weights;
  const auto& current = refreshed->settings().providers;
  for (std::size_t i = 0; i < current.size(); ++i) {
    weights.push_back({current[i].id, refreshed->providers[i].weight_at(now)});
  }
  publish_event(channel, *refreshed, now);
  co_return co_await stores_.arms.publish_weights(channel.name(), std::move(weights), now);
}

void Sweeper::publish_event(const Channel& channel, const Snapshot& snapshot, TimeMs now) {
  if (!events_.has_listeners()) return;
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("at_ms", now).field("channel", channel.name()).key("weights").begin_object();
  const auto& providers = snapshot.settings().providers;
  for (std::size_t i = 0; i < providers.size(); ++i) json.field(providers[i].id, snapshot.providers[i].weight_at(now));
  json.end_object().end_object();
  events_.publish("weights", text);
}

}  // namespace turnout::engine
