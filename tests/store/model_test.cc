#include <map>
#include <set>
#include <tuple>

#include "base/random.h"
#include "core/feedback.h"
#include "store/contract.h"

namespace turnout::store {
namespace {

/// What a store should answer, by the plainest means: maps, and a look at every entry.
class Model {
 public:
  struct Final {
    bool success = false;
    bool ended_pending = false;
    TimeMs at_ms = 0;
    bool may_be_forgotten = false;  ///< there was a moment at which its time was over, so both answers are right
  };

  explicit Model(core::ChannelSettings settings) : settings_(std::move(settings)) {}

  void pass_time(TimeMs now) {
    for (auto& [key, attempt] : finals) attempt.may_be_forgotten |= now >= attempt.at_ms + settings_.dedupe_for_ms;
  }

  /// The answer to a final outcome. `store_forgot`: the store no longer knew the attempt, where that is allowed.
  Verdict finish(Source source, const AttemptKey& attempt, const core::Outcome& outcome, bool store_forgot,
                 TimeMs now) {
    const std::uint64_t key = attempt.fingerprint;
    // A time-out is answered alike whether or not the attempt is remembered.
    const bool telling = source != Source::time_out;
    if (telling && store_forgot && finals.contains(key) && finals[key].may_be_forgotten) finals.erase(key);
    const auto waiting = pending.find(key);
    if (finals.contains(key)) {
      if (source == Source::time_out) return Verdict::unknown;
      return source == Source::webhook || finals[key].ended_pending ? Verdict::late : Verdict::duplicate;
    }
    if (source != Source::report && waiting == pending.end()) return Verdict::unknown;
    if (source == Source::time_out && now < waiting->second.deadline_ms) return Verdict::unknown;
    core::Outcome counted = outcome;
    if (source == Source::webhook && !counted.latency_ms) counted.latency_ms = waiting->second.latency_ms;
    if (source == Source::time_out) counted.latency_ms.reset();
    core::apply_outcome(arms[std::string(attempt.provider)], settings_, counted, key, now);
    finals[key] = {outcome.success, source != Source::report, now, false};
    pending.erase(key);
    return Verdict::recorded;
  }

  Verdict begin_pending(const AttemptKey& attempt, const PendingTransaction& transaction, bool store_forgot) {
    const std::uint64_t key = attempt.fingerprint;
    if (finals.contains(key) && finals[key].may_be_forgotten && store_forgot) return remember(key, transaction);
    if (finals.contains(key)) return finals[key].ended_pending ? Verdict::late : Verdict::duplicate;
    if (pending.contains(key)) return Verdict::duplicate;
    return remember(key, transaction);
  }

  [[nodiscard]] std::vector<PendingTransaction> pending_by_deadline() const {
    std::map<std::pair<TimeMs, std::uint64_t>, PendingTransaction> sorted;
    for (const auto& [key, transaction] : pending) sorted[{transaction.deadline_ms, key}] = transaction;
    std::vector<PendingTransaction> transactions;
    for (const auto& [order, transaction] : sorted) transactions.push_back(transaction);
    return transactions;
  }

  std::map<std::uint64_t, Final> finals;
  std::map<std::uint64_t, PendingTransaction> pending;
  std::map<std::string, core::Arm> arms;
  std::map<std::string, std::map<TimeMs, double>> history;
  Overrides overrides;
  std::vector<AuditEntry> audit;

 private:
  Verdict remember(std::uint64_t key, const PendingTransaction& transaction) {
    finals.erase(key);
    pending[key] = transaction;
    return Verdict::recorded;
  }

  core::ChannelSettings settings_;
};

/// Does random things to a store and to the model and compares all that can be seen.
class RandomWalk {
 public:
  RandomWalk(Backend& backend, std::uint64_t seed) : backend_(backend), random_(seed), model_(settings()) {
    store_.settings = settings();
  }

  void step() {
    move_clock();
    const auto chance = below(100);
    if (chance < 40) {
      finish(Source::report);
    } else if (chance < 55) {
      begin_pending();
    } else if (chance < 68) {
      finish(Source::webhook);
    } else if (chance < 76) {
      time_out_due();
    } else if (chance < 84) {
      change_breaker();
    } else if (chance < 90) {
      publish();
    } else if (chance < 94) {
      change_overrides();
    } else if (chance < 95) {
      remove_provider();
    } else if (chance < 96) {
      backend_.restart();
    } else {
      compare_lists();
    }
  }

  void compare_lists() {
    ASSERT_EQ(store_.pending(), model_.pending_by_deadline());
    ASSERT_EQ(store_.pending_count(), model_.pending.size());
    for (const std::string& provider : providers()) {
      ASSERT_EQ(store_.arm(provider), model_.arms[provider]);
      std::vector<HistoryPoint> points;
      for (const auto& [at_ms, weight] : model_.history[provider]) points.push_back({at_ms, weight});
      ASSERT_EQ(store_.history(provider), points);
    }
    const auto overrides = store_.all_overrides();
    ASSERT_EQ(overrides.contains("payments") ? overrides.at("payments") : Overrides{}, model_.overrides);
    ASSERT_EQ(store_.audit(10),
              std::vector<AuditEntry>(model_.audit.rbegin(),
                                      model_.audit.rbegin() + std::min<std::ptrdiff_t>(10, std::ssize(model_.audit))));
  }

 private:
  static core::ChannelSettings settings() {
    core::ChannelSettings settings;
    settings.dedupe_for_ms = 10 * kMinute;
    settings.webhook_timeout_ms = 20 * kSecond;
    settings.breaker.half_open_probes = 2;
    settings.forgetting = {core::Forgetting::Kind::half_life, kHour};
    return settings;
  }
  static const std::vector<std::string>& providers() {
    static const std::vector<std::string> kProviders{"a", "b", "c"};
    return kProviders;
  }

