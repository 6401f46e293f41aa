#pragma once

#include "api/context.h"
#include "api/endpoints.h"
#include "http/handler.h"

namespace turnout::api {

/// The HTTP API of one thread: finds the endpoint, lets in who may come in, checks the content type and hands over. Not
/// thread-safe: one for each thread's listener.
class Api final : public http::Handler {
 public:
  Api(const Services& services, engine::Worker& worker) : context_{services, worker} {}

  Awaitable<void> handle(const http::Request& request, http::Response& response) override;
  void fill_error(int status, std::string_view code, std::string_view detail, http::Response& response) override;
  std::size_t max_body_bytes(std::string_view method, std::string_view path) override;

 private:
  /// The problem with the request as far as it can be told without its body.
  [[nodiscard]] std::optional<Problem> objection(const http::Request& request, const Match& match, Call& call) const;

  Context context_;
};

}  // namespace turnout::api
