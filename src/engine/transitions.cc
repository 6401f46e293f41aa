#include "engine/transitions.h"

#include <spdlog/spdlog.h>

#include "base/json_writer.h"
#include "engine/words.h"

namespace turnout::engine {
namespace {

std::string event_json(const Channel& channel, std::string_view provider, const core::Breaker& before,
                       const core::Breaker& after, TimeMs now) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("at_ms", now).field("channel", channel.name()).field("provider", provider);
  json.field("from", word(before.circuit)).field("to", word(after.circuit)).field("manual", after.manual);
  json.field("consecutive_failures", static_cast<std::uint64_t>(after.consecutive_failures));
  json.field("generation", after.generation).end_object();
  return text;
}

void log_transition(const Channel& channel, std::string_view provider, const core::Breaker& before,
                    const core::Breaker& after, TimeMs now) {
  if (after.circuit != core::Circuit::open) {
    spdlog::info("channel {}: provider {} is {} (was {})", channel.name(), provider, word(after.circuit),
                 word(before.circuit));
  } else if (after.manual) {
    spdlog::warn("channel {}: provider {} is opened by an operator", channel.name(), provider);
  } else {
    spdlog::warn("channel {}: provider {} is open after {} failures in a row, half-open in {} ms", channel.name(),
                 provider, after.consecutive_failures, after.half_open_at_ms - now);
  }
}

}  // namespace

Awaitable<void> Transitions::observe(const Channel& channel, std::shared_ptr<const Snapshot> snapshot,
                                     std::string_view provider, core::Breaker before, core::Breaker after, TimeMs now) {
  if (before.generation == after.generation) co_return;
  if (const auto position = snapshot->layout->find(provider)) {
    snapshot->layout->activity[*position]->transition(after.circuit);
  }
  log_transition(channel, provider, before, after, now);
  events_.publish("transition", event_json(channel, provider, before, after, now));
  if (before.manual && !core::manual_at(before, now)) {
    store::AuditEntry entry{now, "expired", std::string(provider), "", "", "the manual opening is over"};
    const auto stored = co_await settings_.append_audit(channel.name(), std::move(entry));
    if (!stored) spdlog::error("audit of {} could not be stored: {}", channel.name(), stored.error().message);
  }
}

}  // namespace turnout::engine
