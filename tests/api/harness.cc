#include "api/harness.h"

#include <gtest/gtest.h>
#include <openssl/sha.h>
#include <spdlog/spdlog.h>

#include <boost/json.hpp>

#include "api/openapi_document.h"
#include "support/await.h"

namespace turnout::api {
namespace {

namespace json = boost::json;

constexpr std::size_t kQueuedRecords = 256;

Awaitable<bool> completed(Awaitable<void> operation) {
  co_await std::move(operation);
  co_return true;
}

http::Method method_of(std::string_view word) {
  if (word == "GET") return http::Method::get;
  if (word == "HEAD") return http::Method::head;
  if (word == "POST") return http::Method::post;
  if (word == "PUT") return http::Method::put;
  if (word == "PATCH") return http::Method::patch;
  if (word == "DELETE") return http::Method::delete_;
  return word == "OPTIONS" ? http::Method::options : http::Method::other;
}

Answer answer_of(http::Response response) {
  Answer answer;
  answer.status = response.status;
  answer.content_type = response.content_type;
  answer.body = std::move(response.body);
  answer.headers = response.extra_headers();
  answer.events = std::move(response.events);
  return answer;
}

std::string path_of(const Request& request) { return request.target.substr(0, request.target.find('?')); }

}  // namespace

core::ChannelSettings channel_of_providers(const std::vector<std::string>& providers) {
  core::ChannelSettings settings;
  settings.epsilon = 0;
  for (const auto& id : providers) settings.providers.push_back({.id = id});
  return settings;
}

Token token_of(const std::string& name, std::vector<Scope> scopes, std::vector<std::string> channels) {
  Token token;
  token.name = name;
  token.scopes = std::move(scopes);
  token.channels = std::move(channels);
  SHA256(reinterpret_cast<const unsigned char*>(name.data()), name.size(), token.sha256.data());
  return token;
}

Harness::Harness(HarnessOptions options)
    : store(std::move(options.store)),
      channels(store->stores(), 1),
      transitions_(events, store->stores().settings),
      log_(events, nullptr),
      router_(store->stores(), transitions_, log_),
      operations_(store->stores(), channels, transitions_),
      worker_(0, channels, options.seed, kQueuedRecords),
      metrics_(channels, store->stores().status, log_, clock, {&worker_}),
      sweeper_(store->stores(), channels, router_, transitions_, events, worker_),
      services_{clock,
                store->stores(),
                channels,
                router_,
                operations_,
                log_,
                events,
                metrics_,
                [] { return http::CounterValues{}; },
                [this] { return stopping; },
                options.tokens.empty() ? std::make_shared<const Access>()
                                       : std::make_shared<const Access>(std::move(options.tokens))},
      api_(services_, worker_) {
  spdlog::set_level(spdlog::level::off);
  clock.now = options.start;
  log_.add_queue(worker_.queue());
  EXPECT_TRUE(await(channels.configure(std::move(options.configured), clock.now)).ok());
}

Answer Harness::call(std::string_view method_and_target, std::string body, std::string token) {
  const std::size_t space = method_and_target.find(' ');
  Request request;
  request.method = method_and_target.substr(0, space);
  request.target = method_and_target.substr(space + 1);
  if (!body.empty()) request.content_type = "application/json";
  request.body = std::move(body);
  request.token = std::move(token);
  return call(request);
}

Answer Harness::call(const Request& request) {
  Answer answer = perform(request);
  const auto& document = OpenApiDocument::get();
  const Operation* const operation = document.find(request.method, path_of(request));
  for (const auto& fault : document.faults(operation, answer)) {
    ADD_FAILURE() << request.method << " " << request.target << " " << request.body << " gives " << answer.status << " "
                  << answer.body << ", which is not as documented: " << fault;
  }
  if (operation != nullptr) answered_.insert(operation->name() + " " + std::to_string(answer.status));
  return answer;
}

Answer Harness::perform(const Request& request) {
  const std::string path = path_of(request);
  const std::string authorization = request.token.empty() ? request.authorization : "Bearer " + request.token;
  http::Request wire;
  wire.method = method_of(request.method);
  wire.method_text = request.method;
  wire.path = path;
  if (path.size() < request.target.size()) wire.query = std::string_view(request.target).substr(path.size() + 1);
  wire.body = request.body;
  wire.content_type = request.content_type;
  wire.authorization = authorization;
  wire.peer_address = "192.0.2.7";
  http::Response response;
  await(completed(api_.handle(wire, response)));
  return answer_of(std::move(response));
}

Answer Harness::error_of_the_server(int status, std::string_view code, std::string_view detail) {
  http::Response response;
  api_.fill_error(status, code, detail, response);
  return answer_of(std::move(response));
}

json::value Harness::get(std::string_view target) {
  Answer answer = call("GET " + std::string(target));
  EXPECT_EQ(answer.status, 200) << target << " " << answer.body;
  return answer.json();
}

void Harness::advance(DurationMs duration) {
  const TimeMs end = clock.now + duration;
  while (clock.now < end) {
    clock.now = std::min(end, clock.now + engine::Sweeper::kStepEvery);
    await(completed(sweeper_.step(clock.now)));
  }
}

void Harness::report(std::string_view provider, std::string_view status, int count) {
  for (int i = 0; i < count; ++i) {
    const json::object body{{"channel", "payments"},
                            {"transaction_id", "reported_" + std::to_string(++transactions_)},
                            {"provider", provider},
                            {"status", status}};
    EXPECT_EQ(call("POST /v1/report", json::serialize(body)).status, 200);
  }
}

json::value Harness::provider(std::string_view id) {
  const json::value rows = get("/v1/channels/payments/providers");
  for (const auto& row : rows.at("providers").as_array()) {
    if (row.at("provider") == json::value(id)) return row;
  }
  ADD_FAILURE() << "there is no provider " << id;
  return nullptr;
}

std::string Harness::state() {
  std::string text = perform({.target = "/v1/channels"}).body;
  for (const auto& channel : channels.all()) {
    for (const char* part : {"/providers", "/pending", "/decisions", "/audit"}) {
      text += "\n" + perform({.target = "/v1/channels/" + channel->name() + part}).body;
    }
    text += "\n" + std::to_string(channel->duplicates()) + " " + std::to_string(channel->late()) + " " +
            std::to_string(channel->no_provider());
  }
  return text + "\n" + std::to_string(store->status().remembered);
}

}  // namespace turnout::api
