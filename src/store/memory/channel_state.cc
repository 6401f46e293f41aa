#include "store/memory/channel_state.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/feedback.h"

namespace turnout::store {
namespace {

core::Status status_of(bool success) { return success ? core::Status::success : core::Status::failure; }

/// The outcome that counts: `pending` knows the latency when the webhook does not.
core::Outcome completed(const FinalReport& report, const PendingTransaction* pending) {
  core::Outcome outcome = report.outcome;
  if (report.source == Source::webhook && !outcome.latency_ms) outcome.latency_ms = pending->latency_ms;
  if (report.source == Source::time_out) outcome.latency_ms.reset();
  return outcome;
}

}  // namespace

ChannelState::ProviderState& ChannelState::provider_state(std::string_view provider) {
  auto found = providers_.find(provider);
  if (found == providers_.end()) found = providers_.emplace(std::string(provider), ProviderState{}).first;
  return found->second;
}

core::Arm ChannelState::arm(std::string_view provider) const {
  const auto found = providers_.find(provider);
  return found == providers_.end() ? core::Arm{} : found->second.arm;
}

BreakerChange ChannelState::change_breaker(std::string_view provider, const core::BreakerSettings& settings,
                                           const core::BreakerEvent& event, TimeMs now) {
  ProviderState& state = provider_state(provider);
  BreakerChange change;
  change.before = state.arm.breaker;
  state.arm.breaker = core::after_event(state.arm.breaker, settings, event, now);
  if (state.arm.breaker != change.before) {
    state.arm.revision += 1;
    state.arm_changed = true;
    mark_changed();
  }
  change.arm = state.arm;
  return change;
}

void ChannelState::remove_provider(std::string_view provider) {
  const auto found = providers_.find(provider);
  if (found == providers_.end()) return;
  providers_.erase(found);
  if (journaling_ == Journaling::on) removed_providers_.emplace_back(provider);
  mark_changed();
}

bool ChannelState::claim_sweep(DurationMs interval, TimeMs now) {
  // A clock that was set back must not stop the sweeps; one that is only a little behind another's must not repeat one.
  if (swept_at_ms_ && std::abs(now - *swept_at_ms_) < interval) return false;
  swept_at_ms_ = now;
  return true;
}

void ChannelState::publish_weights(const std::vector<ProviderWeight>& weights, TimeMs now) {
  for (const auto& [provider, weight] : weights) {
    ProviderState& state = provider_state(provider);
    state.history.add({now, weight});
    if (journaling_ == Journaling::on) state.new_points.add({now, weight});
  }
  mark_changed();
}

std::vector<HistoryPoint> ChannelState::history(std::string_view provider, std::size_t limit) const {
  const auto found = providers_.find(provider);
  return found == providers_.end() ? std::vector<HistoryPoint>{} : found->second.history.newest(limit);
}

std::optional<Recording> ChannelState::already_final(const FinalReport& report) const {
  const auto seen = finals_.find(report.attempt.fingerprint, report.now);
  if (!seen) return std::nullopt;
  Recording recording;
  if (report.source == Source::time_out) return recording;
  const bool late = report.source == Source::webhook || seen->ended_pending;
  recording.verdict = late ? Verdict::late : Verdict::duplicate;
  recording.recorded_status = status_of(seen->success);
  return recording;
}

Recording ChannelState::finish(const FinalReport& report) {
  finals_.forget(*report.channel, report.now);
  if (auto recording = already_final(report)) return *std::move(recording);
  return record(report);
}

Recording ChannelState::record(const FinalReport& report) {
  const PendingTransaction* pending = pending_.find(report.attempt.fingerprint);
  const bool ends_pending = report.source != Source::report;
  Recording recording;
  if (ends_pending && !pending) return recording;
  if (report.source == Source::time_out && report.now < pending->deadline_ms) return recording;

  ProviderState& state = provider_state(report.attempt.provider);
  recording.verdict = Verdict::recorded;
  recording.recorded_status = status_of(report.outcome.success);
  auto counted = std::make_unique<Counted>();
  counted->breaker_before = state.arm.breaker;
  core::apply_outcome(state.arm, *report.channel, completed(report, pending), report.attempt.fingerprint, report.now);
  counted->arm = state.arm;
  state.arm_changed = true;
  finals_.remember(report.attempt.fingerprint, {report.outcome.success, ends_pending}, report.now);
  if (pending) counted->resolved = pending_.remove(report.attempt.fingerprint);
  recording.counted = std::move(counted);
  mark_changed();
  return recording;
}

Recording ChannelState::begin_pending(const AttemptKey& attempt, PendingTransaction transaction, TimeMs now) {
  Recording recording;
  if (const auto seen = finals_.find(attempt.fingerprint, now)) {
    recording.verdict = seen->ended_pending ? Verdict::late : Verdict::duplicate;
    recording.recorded_status = status_of(seen->success);
    return recording;
  }
  recording.recorded_status = core::Status::pending;
  if (pending_.find(attempt.fingerprint)) {
    recording.verdict = Verdict::duplicate;
    return recording;
  }
  recording.verdict = Verdict::recorded;
  pending_.add(attempt.fingerprint, std::move(transaction));
  mark_changed();
  return recording;
}

RememberedChoice ChannelState::remember_choice(std::uint64_t key, std::string_view proposal, DurationMs keep_for,
                                               TimeMs now) {
  choices_.forget(keep_for, now);
  if (const auto provider = choices_.find(key, now)) return {std::string(*provider), true};
  choices_.put(key, proposal, now);
  mark_changed();
  return {std::string(proposal), false};
}

void ChannelState::replace_choice(std::uint64_t key, std::string_view provider, DurationMs keep_for, TimeMs now) {
  choices_.forget(keep_for, now);
  choices_.put(key, provider, now);
  mark_changed();
}

void ChannelState::change_overrides(const OverrideChanges& changes, AuditEntry entry) {
  for (const auto& [name, text] : changes) {
    if (text) {
      overrides_.insert_or_assign(name, *text);
    } else {
      overrides_.erase(name);
    }
  }
  overrides_changed_ = true;
  append_audit(std::move(entry));
}

void ChannelState::append_audit(AuditEntry entry) {
  keep_audit(std::move(entry));
  new_audit_ = std::min(new_audit_ + 1, SettingsStore::kAuditLimit);
  mark_changed();
}

void ChannelState::keep_audit(AuditEntry entry) {
  audit_.push_back(std::move(entry));
  if (audit_.size() > SettingsStore::kAuditLimit) audit_.pop_front();
}

std::vector<AuditEntry> ChannelState::audit(std::size_t limit) const {
  return {audit_.rbegin(), audit_.rbegin() + static_cast<std::ptrdiff_t>(std::min(limit, audit_.size()))};
}

void ChannelState::remove() {
  providers_.clear();
  removed_providers_.clear();
  finals_.fingerprints().clear();
  pending_.clear();
  choices_.clear();
  overrides_.clear();
  audit_.clear();
  swept_at_ms_.reset();
  new_audit_ = 0;
  overrides_changed_ = false;
  // What was to be added or dropped is covered by the removal.
  finals_.fingerprints().take_changes();
  choices_.take_changes();
  removed_ = journaling_ == Journaling::on;
  mark_changed();
}

void ChannelState::restore_pending(std::uint64_t fingerprint, PendingTransaction transaction) {
  pending_.restore(fingerprint, std::move(transaction));
}

ChannelChanges ChannelState::take_changes() {
  ChannelChanges changes;
  changes.removed = std::exchange(removed_, false);
  changes.removed_providers = std::exchange(removed_providers_, {});
  for (auto& [provider, state] : providers_) {
    if (!state.arm_changed && !state.new_points.oldest_ms()) continue;
    ProviderChanges& of_provider = changes.providers.emplace_back();
    of_provider.provider = provider;
    if (std::exchange(state.arm_changed, false)) of_provider.arm = state.arm;
    of_provider.new_points = std::exchange(state.new_points, {}).newest(ArmStore::kHistoryLimit);
    of_provider.oldest_point_ms = state.history.oldest_ms();
  }
  changes.final_attempts = finals_.fingerprints().take_changes();
  changes.pending = pending_.take_changes();
  changes.choices = choices_.take_changes();
  if (std::exchange(overrides_changed_, false)) changes.overrides = overrides_;
  changes.new_audit.assign(audit_.end() - static_cast<std::ptrdiff_t>(new_audit_), audit_.end());
  new_audit_ = 0;
  changed_ = false;
  return changes;
}

}  // namespace turnout::store
