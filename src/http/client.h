#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace turnout::http {

/// One request of a command-line tool to a server.
struct ClientRequest {
  std::string url;     ///< `http://HOST:PORT` or `https://HOST:PORT`, without a path
  std::string method;  ///< `GET`, `POST`, …
  std::string target;  ///< path and query
  std::string body;    ///< sent as application/json unless empty
  std::string bearer;  ///< token for Authorization; empty: none
  DurationMs timeout_ms = 10 * kSecond;
};

struct ClientResponse {
  int status = 0;
  std::string body;
};

/// Sends the request on a connection of its own and waits for the answer. TLS checks the chain and the server's name
/// against the system's certificates, or those that SSL_CERT_FILE and SSL_CERT_DIR name. For tools; blocks, never
/// retries. Errors: `invalid` for a URL that is none, `unavailable` for everything on the way.
Result<ClientResponse> send(const ClientRequest& request);

}  // namespace turnout::http
