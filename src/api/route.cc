#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "api/endpoints.h"
#include "api/payment_fields.h"
#include "base/json_writer.h"
#include "core/channel_fields.h"
#include "engine/words.h"

namespace turnout::api {
namespace {

constexpr std::size_t kMaxBatch = 1000;

/// Largest answer to a batch: with 1000 providers, 1000 decisions take 7 MB, and explained ones 190 MB.
constexpr std::size_t kMaxBatchAnswerBytes = std::size_t{16} << 20;

/// So many decisions of a batch are made before the thread serves others.
constexpr std::size_t kDecisionsPerTurn = 16;

Awaitable<void> let_others_work() {
  const auto executor = co_await boost::asio::this_coro::executor;
  co_await boost::asio::post(executor, boost::asio::use_awaitable_t<Executor>());
}

/// A route request as read, with the memory that its lists need.
struct RouteBody {
  engine::RouteRequest request;
  bool explain = false;
  std::vector<std::string_view> exclude;
  std::vector<std::string_view> eligible;
};

std::string_view read_currency(JsonReader& in) {
  const auto currency = in.optional_text("currency", 1, 3);
  if (!currency) return {};
  const bool valid = currency->size() == 3 &&
                     std::all_of(currency->begin(), currency->end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!valid) in.refuse("currency", "expected three capital letters of ISO 4217");
  return *currency;
}

void read_route(JsonReader& in, RouteBody& body) {
  const PaymentFields payment = read_payment(in);
  const CustomerFields customer = read_customer(in);
  auto& request = body.request;
  request.channel = payment.channel;
  request.transaction_id = payment.transaction_id;
  request.merchant_id = customer.merchant_id;
  request.payment_method = customer.payment_method;
  request.payment_method_type = customer.payment_method_type;
  if (const auto amount = in.optional_amount("amount")) request.amount = static_cast<std::int64_t>(*amount);
  request.currency = read_currency(in);
  if (const auto eligible = in.optional_ids("eligible", 0, core::kMaxProviders)) {
    body.eligible.assign(eligible->begin(), eligible->end());
    request.eligible = body.eligible;
  }
  if (const auto exclude = in.optional_ids("exclude", 0, core::kMaxProviders)) {
    body.exclude.assign(exclude->begin(), exclude->end());
    request.exclude = body.exclude;
  }
  (void)in.optional_boolean("sticky");
  body.explain = in.optional_boolean("explain").value_or(false);
  in.finish();
}

void write_candidate(JsonWriter& json, const core::ProviderSettings& provider, const core::ProviderView& view,
                     core::WhyNot why_not, TimeMs now) {
  const core::Circuit circuit = core::circuit_at(view.breaker, now);
  json.begin_object().field("provider", provider.id).field("weight", view.weight_at(now));
  json.field("success_rate", view.factors.success_rate).field("latency_penalty", view.factors.latency_penalty);
  json.key("p95_ms");
  view.p95_ms ? json.value(*view.p95_ms) : json.null();
  json.field("circuit", engine::word(circuit)).field("circuit_multiplier", core::circuit_multiplier(circuit));
  json.field("business_multiplier", view.factors.business_multiplier);
  json.field("eligible", why_not == core::WhyNot::eligible).key("why_not");
  why_not == core::WhyNot::eligible ? json.null() : json.value(engine::word(why_not));
  json.end_object();
}

void write_candidates(JsonWriter& json, const engine::Snapshot& snapshot, const core::DecisionBuffer& buffer,
                      TimeMs now) {
  json.key("candidates").begin_array();
  for (std::size_t i = 0; i < snapshot.providers.size(); ++i) {
    write_candidate(json, snapshot.settings().providers[i], snapshot.providers[i], buffer.why_not[i], now);
  }
  json.end_array();
}

void write_decision(std::string& out, const RouteBody& body, const engine::RouteAnswer& answer,
                    const core::DecisionBuffer& buffer, TimeMs now) {
  const auto& snapshot = *answer.snapshot;
  const auto& json_ids = snapshot.layout->json_ids;
  const auto id = answer.decision_id.text();
  JsonWriter json(out);
  json.begin_object().field("decision_id", std::string_view(id.data(), id.size()));
  json.field("channel", body.request.channel).field("transaction_id", body.request.transaction_id);
  json.key("provider").raw(json_ids[*answer.decision.provider]);
  json.field("reason", engine::word(answer.decision.reason)).key("fallbacks").begin_array();
  for (const auto index : buffer.fallbacks) json.raw(json_ids[index]);
  json.end_array().field("propensity", answer.decision.propensity);
  json.field("policy", engine::word(snapshot.settings().policy)).field("degraded", answer.degraded);
  // A store within the process publishes each change at once, so what was decided on is never older than the decision.
  json.field("snapshot_age_ms", 0);
  if (body.explain) write_candidates(json, snapshot, buffer, now);
  json.end_object();
}

/// Nobody was eligible: a problem with the reason against each provider.
void write_no_provider(std::string& out, const RouteBody& body, const engine::RouteAnswer& answer,
                       const core::DecisionBuffer& buffer, TimeMs now) {
  const auto& providers = answer.snapshot->settings().providers;
  const auto& retry_after_ms = answer.decision.retry_after_ms;
  JsonWriter json(out);
  json.begin_object().field("type", "about:blank").field("title", "Service Unavailable").field("status", 503);
  json.field("detail", "no provider of the channel may be chosen now").field("code", "no_provider");
  json.field("channel", body.request.channel).field("transaction_id", body.request.transaction_id);
  json.key("reasons").begin_object();
  for (std::size_t i = 0; i < providers.size(); ++i) json.field(providers[i].id, engine::word(buffer.why_not[i]));
  json.end_object().key("retry_after_ms");
  retry_after_ms ? json.value(*retry_after_ms) : json.null();
  if (body.explain) write_candidates(json, *answer.snapshot, buffer, now);
  json.end_object();
}

std::int64_t nanoseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Awaitable<void> route(Context& context, Call call) {
  const auto start = std::chrono::steady_clock::now();
  const DocumentPool::Document document(context.documents);
  JsonFault fault;
  document->parse(call.request->body, fault);
  JsonReader in(*document, fault);
  RouteBody body;
  read_route(in, body);
  if (fault.happened()) co_return call.refuse(problem_of(fault));
  if (!call.may_use(body.request.channel)) co_return;

  engine::Worker& worker = context.worker;
  const auto answer = co_await context.services.router.route(worker, body.request, call.now);
  switch (answer.status) {
    case engine::RouteAnswer::Status::unknown_channel:
      call.refuse({404, "unknown_channel", "there is no such channel", "/channel"});
      break;
    case engine::RouteAnswer::Status::decided:
      write_decision(call.response->body, body, answer, worker.buffer(), call.now);
      break;
    case engine::RouteAnswer::Status::no_provider:
      call.response->status = 503;
      call.response->content_type = "application/problem+json";
      write_no_provider(call.response->body, body, answer, worker.buffer(), call.now);
      if (const auto& wait = answer.decision.retry_after_ms) {
        call.response->add_header("Retry-After", std::to_string((*wait + 999) / 1000));
      }
      break;
  }
  worker.route_durations().add(nanoseconds_since(start));
}

/// One element of a batch: appends a decision or a problem.
static Awaitable<void> route_one(Context& context, Call call, const JsonDocument& document, const JsonNode& element) {
  JsonFault fault;
  JsonReader in(document, element, fault);
  RouteBody body;
  read_route(in, body);
  std::string& out = call.response->body;
  if (fault.happened()) {
    append_json(out, problem_of(fault));
    co_return;
  }
  if (call.token != nullptr && !call.token->may_use(body.request.channel)) {
    append_json(out, {403, "forbidden", "the token does not reach this channel"});
    co_return;
  }
  engine::Worker& worker = context.worker;
  const auto answer = co_await context.services.router.route(worker, body.request, call.now);
  switch (answer.status) {
    case engine::RouteAnswer::Status::unknown_channel: {
      append_json(out, {404, "unknown_channel", "there is no such channel", document.path_of(element, "channel")});
      break;
    }
    case engine::RouteAnswer::Status::decided:
      write_decision(out, body, answer, worker.buffer(), call.now);
      break;
    case engine::RouteAnswer::Status::no_provider:
      write_no_provider(out, body, answer, worker.buffer(), call.now);
      break;
  }
}

Awaitable<void> route_batch(Context& context, Call call) {
  const DocumentPool::Document document(context.documents);
  JsonFault fault;
  document->parse(call.request->body, fault);
  JsonReader in(*document, fault);
  const JsonChildren requests = in.array("requests", 0, kMaxBatch);
  in.finish();
  if (fault.happened()) co_return call.refuse(problem_of(fault));
  std::string& out = call.response->body;
  out.append(R"({"decisions":[)");
  const char* separator = "";
  std::size_t decided = 0;
  for (const JsonNode& element : requests) {
    out.append(separator);
    separator = ",";
    if (out.size() > kMaxBatchAnswerBytes) {
      append_json(out,
                  {413, "answer_too_large", "the answer to the batch is too large: ask for fewer, or without explain"});
      continue;
    }
    co_await route_one(context, call, *document, element);
    if (++decided % kDecisionsPerTurn == 0) co_await let_others_work();
  }
  out.append("]}");
}

}  // namespace turnout::api
