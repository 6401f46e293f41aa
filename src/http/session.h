#pragma once

#include <memory>

#include "http/listener_state.h"

namespace turnout::http {

/// Serves the requests of a connection until it ends, with TLS if the port has it. Returns at once; the work goes on on
/// the socket's executor.
void start_session(Socket socket, std::shared_ptr<ListenerState> state);

/// Answers a connection beyond the limit with 503 and closes it. Not for a port with TLS, where a handshake would cost
/// more than the request it refuses.
void refuse_session(Socket socket, std::shared_ptr<ListenerState> state);

}  // namespace turnout::http
