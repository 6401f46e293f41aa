#include "api/problem.h"

#include "base/json_writer.h"

namespace turnout::api {
namespace {

constexpr std::string_view kStoreUnavailable = "store_unavailable";

std::string_view title_of(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

}  // namespace

void append_json(std::string& out, const Problem& problem) {
  JsonWriter json(out);
  json.begin_object().field("type", "about:blank").field("title", title_of(problem.status));
  json.field("status", problem.status).field("detail", problem.detail).field("code", problem.code);
  if (!problem.path.empty()) json.field("path", problem.path);
  json.end_object();
}

void answer(http::Response& response, const Problem& problem) {
  response.status = problem.status;
  response.content_type = "application/problem+json";
  response.body.clear();
  append_json(response.body, problem);
  // Whoever tries again at once meets the same trouble.
  if (problem.code == kStoreUnavailable) response.add_header("Retry-After", "1");
}

Problem problem_of(const JsonFault& fault) {
  const bool pan = fault.code == JsonFault::Code::pan_detected;
  return {400, pan ? "pan_detected" : "invalid_request", fault.text(), fault.path};
}

Problem store_problem(std::string_view message) {
  return {503, kStoreUnavailable, "the store cannot take this now: " + std::string(message)};
}

}  // namespace turnout::api
