#include <benchmark/benchmark.h>

#include "api/json_document.h"
#include "api/json_reader.h"

namespace turnout {
namespace {

/// A route request as a client would send it: 10 fields, 230 bytes.
constexpr std::string_view kRouteBody =
    R"({"channel":"payments","transaction_id":"tx_01922f3c9a4e","merchant_id":"m1","customer_id":"cust42",)"
    R"("payment_method":"INTERAC","payment_method_type":"RTP","amount":1999,"currency":"CAD",)"
    R"("eligible":["GIGADAT","LOONIO"],"sticky":true})";

/// As the handler of POST /v1/route reads it.
std::size_t read_route(const JsonDocument& document, JsonFault& fault) {
  JsonReader in(document, fault);
  std::size_t sum = in.id("channel").size();
  sum += in.text("transaction_id", 1, 128).size();
  for (const std::string_view name : {"merchant_id", "customer_id", "payment_method", "payment_method_type"}) {
    sum += in.optional_text(name, 1, 256).value_or("").size();
  }
  sum += in.optional_amount("amount").value_or(0);
  sum += in.optional_text("currency", 3, 3).value_or("").size();
  for (const std::string_view id : in.optional_ids("eligible", 0, 1000).value_or(JsonTexts())) sum += id.size();
  for (const std::string_view id : in.optional_ids("exclude", 0, 1000).value_or(JsonTexts())) sum += id.size();
  sum += in.optional_boolean("sticky").value_or(true) ? 1 : 0;
  sum += in.optional_boolean("explain").value_or(false) ? 1 : 0;
  in.finish();
  return sum;
}

void parse_route(benchmark::State& state) {
  JsonDocument document;
  for (auto _ : state) {
    JsonFault fault;
    benchmark::DoNotOptimize(document.parse(kRouteBody, fault));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kRouteBody.size()));
}
BENCHMARK(parse_route);

void parse_and_read_route(benchmark::State& state) {
  JsonDocument document;
  for (auto _ : state) {
    JsonFault fault;
    document.parse(kRouteBody, fault);
    benchmark::DoNotOptimize(read_route(document, fault));
    if (fault.happened()) state.SkipWithError(fault.text().c_str());
  }
}
BENCHMARK(parse_and_read_route);

}  // namespace
}  // namespace turnout
