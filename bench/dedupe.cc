#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "base/assert.h"
#include "store/attempt.h"
#include "store/file/file_store.h"
#include "store/memory/memory_store.h"
#include "support/await.h"
#include "support/temporary_directory.h"

namespace turnout::store {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Resident memory of this process in bytes.
double resident_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    double kibibytes = 0;
    if (word == "VmRSS:" && status >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

/// Reports `count` transactions, spread evenly over `span`.
Awaitable<Result<Done>> report_all(TransactionStore& transactions, std::int64_t count, DurationMs span) {
  const core::ChannelSettings settings;
  std::string id;
  for (std::int64_t i = 0; i < count; ++i) {
    id = "order-" + std::to_string(i);
    FinalReport report;
    report.attempt = {"payments", "stripe", id, attempt_fingerprint("payments", "stripe", id)};
    report.outcome.success = true;
    report.outcome.latency_ms = 400;
    report.channel = &settings;
    report.now = 1'700'000'000'000 + i * span / count;
    const auto recording = co_await transactions.finish(report);
    TURNOUT_ASSERT(recording && recording->verdict == Verdict::recorded);
  }
  co_return Done{};
}

void measure(const char* name, Stores stores, std::int64_t count, DurationMs span) {
  const double before = resident_bytes();
  const std::clock_t start = std::clock();
  TURNOUT_ASSERT(await(report_all(stores.transactions, count, span)).ok());
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const StoreStatus status = stores.status.status();
  const auto remembered = static_cast<double>(status.remembered);
  std::printf(
      "%-24s %10.0f remembered  %6.0f ns of CPU a report  %5.2f resident bytes each  %5.2f by the store's own "
      "account\n",
      name, remembered, took / static_cast<double>(count) * 1e9, (resident_bytes() - before) / remembered,
      static_cast<double>(status.remembered_bytes) / remembered);
}

void measure_file(std::int64_t count) {
  const TemporaryDirectory directory;
  auto store = FileStore::open(directory.path()).value();
  measure("file, within an hour", store->stores(), count, kHour);
  store.reset();
  const auto size = static_cast<double>(std::filesystem::file_size(directory.path() / "turnout.db"));
  const auto start = Clock::now();
  store = FileStore::open(directory.path()).value();
  const double took = seconds_since(start);
  std::printf("%-24s %10.0f remembered  %6.2f s to load  %5.2f bytes each on disk\n", "file, opened again",
              static_cast<double>(store->status().remembered), took, size / static_cast<double>(count));
}

}  // namespace
}  // namespace turnout::store

/// dedupe_bench [N=10000000]: what remembering N final attempts costs, in memory, time and at a restart.
int main(int argc, char** argv) {
  using namespace turnout::store;
  const std::int64_t count = argc > 1 ? std::atoll(argv[1]) : 10'000'000;
  TURNOUT_ASSERT(count > 0);
  for (const auto& [name, span] :
       {std::pair{"memory, within an hour", turnout::kHour}, {"memory, over a day", turnout::kDay}}) {
    MemoryStore store;
    measure(name, store.stores(), count, span);
  }
  measure_file(count);
  return 0;
}
