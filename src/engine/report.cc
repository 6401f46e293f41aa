#include <spdlog/spdlog.h>

#include "engine/router.h"
#include "store/attempt.h"

// Router: learning from outcomes. route.cc has the other half, choosing a provider.

namespace turnout::engine {
namespace {

/// A probe that waits for its webhook keeps its lease until its time-out has surely been counted, which takes up to a
/// second.
constexpr DurationMs kTimeOutSlack = 2 * kSecond;

store::AttemptKey key_of(const ReportRequest& request) {
  return {request.channel, request.provider, request.transaction_id,
          store::attempt_fingerprint(request.channel, request.provider, request.transaction_id)};
}

ReportAnswer answer_of(const Snapshot& snapshot, core::ProviderIndex position, const store::Recording& recording,
                       TimeMs now) {
  const auto& provider = snapshot.providers[position];
  ReportAnswer answer;
  answer.status = recording.verdict == store::Verdict::unknown ? ReportAnswer::Status::unknown_transaction
                                                               : ReportAnswer::Status::answered;
  answer.verdict = recording.verdict;
  answer.recorded_status = recording.recorded_status;
  answer.circuit = core::circuit_at(provider.breaker, now);
  answer.consecutive_failures = provider.breaker.consecutive_failures;
  answer.weight = provider.weight_at(now);
  answer.success_rate = provider.factors.success_rate;
  return answer;
}

ReportAnswer failed(const Error& error) {
  ReportAnswer answer;
  answer.status = ReportAnswer::Status::store_failed;
  answer.problem = error.message;
  return answer;
}

std::string_view word(store::Source source) {
  switch (source) {
    case store::Source::report:
      return "report";
    case store::Source::webhook:
      return "webhook";
    case store::Source::time_out:
      return "time_out";
  }
  TURNOUT_ASSERT(false);
}

void count_verdict(Channel& channel, store::Verdict verdict) {
  if (verdict == store::Verdict::duplicate) channel.count_duplicate();
  if (verdict == store::Verdict::late) channel.count_late();
}

}  // namespace

Awaitable<ReportAnswer> Router::report(Worker& worker, ReportRequest request, TimeMs now) {
  if (request.status == core::Status::pending) return answer_pending(worker, request, now);
  return answer_final(worker, request, store::Source::report, now);
}

Awaitable<ReportAnswer> Router::webhook(Worker& worker, ReportRequest request, TimeMs now) {
  return answer_final(worker, request, store::Source::webhook, now);
}

Awaitable<ReportAnswer> Router::answer_final(Worker& worker, ReportRequest request, store::Source source, TimeMs now) {
  ReportAnswer answer;
  const Worker::View* view = worker.view(request.channel);
  if (view == nullptr) co_return answer;
  const std::shared_ptr<Channel> channel = view->channel;
  auto snapshot = view->snapshot;
  if (!snapshot->layout->find(request.provider)) {
    answer.status = ReportAnswer::Status::unknown_provider;
    co_return answer;
  }
  const store::FinalReport report{key_of(request), source, request.outcome, &snapshot->settings(), now};
  const auto recording = co_await settle(worker, *channel, snapshot, report, request);
  if (!recording) co_return failed(recording.error());
  // The provider may have been removed while the store worked; then the snapshot from before still describes it.
  if (const Worker::View* fresh = worker.view(request.channel)) {
    if (fresh->snapshot->layout->find(request.provider)) snapshot = fresh->snapshot;
  }
  co_return answer_of(*snapshot, *snapshot->layout->find(request.provider), *recording, now);
}

Awaitable<ReportAnswer> Router::answer_pending(Worker& worker, ReportRequest request, TimeMs now) {
  ReportAnswer answer;
  const Worker::View* view = worker.view(request.channel);
  if (view == nullptr) co_return answer;
  const std::shared_ptr<Channel> channel = view->channel;
  const auto snapshot = view->snapshot;
  const auto position = snapshot->layout->find(request.provider);
  if (!position) {
    answer.status = ReportAnswer::Status::unknown_provider;
    co_return answer;
  }
  const auto& settings = snapshot->settings();
  const auto attempt = key_of(request);
  const TimeMs deadline = now + settings.webhook_timeout_ms;
  store::PendingTransaction pending{std::string(request.transaction_id),
                                    std::string(request.provider),
                                    request.decision_id,
                                    now,
                                    deadline,
                                    request.outcome.latency_ms,
                                    std::string(request.merchant_id),
                                    std::string(request.customer_id),
                                    std::string(request.payment_method),
                                    std::string(request.payment_method_type)};
  const auto recording = co_await stores_.transactions.begin_pending(attempt, std::move(pending), now);
  if (!recording) co_return failed(recording.error());
  count_verdict(*channel, recording->verdict);

  const auto& breaker = snapshot->providers[*position].breaker;
  if (recording->verdict == store::Verdict::recorded && core::holds_probe(breaker, attempt.fingerprint, now)) {
    const core::BreakerEvent event = core::ExtendProbe{attempt.fingerprint, deadline + kTimeOutSlack};
    const auto change =
        co_await stores_.arms.change_breaker(request.channel, request.provider, settings.breaker, event, now);
    if (change) {
      channel->update(request.provider, change->arm, now);
    } else {
      spdlog::warn("channel {}: the probe of {} could not be extended: {}", channel->name(), request.provider,
                   change.error().message);
    }
  }
  co_return answer_of(*snapshot, *position, *recording, now);
}

Awaitable<Result<store::Verdict>> Router::time_out(Worker& worker, Channel& channel, store::PendingTransaction pending,
                                                   TimeMs now) {
  ReportRequest request;
  request.channel = channel.name();
  request.transaction_id = pending.transaction_id;
  request.provider = pending.provider;
  request.status = core::Status::failure;
  request.outcome = {.success = false, .failure_kind = core::FailureKind::provider, .latency_ms = std::nullopt};
  const auto snapshot = channel.snapshot();
  const store::FinalReport report{key_of(request), store::Source::time_out, request.outcome, &snapshot->settings(),
                                  now};
  const auto recording = co_await settle(worker, channel, snapshot, report, request);
  if (!recording) co_return recording.error();
  if (!snapshot->layout->find(request.provider)) {
    // It was removed with its counts, and the time-out has begun new ones.
    const auto removed = co_await stores_.arms.remove_provider(channel.name(), request.provider);
    if (!removed) co_return removed.error();
  }
  co_return recording->verdict;
}

Awaitable<Result<store::Recording>> Router::settle(Worker& worker, Channel& channel,
                                                   std::shared_ptr<const Snapshot> snapshot, store::FinalReport report,
                                                   ReportRequest request) {
  auto recording = co_await stores_.transactions.finish(report);
  if (!recording) co_return recording.error();
  count_verdict(channel, recording->verdict);
  if (recording->verdict != store::Verdict::recorded) co_return recording;

  const store::Counted& counted = *recording->counted;
  channel.update(request.provider, counted.arm, report.now);
  TimeMs answered_at = report.now;
  if (counted.resolved) {
    const auto& pending = *counted.resolved;
    answered_at = pending.reported_at_ms;
    if (!request.decision_id) request.decision_id = pending.decision_id;
    // The store counted it so.
    if (report.source == store::Source::webhook && !report.outcome.latency_ms) {
      report.outcome.latency_ms = pending.latency_ms;
    }
  }
  if (const auto position = snapshot->layout->find(request.provider)) {
    const auto& id = request.decision_id;
    const TimeMs decided_at = id ? id->time_ms() : answered_at - report.outcome.latency_ms.value_or(0);
    snapshot->layout->activity[*position]->outcome(worker.index(), report.outcome, decided_at,
                                                   id ? Moment::exact : Moment::guessed,
                                                   snapshot->settings().webhook_timeout_ms);
  }
  record_outcome(worker, channel, report, request);
  if (counted.breaker_before.generation != counted.arm.breaker.generation) {
    co_await transitions_.observe(channel, snapshot, request.provider, counted.breaker_before, counted.arm.breaker,
                                  report.now);
  }
  co_return recording;
}

void Router::record_outcome(Worker& worker, const Channel& channel, const store::FinalReport& report,
                            const ReportRequest& request) {
  QueuedRecord* slot = worker.queue().reserve();
  if (slot == nullptr) {
    log_.wake();
    return;
  }
  slot->kind = QueuedRecord::Kind::outcome;
  OutcomeRecord& record = *slot->outcome;
  record.at_ms = report.now;
  record.channel = channel.name();
  record.transaction_id = request.transaction_id;
  record.provider = request.provider;
  record.decision_id = request.decision_id;
  record.outcome = report.outcome;
  record.error_code = request.error_code;
  record.source = word(report.source);
  worker.queue().push();
  if (worker.queue().crowded()) log_.wake();
}

}  // namespace turnout::engine
