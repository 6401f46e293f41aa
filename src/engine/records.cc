#include "engine/records.h"

#include "base/json_writer.h"
#include "engine/words.h"

namespace turnout::engine {
namespace {

void write_id(JsonWriter& json, std::string_view name, const Uuid& id) {
  const auto text = id.text();
  json.field(name, std::string_view(text.data(), text.size()));
}

void write_optional(JsonWriter& json, std::string_view name, const std::string& text) {
  if (!text.empty()) json.field(name, text);
}

void write_candidates(JsonWriter& json, const DecisionRecord& record) {
  json.key("candidates").begin_array();
  const auto& providers = record.snapshot->settings().providers;
  for (std::size_t i = 0; i < providers.size(); ++i) {
    json.begin_object();
    json.field("provider", providers[i].id);
    json.field("weight", record.snapshot->providers[i].weight_at(record.at_ms));
    if (record.why_not[i] != core::WhyNot::eligible) json.field("why_not", word(record.why_not[i]));
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void append_json(std::string& out, const DecisionRecord& record) {
  JsonWriter json(out);
  const auto& providers = record.snapshot->settings().providers;
  json.begin_object().field("kind", "decision");
  json.field("at_ms", record.at_ms);
  write_id(json, "decision_id", record.decision_id);
  json.field("channel", record.channel).field("transaction_id", record.transaction_id);
  write_optional(json, "merchant_id", record.merchant_id);
  write_optional(json, "payment_method", record.payment_method);
  write_optional(json, "payment_method_type", record.payment_method_type);
  if (record.amount) json.field("amount", *record.amount);
  write_optional(json, "currency", record.currency);
  json.key("provider");
  if (record.decision.provider) {
    json.value(providers[*record.decision.provider].id).field("reason", word(record.decision.reason));
  } else {
    json.null().field("reason", "no_provider");
  }
  json.key("fallbacks").begin_array();
  for (const auto index : record.fallbacks) json.raw(record.snapshot->layout->json_ids[index]);
  json.end_array();
  json.field("propensity", record.decision.propensity).field("policy", word(record.snapshot->settings().policy));
  json.field("epsilon", record.snapshot->settings().epsilon);
  json.field("explore_draw", record.draws.explore).field("select_draw", record.draws.select);
  write_candidates(json, record);
  json.end_object();
}

void append_json(std::string& out, const OutcomeRecord& record) {
  JsonWriter json(out);
  json.begin_object().field("kind", "outcome").field("at_ms", record.at_ms);
  if (record.decision_id) write_id(json, "decision_id", *record.decision_id);
  json.field("channel", record.channel).field("transaction_id", record.transaction_id);
  json.field("provider", record.provider).field("status", record.outcome.success ? "success" : "failure");
  if (!record.outcome.success) json.field("failure_kind", word(record.outcome.failure_kind));
  if (record.outcome.latency_ms) json.field("latency_ms", *record.outcome.latency_ms);
  write_optional(json, "error_code", record.error_code);
  json.field("source", record.source).end_object();
}

}  // namespace turnout::engine
