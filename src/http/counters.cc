#include "http/counters.h"

namespace turnout::http {

CounterValues& CounterValues::operator+=(const CounterValues& other) {
  connections_open += other.connections_open;
  connections_accepted += other.connections_accepted;
  connections_refused += other.connections_refused;
  requests += other.requests;
  request_errors += other.request_errors;
  bytes_received += other.bytes_received;
  bytes_sent += other.bytes_sent;
  return *this;
}

CounterValues Counters::read() const noexcept {
  CounterValues values;
  values.connections_open = connections_open.get();
  values.connections_accepted = connections_accepted.get();
  values.connections_refused = connections_refused.get();
  values.requests = requests.get();
  values.request_errors = request_errors.get();
  values.bytes_received = bytes_received.get();
  values.bytes_sent = bytes_sent.get();
  return values;
}

}  // namespace turnout::http
