#include <array>
#include <chrono>

#include "api/endpoints.h"
#include "api/payment_fields.h"
#include "base/json_writer.h"
#include "engine/words.h"

namespace turnout::api {
namespace {

constexpr std::int64_t kMaxLatencyMs = 600'000;
constexpr std::size_t kMaxErrorCodeBytes = 128;

constexpr std::array kStatuses{JsonWord<core::Status>{"success", core::Status::success},
                               JsonWord<core::Status>{"failure", core::Status::failure},
                               JsonWord<core::Status>{"pending", core::Status::pending}};
constexpr std::array kFailureKinds{JsonWord<core::FailureKind>{"provider", core::FailureKind::provider},
                                   JsonWord<core::FailureKind>{"issuer", core::FailureKind::issuer},
                                   JsonWord<core::FailureKind>{"customer", core::FailureKind::customer}};

void read_outcome(JsonReader& in, bool success, core::Outcome& outcome) {
  outcome.success = success;
  outcome.failure_kind = in.optional_word("failure_kind", kFailureKinds).value_or(core::FailureKind::provider);
  outcome.latency_ms = in.optional_integer("latency_ms", 0, kMaxLatencyMs);
}

engine::ReportRequest read_report(JsonReader& in) {
  engine::ReportRequest request;
  const PaymentFields payment = read_payment(in);
  request.channel = payment.channel;
  request.transaction_id = payment.transaction_id;
  request.provider = in.id("provider");
  request.status = in.word("status", kStatuses);
  if (const auto text = in.optional_text("decision_id", 36, 36)) {
    request.decision_id = Uuid::parse(*text);
    if (!request.decision_id) in.refuse("decision_id", "expected the id of a decision");
  }
  read_outcome(in, request.status == core::Status::success, request.outcome);
  request.error_code = in.optional_text("error_code", 0, kMaxErrorCodeBytes).value_or("");
  const CustomerFields customer = read_customer(in);
  request.merchant_id = customer.merchant_id;
  request.customer_id = customer.customer_id;
  request.payment_method = customer.payment_method;
  request.payment_method_type = customer.payment_method_type;
  in.finish();
  return request;
}

engine::ReportRequest read_webhook(JsonReader& in) {
  engine::ReportRequest request;
  const PaymentFields payment = read_payment(in);
  request.channel = payment.channel;
  request.transaction_id = payment.transaction_id;
  request.provider = in.id("provider");
  const bool confirmed = in.boolean("confirmed");
  request.status = confirmed ? core::Status::success : core::Status::failure;
  read_outcome(in, confirmed, request.outcome);
  in.finish();
  return request;
}

void write_answer(std::string& out, const engine::ReportAnswer& answer, bool is_webhook) {
  const bool late = answer.verdict == store::Verdict::late;
  const bool recorded = answer.verdict == store::Verdict::recorded;
  JsonWriter json(out);
  json.begin_object()
      .field("recorded", recorded)
      .field("duplicate", !recorded && !(is_webhook && late))
      .field("late", late);
  if (!recorded) json.field("recorded_status", engine::word(answer.recorded_status));
  json.field("circuit", engine::word(answer.circuit));
  json.field("consecutive_failures", static_cast<std::uint64_t>(answer.consecutive_failures));
  json.field("weight", answer.weight).field("success_rate", answer.success_rate).end_object();
}

void respond(const Call& call, const engine::ReportAnswer& answer, bool is_webhook) {
  switch (answer.status) {
    case engine::ReportAnswer::Status::answered:
      write_answer(call.response->body, answer, is_webhook);
      break;
    case engine::ReportAnswer::Status::unknown_channel:
      call.refuse({404, "unknown_channel", "there is no such channel", "/channel"});
      break;
    case engine::ReportAnswer::Status::unknown_provider:
      call.refuse({404, "unknown_provider", "the channel has no such provider", "/provider"});
      break;
    case engine::ReportAnswer::Status::unknown_transaction:
      call.refuse({404, "unknown_transaction", "no such transaction is pending or remembered", "/transaction_id"});
      break;
    case engine::ReportAnswer::Status::store_failed:
      call.refuse(store_problem(answer.problem));
      break;
  }
}

void measure(engine::Worker& worker, std::chrono::steady_clock::time_point start) {
  const auto taken = std::chrono::steady_clock::now() - start;
  worker.report_durations().add(std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count());
}

using ReadRequest = engine::ReportRequest (*)(JsonReader& in);
using Learn = Awaitable<engine::ReportAnswer> (engine::Router::*)(engine::Worker& worker, engine::ReportRequest request,
                                                                  TimeMs now);

/// A call that brings an outcome, from its body to its answer.
Awaitable<void> take_outcome(Context& context, Call call, ReadRequest read, Learn learn) {
  const auto start = std::chrono::steady_clock::now();
  const DocumentPool::Document document(context.documents);
  JsonFault fault;
  document->parse(call.request->body, fault);
  JsonReader in(*document, fault);
  const engine::ReportRequest request = read(in);
  if (fault.happened()) co_return call.refuse(problem_of(fault));
  if (!call.may_use(request.channel)) co_return;
  const auto answer = co_await (context.services.router.*learn)(context.worker, request, call.now);
  respond(call, answer, learn == &engine::Router::webhook);
  measure(context.worker, start);
}

}  // namespace

Awaitable<void> report(Context& context, Call call) {
  return take_outcome(context, std::move(call), read_report, &engine::Router::report);
}

Awaitable<void> webhook(Context& context, Call call) {
  return take_outcome(context, std::move(call), read_webhook, &engine::Router::webhook);
}

}  // namespace turnout::api
