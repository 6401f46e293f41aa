#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json_document.h"
#include "http/response.h"

namespace turnout::api {

/// An error as the caller gets it: RFC 9457, `application/problem+json`, with a stable `code` besides.
struct Problem {
  int status = 400;
  std::string_view code;  ///< snake_case, never renamed
  std::string detail;     ///< one sentence for a person; never holds what a caller sent but names of fields
  std::string path = {};  ///< JSON Pointer of the field at fault, or `?name` of the query; empty when there is none
};

/// The problem as a JSON object.
void append_json(std::string& out, const Problem& problem);

/// Makes the response that problem.
void answer(http::Response& response, const Problem& problem);

/// A faulty body as a problem.
Problem problem_of(const JsonFault& fault);

/// A store that failed as a problem: 503, may be tried again, with a Retry-After header when it is the answer.
Problem store_problem(std::string_view message);

}  // namespace turnout::api
