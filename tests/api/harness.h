#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/answer.h"
#include "api/api.h"
#include "api/test_store.h"
#include "engine/sweeper.h"

namespace turnout::api {

/// A moment such as a production clock shows.
inline constexpr TimeMs kStart = 1'700'000'000'000;

/// Moves only when a test says so.
class SteppedClock final : public engine::Clock {
 public:
  [[nodiscard]] TimeMs now_ms() const override { return now; }
  TimeMs now = kStart;
};

/// A channel of these providers that never explores.
core::ChannelSettings channel_of_providers(const std::vector<std::string>& providers);

/// A token whose secret is its name.
Token token_of(const std::string& name, std::vector<Scope> scopes, std::vector<std::string> channels = {});

/// What a harness starts with.
struct HarnessOptions {
  /// The configuration file: by default `payments` with GIGADAT, LOONIO and PAYPER.
  engine::ConfiguredChannels configured = {{"payments", channel_of_providers({"GIGADAT", "LOONIO", "PAYPER"})}};
  std::vector<Token> tokens = {};  ///< none: access is open
  std::shared_ptr<TestStore> store = std::make_shared<TestStore>();
  TimeMs start = kStart;
  std::uint64_t seed = 1;
};

/// One call as a client makes it.
struct Request {
  std::string method = "GET";
  std::string target;  ///< path and, after a question mark, the query
  std::string body = "";
  std::string token = "";          ///< presented as bearer when not empty
  std::string content_type = "";   ///< as sent; empty: no such header
  std::string authorization = "";  ///< in place of `token`
};

/// The whole engine and its API on the memory store, called in this thread and without sockets. Every answer is held to
/// docs/openapi.yaml; one that is not as documented fails the test. A second harness on the store of the first is that
/// server after a restart.
class Harness {
 public:
  explicit Harness(HarnessOptions options = {});
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  /// Makes a call: "POST /v1/route", its body, who asks.
  Answer call(std::string_view method_and_target, std::string body = "", std::string token = "");
  Answer call(const Request& request);

  /// The answer's body, which must come with 200.
  boost::json::value get(std::string_view target);

  /// What the HTTP server is given for an error that it finds itself.
  Answer error_of_the_server(int status, std::string_view code, std::string_view detail);

  /// Lets time pass in steps of the sweeper, which works at each.
  void advance(DurationMs duration);

  /// Reports outcomes of new transactions.
  void report(std::string_view provider, std::string_view status, int count = 1);

  /// The row of a provider of `payments`.
  boost::json::value provider(std::string_view id);

  /// All that a call could change, as text: settings, providers, pending transactions, decisions, audit, store.
  std::string state();

  /// Method, path as documented, and status of every answer so far.
  [[nodiscard]] const std::set<std::string>& answered() const { return answered_; }

  SteppedClock clock;
  bool stopping = false;
  const std::shared_ptr<TestStore> store;
  engine::Events events;
  engine::Channels channels;

 private:
  Answer perform(const Request& request);

  engine::Transitions transitions_;
  engine::DecisionLog log_;
  engine::Router router_;
  engine::Operations operations_;
  engine::Worker worker_;
  engine::Metrics metrics_;
  engine::Sweeper sweeper_;
  Services services_;
  Api api_;
  std::set<std::string> answered_;
  int transactions_ = 0;
};

}  // namespace turnout::api
