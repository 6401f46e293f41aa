#pragma once

#include <cstddef>
#include <string_view>

#include "base/awaitable.h"
#include "http/request.h"
#include "http/response.h"

namespace turnout::http {

/// What a server does with its requests. One object may serve several listeners: it is then called from several threads
/// at once.
class Handler {
 public:
  virtual ~Handler() = default;

  /// Answers `request` by filling in `response`, which is fresh. Both live until the coroutine finishes. Must not
  /// throw; an exception that does arrive is logged and answered with 500. It has no time-out here: what it waits for
  /// must have one.
  virtual Awaitable<void> handle(const Request& request, Response& response) = 0;

  /// Fills in the answer to an error that the server finds itself, before any handler is asked. `status` is 400, 408,
  /// 413, 414, 417, 431, 500, 501 or 503, `code` a stable word such as "malformed_request", `detail` one sentence. Must
  /// not throw.
  virtual void fill_error(int status, std::string_view code, std::string_view detail, Response& response) = 0;

  /// The largest body accepted for a request, in bytes; more is answered with 413. Asked once per request, when its
  /// head is there.
  virtual std::size_t max_body_bytes(std::string_view method, std::string_view path) = 0;
};

}  // namespace turnout::http
