#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "http/response.h"

namespace turnout::api {

/// What a call was answered.
struct Answer {
  int status = 0;
  std::string content_type;
  std::string body;
  std::string headers;  ///< besides those the server writes itself, a line each
  std::unique_ptr<http::EventSource> events;

  /// The body as JSON; throws when it is none.
  [[nodiscard]] boost::json::value json() const;

  /// The value of a header, empty when there is none.
  [[nodiscard]] std::string header(std::string_view name) const;

  /// A text field of the problem that the body is; empty when there is none.
  [[nodiscard]] std::string code() const { return text("code"); }
  [[nodiscard]] std::string path() const { return text("path"); }

 private:
  [[nodiscard]] std::string text(std::string_view field) const;
};

/// The part of a JSON value at a pointer ("/decisions/0/provider"); null when there is none.
boost::json::value at(const boost::json::value& value, std::string_view pointer);

}  // namespace turnout::api
