#include "api/endpoints.h"
#include "api/query.h"
#include "base/json_writer.h"

namespace turnout::api {
namespace {

constexpr std::int64_t kMaxListed = 1000;
constexpr std::int64_t kUsuallyListed = 100;

/// The only parameter of the lists; refuses and gives nothing when it is faulty.
std::optional<std::size_t> read_limit(const Call& call, std::int64_t usual) {
  QueryReader query(call.request->query);
  const auto limit = query.optional_integer("limit", 1, kMaxListed);
  query.finish();
  if (!query.fault()) return static_cast<std::size_t>(limit.value_or(usual));
  call.refuse(*query.fault());
  return std::nullopt;
}

void write_text(JsonWriter& json, std::string_view name, const std::string& text) {
  json.key(name);
  text.empty() ? json.null() : json.value(text);
}

/// Without the customer, whose id appears in no list.
void write_pending(JsonWriter& json, const store::PendingTransaction& pending) {
  json.begin_object().field("transaction_id", pending.transaction_id).field("provider", pending.provider);
  json.key("decision_id");
  if (pending.decision_id) {
    const auto id = pending.decision_id->text();
    json.value(std::string_view(id.data(), id.size()));
  } else {
    json.null();
  }
  json.field("reported_at_ms", pending.reported_at_ms).field("deadline_ms", pending.deadline_ms);
  write_text(json, "merchant_id", pending.merchant_id);
  write_text(json, "payment_method", pending.payment_method);
  write_text(json, "payment_method_type", pending.payment_method_type);
  json.end_object();
}

}  // namespace

Awaitable<void> list_history(Context& context, Call call) {
  const auto channel = channel_of(context, call);
  if (!channel || !provider_of(*channel->snapshot(), call)) co_return;
  const auto limit = read_limit(call, kMaxListed);
  if (!limit) co_return;
  const auto points = co_await context.services.stores.arms.history(channel->name(), call.parameters[1], *limit);
  if (!points) co_return call.refuse(store_problem(points.error().message));
  JsonWriter json(call.response->body);
  json.begin_object().field("provider", call.parameters[1]).key("points").begin_array();
  for (const auto& point : *points) json.begin_array().value(point.at_ms).value(point.weight).end_array();
  json.end_array().end_object();
}

Awaitable<void> list_pending(Context& context, Call call) {
  const auto channel = channel_of(context, call);
  if (!channel) co_return;
  const auto limit = read_limit(call, kUsuallyListed);
  if (!limit) co_return;
  auto& transactions = context.services.stores.transactions;
  const auto count = co_await transactions.pending_count(channel->name());
  if (!count) co_return call.refuse(store_problem(count.error().message));
  const auto pending = co_await transactions.pending(channel->name(), *limit);
  if (!pending) co_return call.refuse(store_problem(pending.error().message));
  JsonWriter json(call.response->body);
  json.begin_object().field("count", static_cast<std::uint64_t>(*count)).key("pending").begin_array();
  for (const auto& transaction : *pending) write_pending(json, transaction);
  json.end_array().end_object();
}

Awaitable<void> list_decisions(Context& context, Call call) {
  const auto channel = channel_of(context, call);
  if (!channel) co_return;
  const auto limit = read_limit(call, kUsuallyListed);
  if (!limit) co_return;
  JsonWriter json(call.response->body);
  json.begin_object().key("decisions").begin_array();
  for (const auto& decision : context.services.log.recent(channel->name(), *limit)) json.raw(decision);
  json.end_array().end_object();
}

Awaitable<void> list_audit(Context& context, Call call) {
  const auto channel = channel_of(context, call);
  if (!channel) co_return;
  const auto limit = read_limit(call, kUsuallyListed);
  if (!limit) co_return;
  const auto entries = co_await context.services.stores.settings.audit(channel->name(), *limit);
  if (!entries) co_return call.refuse(store_problem(entries.error().message));
  JsonWriter json(call.response->body);
  json.begin_object().key("audit").begin_array();
  for (const auto& entry : *entries) {
    json.begin_object().field("at_ms", entry.at_ms).field("action", entry.action);
    write_text(json, "provider", entry.provider);
    write_text(json, "author", entry.author);
    write_text(json, "reason", entry.reason);
    write_text(json, "detail", entry.detail);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace turnout::api
