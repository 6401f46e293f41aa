#include "api/endpoints.h"

#include <algorithm>
#include <array>

#include "api/query.h"

namespace turnout::api {
namespace {

using http::Method;

constexpr std::array kEndpoints{
    Endpoint{Method::post, "/v1/route", Scope::route, true, kSmallBodyBytes, route},
    Endpoint{Method::post, "/v1/report", Scope::report, true, kSmallBodyBytes, report},
    Endpoint{Method::post, "/v1/webhook", Scope::report, true, kSmallBodyBytes, webhook},
    Endpoint{Method::post, "/v1/route/batch", Scope::route, true, kLargeBodyBytes, route_batch},
    Endpoint{Method::get, "/v1/channels", Scope::read, false, 0, list_channels},
    Endpoint{Method::get, "/v1/channels/{channel}", Scope::read, false, 0, get_channel},
    Endpoint{Method::put, "/v1/channels/{channel}", Scope::admin, true, kLargeBodyBytes, put_channel},
    Endpoint{Method::patch, "/v1/channels/{channel}", Scope::admin, true, kSmallBodyBytes, patch_channel},
    Endpoint{Method::delete_, "/v1/channels/{channel}", Scope::admin, false, 0, delete_channel},
    Endpoint{Method::get, "/v1/channels/{channel}/providers", Scope::read, false, 0, list_providers, true},
    Endpoint{Method::put, "/v1/channels/{channel}/providers/{provider}", Scope::admin, true, kSmallBodyBytes,
             put_provider},
    Endpoint{Method::patch, "/v1/channels/{channel}/providers/{provider}", Scope::admin, true, kSmallBodyBytes,
             patch_provider},
    Endpoint{Method::delete_, "/v1/channels/{channel}/providers/{provider}", Scope::admin, false, 0, delete_provider},
    Endpoint{Method::post, "/v1/channels/{channel}/providers/{provider}/circuit", Scope::admin, true, kSmallBodyBytes,
             order_circuit},
    Endpoint{Method::get, "/v1/channels/{channel}/providers/{provider}/history", Scope::read, false, 0, list_history,
             true},
    Endpoint{Method::get, "/v1/channels/{channel}/pending", Scope::read, false, 0, list_pending, true},
    Endpoint{Method::get, "/v1/channels/{channel}/decisions", Scope::read, false, 0, list_decisions, true},
    Endpoint{Method::get, "/v1/channels/{channel}/audit", Scope::read, false, 0, list_audit, true},
    Endpoint{Method::get, "/v1/events", Scope::read, false, 0, stream_events},
    Endpoint{Method::get, "/healthz", std::nullopt, false, 0, healthz},
    Endpoint{Method::get, "/readyz", std::nullopt, false, 0, readyz},
    Endpoint{Method::get, "/metrics", Scope::read, false, 0, metrics},
    Endpoint{Method::get, "/openapi.yaml", std::nullopt, false, 0, openapi},
};

constexpr bool is_large(const Endpoint& endpoint) { return endpoint.max_body_bytes > kSmallBodyBytes; }

/// Those with a body larger than most. Every request is looked for among them before its body is read.
constexpr auto kLargeEndpoints = [] {
  std::array<const Endpoint*, std::count_if(kEndpoints.begin(), kEndpoints.end(), is_large)> large{};
  auto place = large.begin();
  for (const Endpoint& endpoint : kEndpoints) {
    if (is_large(endpoint)) *place++ = &endpoint;
  }
  return large;
}();

std::string_view word(Method method) {
  switch (method) {
    case Method::get:
      return "GET";
    case Method::head:
      return "HEAD";
    case Method::post:
      return "POST";
    case Method::put:
      return "PUT";
    case Method::patch:
      return "PATCH";
    case Method::delete_:
      return "DELETE";
    default:
      return "OPTIONS";
  }
}

/// The part up to the next slash, which is taken off `path` with it.
std::string_view next_part(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view part = path.substr(0, path.find('/'));
  path.remove_prefix(part.size());
  return part;
}

bool matches(std::string_view pattern, std::string_view path, std::vector<std::string>& parameters) {
  if (pattern.find('{') == std::string_view::npos) return pattern == path;
  parameters.clear();
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = next_part(pattern);
    const std::string_view part = next_part(path);
    if (!wanted.starts_with('{')) {
      if (wanted != part) return false;
      continue;
    }
    if (part.empty()) return false;
    parameters.push_back(percent_decoded(part).value_or(""));
  }
  return pattern.empty() && path.empty();
}

}  // namespace

std::span<const Endpoint> endpoints() { return kEndpoints; }

Match find_endpoint(Method method, std::string_view path) {
  const Method wanted = method == Method::head ? Method::get : method;
  Match match;
  for (const Endpoint& endpoint : kEndpoints) {
    if (!matches(endpoint.pattern, path, match.parameters)) continue;
    if (endpoint.method == wanted) {
      match.endpoint = &endpoint;
      return match;
    }
    if (!match.allow.empty()) match.allow += ", ";
    match.allow += word(endpoint.method);
    if (endpoint.method == Method::get) match.allow += ", HEAD";
  }
  return match;
}

std::size_t max_body_bytes(std::string_view method, std::string_view path) {
  std::vector<std::string> parameters;
  for (const Endpoint* endpoint : kLargeEndpoints) {
    if (word(endpoint->method) == method && matches(endpoint->pattern, path, parameters)) {
      return endpoint->max_body_bytes;
    }
  }
  return kSmallBodyBytes;
}

}  // namespace turnout::api
