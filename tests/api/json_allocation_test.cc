#include <gtest/gtest.h>

#include <string>

#include "api/json_reader.h"
#include "support/count_allocations.h"

namespace turnout {
namespace {

TEST(JsonAllocation, ParsingAndReadingAllocateNothingOnceTheDocumentIsWarm) {
  const std::string body = R"({"channel":"payments","transaction_id":"tx \u0031","amount":"1999","eligible":["A","B"],)"
                           R"("requests":[{"a":1.5},{"a":2.5}],"status":"success","lease":"2s","sticky":true})";
  JsonDocument document;
  const auto read = [&] {
    JsonFault fault;
    document.parse(body, fault);
    JsonReader in(document, fault);
    constexpr std::array<JsonWord<int>, 2> kWords{{{"success", 1}, {"failure", 2}}};
    double sum = static_cast<double>(in.id("channel").size() + in.text("transaction_id", 1, 128).size());
    sum += static_cast<double>(in.optional_amount("amount").value_or(0)) + in.word("status", kWords);
    for (const std::string_view id : in.ids("eligible", 0, 1000)) sum += static_cast<double>(id.size());
    for (const JsonNode& element : in.array("requests", 1, 1000)) {
      JsonReader item = in.object(element);
      sum += item.number("a", 0, 10);
      item.finish();
    }
    sum += static_cast<double>(in.duration("lease", 0, kMinute)) + (in.boolean("sticky") ? 1 : 0);
    in.finish();
    EXPECT_EQ(fault.text(), "");
    return sum;
  };
  const double first = read();
  const std::size_t before = allocations;
  const double second = read();
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace turnout
