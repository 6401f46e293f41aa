#include "api/api.h"

#include "api/query.h"
#include "base/text.h"

namespace turnout::api {
namespace {

Awaitable<void> nothing() { co_return; }

bool is_json(std::string_view content_type) {
  constexpr std::string_view kJson = "application/json";
  if (content_type == kJson) return true;
  if (content_type.size() < kJson.size()) return false;
  for (std::size_t i = 0; i < kJson.size(); ++i) {
    const char c = content_type[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != kJson[i]) return false;
  }
  const std::string_view rest = content_type.substr(kJson.size());
  return rest.empty() || rest.front() == ';' || rest.front() == ' ';
}

}  // namespace

std::optional<Problem> Api::objection(const http::Request& request, const Match& match, Call& call) const {
  if (match.endpoint == nullptr && match.allow.empty())
    return Problem{404, "not_found", "there is nothing at this path"};
  if (match.endpoint == nullptr) return Problem{405, "method_not_allowed", "the path takes " + match.allow};
  const Access& access = *context_.services.access;
  if (match.endpoint->scope && !access.open()) {
    call.token = access.authenticate(request.authorization);
    if (call.token == nullptr && request.authorization.empty())
      return Problem{401, "unauthorized", "a bearer token is needed"};
    if (call.token == nullptr) return Problem{401, "unauthorized", "no such bearer token"};
    if (!call.token->has(*match.endpoint->scope))
      return Problem{403, "forbidden", "the token lacks the scope for this call"};
  }
  for (const auto& parameter : match.parameters) {
    if (parameter.empty()) return Problem{400, "invalid_request", "the path has a broken percent escape"};
    if (contains_card_number(parameter)) return Problem{400, "pan_detected", "the path holds a card number"};
  }
  // A body without the header is refused too: a browser sends such a one for any page, also to a server on this
  // machine.
  const bool no_body = request.body.empty() && request.content_type.empty();
  if (match.endpoint->has_body && !no_body && !is_json(request.content_type)) {
    return Problem{415, "unsupported_media_type", "send the body as application/json"};
  }
  if (!match.endpoint->has_body && !request.body.empty()) {
    return Problem{400, "invalid_request", "this call takes no body"};
  }
  if (!request.query.empty() && !match.endpoint->has_query && match.endpoint->pattern.starts_with("/v1/")) {
    QueryReader query(request.query);
    query.finish();
    return query.fault();
  }
  return std::nullopt;
}

Awaitable<void> Api::handle(const http::Request& request, http::Response& response) {
  Match match = find_endpoint(request.method, request.path);
  Call call{&request, &response};
  if (const auto problem = objection(request, match, call)) {
    call.refuse(*problem);
    if (problem->status == 405) response.add_header("Allow", match.allow);
    if (problem->status == 401) response.add_header("WWW-Authenticate", "Bearer");
    return nothing();
  }
  call.parameters = std::move(match.parameters);
  call.now = context_.services.clock.now_ms();
  return match.endpoint->handle(context_, std::move(call));
}

void Api::fill_error(int status, std::string_view code, std::string_view detail, http::Response& response) {
  answer(response, {status, code, std::string(detail)});
}

std::size_t Api::max_body_bytes(std::string_view method, std::string_view path) {
  return api::max_body_bytes(method, path);
}

}  // namespace turnout::api
