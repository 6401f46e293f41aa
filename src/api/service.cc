#include <prometheus/text_serializer.h>

#include "api/endpoints.h"
#include "api/openapi_yaml.h"
#include "base/json_writer.h"

namespace turnout::api {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily http_family(const char* name, const char* help, MetricType type, std::uint64_t value) {
  MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = type;
  auto& metric = family.metric.emplace_back();
  metric.gauge.value = static_cast<double>(value);
  metric.counter.value = static_cast<double>(value);
  return family;
}

void add_http_families(const http::CounterValues& values, std::vector<MetricFamily>& families) {
  families.push_back(
      http_family("turnout_http_connections", "Open connections.", MetricType::Gauge, values.connections_open));
  families.push_back(http_family("turnout_http_connections_refused_total", "Connections over the limit.",
                                 MetricType::Counter, values.connections_refused));
  families.push_back(http_family("turnout_http_requests_total", "Requests that reached a handler.", MetricType::Counter,
                                 values.requests));
  families.push_back(http_family("turnout_http_request_errors_total", "Malformed, too large or too slow requests.",
                                 MetricType::Counter, values.request_errors));
  families.push_back(
      http_family("turnout_http_received_bytes_total", "Bytes received.", MetricType::Counter, values.bytes_received));
  families.push_back(
      http_family("turnout_http_sent_bytes_total", "Bytes sent.", MetricType::Counter, values.bytes_sent));
}

}  // namespace

Awaitable<void> healthz(Context&, Call call) {
  JsonWriter(call.response->body).begin_object().field("alive", true).end_object();
  co_return;
}

Awaitable<void> readyz(Context& context, Call call) {
  const auto status = context.services.stores.status.status();
  const bool stopping = context.services.stopping();
  const bool ready = status.available && !stopping;
  call.response->status = ready ? 200 : 503;
  JsonWriter json(call.response->body);
  json.begin_object().field("ready", ready).field("stopping", stopping).key("store").begin_object();
  json.field("kind", status.kind).field("available", status.available);
  if (!status.available) json.field("problem", status.problem);
  json.end_object().end_object();
  co_return;
}

Awaitable<void> metrics(Context& context, Call call) {
  if (!call.may_use_all_channels()) co_return;
  const auto& services = context.services;
  auto families = services.metrics.Collect();
  std::vector<std::pair<std::string, std::size_t>> pending;
  for (const auto& channel : services.channels.all()) {
    const auto count = co_await services.stores.transactions.pending_count(channel->name());
    if (count) pending.emplace_back(channel->name(), *count);
  }
  if (!pending.empty()) families.push_back(engine::Metrics::pending_family(pending));
  add_http_families(services.http_counters(), families);
  call.response->content_type = "text/plain; version=0.0.4; charset=utf-8";
  call.response->body = prometheus::TextSerializer().Serialize(families);
}

Awaitable<void> openapi(Context&, Call call) {
  call.response->content_type = "application/yaml";
  call.response->body = kOpenApiYaml;
  co_return;
}

}  // namespace turnout::api
