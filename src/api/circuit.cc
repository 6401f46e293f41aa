#include <array>

#include "api/endpoints.h"
#include "api/json_reader.h"
#include "base/json_writer.h"
#include "engine/words.h"

namespace turnout::api {
namespace {

constexpr std::size_t kMaxReasonBytes = 500;
constexpr std::size_t kMaxAuthorBytes = 100;

constexpr std::array kActions{JsonWord<engine::CircuitAction>{"open", engine::CircuitAction::open},
                              JsonWord<engine::CircuitAction>{"close", engine::CircuitAction::close},
                              JsonWord<engine::CircuitAction>{"auto", engine::CircuitAction::auto_}};

engine::CircuitOrder read_order(JsonReader& in) {
  engine::CircuitOrder order;
  order.action = in.word("action", kActions);
  order.reason = in.optional_text("reason", 0, kMaxReasonBytes).value_or("");
  order.author = in.optional_text("author", 0, kMaxAuthorBytes).value_or("");
  order.expires_in_ms = in.optional_integer("expires_in_ms", 1, 365 * kDay);
  if (order.expires_in_ms && order.action != engine::CircuitAction::open) {
    in.refuse("expires_in_ms", "only for the action open");
  }
  in.finish();
  return order;
}

}  // namespace

Awaitable<void> order_circuit(Context& context, Call call) {
  const auto channel = channel_of(context, call);
  if (!channel || !provider_of(*channel->snapshot(), call)) co_return;
  const DocumentPool::Document document(context.documents);
  JsonFault fault;
  document->parse(call.request->body, fault);
  JsonReader in(*document, fault);
  engine::CircuitOrder order = read_order(in);
  if (fault.happened()) co_return call.refuse(problem_of(fault));
  order.author = call.author(order.author);
  const std::string provider = call.parameters[1];
  const auto breaker =
      co_await context.services.operations.order_circuit(channel, provider, std::move(order), call.now);
  if (!breaker) co_return call.refuse(store_problem(breaker.error().message));
  JsonWriter json(call.response->body);
  json.begin_object().field("provider", provider);
  json.field("circuit", engine::word(core::circuit_at(*breaker, call.now))).field("manual", breaker->manual);
  json.field("consecutive_failures", static_cast<std::uint64_t>(breaker->consecutive_failures));
  json.field("generation", breaker->generation).key("expires_at_ms");
  breaker->manual && breaker->half_open_at_ms != 0 ? json.value(breaker->half_open_at_ms) : json.null();
  json.end_object();
}

}  // namespace turnout::api