  std::uint64_t below(std::uint64_t bound) { return random_.next() % bound; }
  const std::string& some_provider() { return providers()[below(providers().size())]; }
  std::string some_transaction() { return std::to_string(below(300)); }

  void move_clock() {
    const auto chance = below(100);
    if (chance == 0) {
      now_ -= static_cast<TimeMs>(below(static_cast<std::uint64_t>(kHour)));
    } else if (chance == 1) {
      now_ += static_cast<TimeMs>(below(static_cast<std::uint64_t>(kHour)));
    } else {
      now_ += static_cast<TimeMs>(below(2000));
    }
    model_.pass_time(now_);
  }

  core::Outcome some_outcome() {
    core::Outcome outcome;
    outcome.success = below(3) != 0;
    outcome.failure_kind = static_cast<core::FailureKind>(below(3));
    if (below(2) == 0) outcome.latency_ms = static_cast<DurationMs>(below(10'000));
    return outcome;
  }

  void finish(Source source) { finish(source, some_provider(), some_transaction()); }

  void finish(Source source, const std::string& provider, const std::string& transaction_id) {
    const core::Outcome outcome = some_outcome();
    const AttemptKey attempt = store_.attempt(provider, transaction_id);
    const Recording recording = store_.finish(source, provider, transaction_id, outcome, now_);
    const bool forgot = recording.verdict == Verdict::recorded || recording.verdict == Verdict::unknown;
    ASSERT_EQ(recording.verdict, model_.finish(source, attempt, outcome, forgot, now_));
    if (recording.verdict == Verdict::unknown) return;
    ASSERT_EQ(recording.recorded_status == core::Status::success, model_.finals[attempt.fingerprint].success);
    if (recording.verdict == Verdict::recorded) {
      ASSERT_EQ(recording.counted->arm, model_.arms[provider]);
    }
  }

  void begin_pending() {
    const std::string provider = some_provider();
    const std::string transaction_id = some_transaction();
    const Recording recording = store_.begin_pending(provider, transaction_id, now_);
    ASSERT_EQ(recording.verdict, model_.begin_pending(store_.attempt(provider, transaction_id),
                                                      store_.pending_of(provider, transaction_id, now_),
                                                      recording.verdict == Verdict::recorded));
  }

  void time_out_due() {
    auto due = model_.pending_by_deadline();
    std::erase_if(due, [this](const PendingTransaction& pending) { return pending.deadline_ms > now_; });
    if (due.size() > 3) due.resize(3);
    ASSERT_EQ(store_.due(now_, 3), due);
    for (const PendingTransaction& pending : due) finish(Source::time_out, pending.provider, pending.transaction_id);
    finish(Source::time_out);
  }

  void change_breaker() {
    const std::string provider = some_provider();
    const std::uint64_t attempt = store_.attempt(provider, some_transaction()).fingerprint;
    const std::vector<core::BreakerEvent> events{core::TakeProbe{attempt, Uuid{attempt, 1}},
                                                 core::ExtendProbe{attempt, now_ + kHour},
                                                 core::OpenManually{now_ + kMinute},
                                                 core::OpenManually{},
                                                 core::CloseManually{},
                                                 core::ReturnToAutomatic{},
                                                 core::TimePassed{}};
    const core::BreakerEvent event = events[below(events.size())];
    core::Arm& arm = model_.arms[provider];
    const core::Breaker before = arm.breaker;
    arm.breaker = core::after_event(before, store_.settings.breaker, event, now_);
    if (arm.breaker != before) arm.revision += 1;
    const BreakerChange change = store_.change_breaker(provider, event, now_);
    ASSERT_EQ(change.before, before);
    ASSERT_EQ(change.arm, arm);
  }

  void publish() {
    std::vector<ProviderWeight> weights;
    for (const std::string& provider : providers()) {
      weights.push_back({provider, random_.next_draw()});
      model_.history[provider][now_] = weights.back().weight;
    }
    store_.publish(weights, now_);
  }

  void change_overrides() {
    AuditEntry entry;
    entry.at_ms = now_;
    entry.detail = std::to_string(random_.next());
    const std::string name = std::to_string(below(5));
    std::optional<std::string> text;
    if (below(2) == 0) text = entry.detail;
    if (text) {
      model_.overrides[name] = *text;
    } else {
      model_.overrides.erase(name);
    }
    model_.audit.push_back(entry);
    store_.change_overrides({{name, text}}, entry);
  }

  void remove_provider() {
    const std::string& provider = some_provider();
    store_.remove_provider(provider);
    model_.arms.erase(provider);
    model_.history.erase(provider);
  }

  Backend& backend_;
  StoreUser store_{backend_};
  Random random_;
  Model model_;
  TimeMs now_ = kStart;
};

class ModelContract : public StoreContract {};
INSTANTIATE_TEST_SUITE_P(Backends, ModelContract, ::testing::ValuesIn(backend_kinds()), name_of_kind);

TEST_P(ModelContract, RandomOperationsGiveTheAnswersOfTheModel) {
  constexpr int kWalks = 5;
  constexpr int kSteps = 2000;
  for (std::uint64_t seed = 1; seed <= kWalks; ++seed) {
    backend = GetParam().make();
    RandomWalk walk(*backend, seed);
    for (int i = 0; i < kSteps; ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(i));
      ASSERT_NO_FATAL_FAILURE(walk.step());
    }
    ASSERT_NO_FATAL_FAILURE(walk.compare_lists());
  }
}

}  // namespace
}  // namespace turnout::store
