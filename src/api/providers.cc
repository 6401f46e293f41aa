#include <algorithm>

#include "api/endpoints.h"
#include "api/provider_json.h"
#include "api/query.h"
#include "api/setting_fields.h"
#include "base/text.h"
#include "engine/words.h"

namespace turnout::api {
namespace {

/// The channel's providers as they stand now, in the order of the channel.
Awaitable<Result<std::vector<ProviderRow>>> read_rows(const Services& services, const engine::Channel& channel,
                                                      std::shared_ptr<const engine::Snapshot> snapshot, TimeMs now) {
  const auto& settings = snapshot->settings();
  std::vector<std::string> ids;
  for (const auto& provider : settings.providers) ids.push_back(provider.id);
  const auto arms = co_await services.stores.arms.read_arms(channel.name(), std::move(ids));
  if (!arms) co_return arms.error();
  std::uint64_t all = 0;
  for (const auto& activity : snapshot->layout->activity) all += activity->decisions_last_minute(now);
  std::vector<ProviderRow> rows;
  for (std::size_t i = 0; i < settings.providers.size(); ++i) {
    const auto& activity = *snapshot->layout->activity[i];
    const auto decisions = static_cast<double>(activity.decisions_last_minute(now));
    rows.push_back({settings.providers[i], core::view_of((*arms)[i], settings.providers[i], settings, now),
                    all == 0 ? 0 : decisions / static_cast<double>(all),
                    activity.in_flight(now, settings.webhook_timeout_ms)});
  }
  co_return rows;
}

/// Answers with the one provider of the path.
Awaitable<void> respond_with_provider(const Context& context, Call call, std::shared_ptr<engine::Channel> channel) {
  const auto snapshot = channel->snapshot();
  const auto position = provider_of(*snapshot, call);
  if (!position) co_return;
  const auto rows = co_await read_rows(context.services, *channel, snapshot, call.now);
  if (!rows) co_return call.refuse(store_problem(rows.error().message));
  JsonWriter json(call.response->body);
  write_provider(json, (*rows)[*position], call.now);
}

/// The body read on top of what the provider is now, or of a new one.
std::optional<FieldTexts> read_body(Context& context, const Call& call, core::ProviderSettings provider) {
  const DocumentPool::Document document(context.documents);
  JsonFault fault;
  document->parse(call.request->body, fault);
  JsonReader in(*document, fault);
  auto texts = read_provider_fields(in, provider);
  if (!fault.happened()) return texts;
  call.refuse(problem_of(fault));
  return std::nullopt;
}

}  // namespace

void write_provider(JsonWriter& json, const ProviderRow& row, TimeMs now) {
  const auto& view = row.view;
  const core::Circuit circuit = core::circuit_at(view.breaker, now);
  json.begin_object().field("provider", row.provider.id).field("weight", view.weight_at(now));
  json.field("success_rate", view.factors.success_rate);
  json.field("successes", view.counts.successes).field("total", view.counts.total);
  json.field("latency_penalty", view.factors.latency_penalty).key("p95_ms");
  view.p95_ms ? json.value(*view.p95_ms) : json.null();
  json.field("circuit", engine::word(circuit)).field("manual", core::manual_at(view.breaker, now));
  json.field("circuit_multiplier", core::circuit_multiplier(circuit));
  json.field("business_multiplier", row.provider.business_multiplier).field("enabled", row.provider.enabled);
  json.field("consecutive_failures", static_cast<std::uint64_t>(view.breaker.consecutive_failures));
  json.field("generation", view.breaker.generation);
  const bool open = circuit == core::Circuit::open;
  const auto write_time = [&](std::string_view name, TimeMs at) {
    json.key(name);
    at == 0 ? json.null() : json.value(at);
  };
  write_time("opened_at_ms", circuit == core::Circuit::closed ? 0 : view.breaker.opened_at_ms);
  write_time("half_open_at_ms", open ? view.breaker.half_open_at_ms : 0);
  json.field("share_last_minute", row.share_last_minute).field("in_flight", row.in_flight).end_object();
}

Awaitable<void> list_providers(Context& context, Call call) {
  const auto channel = channel_of(context, call);
  if (!channel) co_return;
  QueryReader query(call.request->query);
  const auto top = query.optional_integer("top", 1, static_cast<std::int64_t>(core::kMaxProviders));
  const auto min_weight = query.optional_number("min_weight", 0, 1e9);
  query.finish();
  if (query.fault()) co_return call.refuse(*query.fault());

  const auto snapshot = channel->snapshot();
  const auto rows = co_await read_rows(context.services, *channel, snapshot, call.now);
  if (!rows) co_return call.refuse(store_problem(rows.error().message));
  std::vector<const ProviderRow*> chosen;
  for (const auto& row : *rows) {
    if (!min_weight || row.view.weight_at(call.now) >= *min_weight) chosen.push_back(&row);
  }
  if (top) {
    std::stable_sort(chosen.begin(), chosen.end(), [&](const ProviderRow* a, const ProviderRow* b) {
      return a->view.weight_at(call.now) > b->view.weight_at(call.now);
    });
    chosen.resize(std::min(chosen.size(), static_cast<std::size_t>(*top)));
  }
  JsonWriter json(call.response->body);
  json.begin_object().key("providers").begin_array();
  for (const auto* row : chosen) write_provider(json, *row, call.now);
  json.end_array().end_object();
}

Awaitable<void> put_provider(Context& context, Call call) {
  const auto channel = channel_of(context, call);
  if (!channel) co_return;
  const std::string& id = call.parameters[1];
  if (!is_id(id)) co_return call.refuse({400, "invalid_request", "the provider's name is no id"});
  const auto snapshot = channel->snapshot();
  const bool exists = snapshot->layout->find(id).has_value();
  if (!exists && snapshot->providers.size() >= core::kMaxProviders) {
    co_return call.refuse({409, "too_many_providers", "the channel has 1000 providers already"});
  }
  auto texts = read_body(context, call, core::ProviderSettings{.id = id});
  if (!texts) co_return;
  // PUT is the whole: what it leaves out gets its default.
  const core::ProviderSettings defaults;
  for (const auto& field : core::provider_fields()) {
    texts->emplace(field.name, core::to_text(*field.get(defaults)));
  }
  const auto done =
      co_await context.services.operations.put_provider(channel, id, std::move(*texts), call.author(), call.now);
  if (!done) co_return call.refuse(store_problem(done.error().message));
  call.response->status = exists ? 200 : 201;
  co_await respond_with_provider(context, call, channel);
}

Awaitable<void> patch_provider(Context& context, Call call) {
  const auto channel = channel_of(context, call);
  if (!channel) co_return;
  const auto snapshot = channel->snapshot();
  const auto position = provider_of(*snapshot, call);
  if (!position) co_return;
  auto texts = read_body(context, call, snapshot->settings().providers[*position]);
  if (!texts) co_return;
  if (!texts->empty()) {
    const auto done = co_await context.services.operations.put_provider(channel, call.parameters[1], std::move(*texts),
                                                                        call.author(), call.now);
    if (!done) co_return call.refuse(store_problem(done.error().message));
  }
  co_await respond_with_provider(context, call, channel);
}

Awaitable<void> delete_provider(Context& context, Call call) {
  const auto channel = channel_of(context, call);
  if (!channel) co_return;
  if (!provider_of(*channel->snapshot(), call)) co_return;
  const auto done =
      co_await context.services.operations.remove_provider(channel, call.parameters[1], call.author(), call.now);
  if (!done) co_return call.refuse(store_problem(done.error().message));
  call.response->status = 204;
}

}  // namespace turnout::api
