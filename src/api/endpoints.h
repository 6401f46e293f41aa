#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/access.h"
#include "api/context.h"
#include "base/awaitable.h"
#include "http/request.h"

namespace turnout::api {

/// The largest body of a call that carries one thing, and of one that carries many.
inline constexpr std::size_t kSmallBodyBytes = 64 * 1024;
inline constexpr std::size_t kLargeBodyBytes = 1024 * 1024;

/// One call of the API: where it is, who may make it and what answers it.
struct Endpoint {
  http::Method method;
  std::string_view pattern;    ///< `/v1/channels/{channel}`: a part in braces takes any one part of the path
  std::optional<Scope> scope;  ///< nothing: everybody
  bool has_body = false;       ///< takes `application/json`
  std::size_t max_body_bytes = kSmallBodyBytes;
  Awaitable<void> (*handle)(Context&, Call) = nullptr;
  bool has_query = false;  ///< reads the query itself; others below /v1/ take none
};

/// All of them, the hottest first. docs/openapi.yaml describes the same list, which a test compares.
std::span<const Endpoint> endpoints();

/// What a method and path lead to.
struct Match {
  const Endpoint* endpoint = nullptr;   ///< nothing: no such path, or not with that method
  std::vector<std::string> parameters;  ///< the decoded parts of the path that stand in braces; empty: not decodable
  std::string allow;                    ///< the methods that the path does have, when only the method is wrong
};

/// Finds the endpoint. HEAD finds what GET finds.
Match find_endpoint(http::Method method, std::string_view path);

/// The largest body that a method and path take; that of small calls where there is no such endpoint.
std::size_t max_body_bytes(std::string_view method, std::string_view path);

// The handlers, one file per family.
Awaitable<void> route(Context& context, Call call);  // route.cc
Awaitable<void> route_batch(Context& context, Call call);
Awaitable<void> report(Context& context, Call call);  // report.cc
Awaitable<void> webhook(Context& context, Call call);
Awaitable<void> list_channels(Context& context, Call call);  // channels.cc
Awaitable<void> get_channel(Context& context, Call call);
Awaitable<void> put_channel(Context& context, Call call);
Awaitable<void> patch_channel(Context& context, Call call);
Awaitable<void> delete_channel(Context& context, Call call);
Awaitable<void> list_providers(Context& context, Call call);  // providers.cc
Awaitable<void> put_provider(Context& context, Call call);
Awaitable<void> patch_provider(Context& context, Call call);
Awaitable<void> delete_provider(Context& context, Call call);
Awaitable<void> order_circuit(Context& context, Call call);  // circuit.cc
Awaitable<void> list_history(Context& context, Call call);   // lists.cc
Awaitable<void> list_pending(Context& context, Call call);
Awaitable<void> list_decisions(Context& context, Call call);
Awaitable<void> list_audit(Context& context, Call call);
Awaitable<void> stream_events(Context& context, Call call);  // events.cc
Awaitable<void> healthz(Context& context, Call call);        // service.cc
Awaitable<void> readyz(Context& context, Call call);
Awaitable<void> metrics(Context& context, Call call);
Awaitable<void> openapi(Context& context, Call call);

}  // namespace turnout::api
