#pragma once

#include <boost/intrusive/list.hpp>
#include <limits>

#include "base/time.h"

namespace turnout::http {

using ConnectionHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// A connection as its listener sees it: something with a deadline that can be interrupted. One thread only.
class Connection : public ConnectionHook {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  /// Interrupts what the connection waits for when its deadline has passed.
  void expire_if_due(TimeMs now) {
    if (now >= deadline_) {
      deadline_ = kNever;
      expired_ = true;
      interrupt();
    }
  }

  /// The server stops: what is idle or endless ends now, a request in progress is finished first.
  void stop() {
    if (phase_ == Phase::streaming || (phase_ == Phase::idle && !has_unread_bytes())) {
      interrupt();
    }
  }

  /// Drops the connection whatever it is doing.
  virtual void abort() = 0;

 protected:
  /// What the connection waits for.
  enum class Phase {
    idle,       ///< the first byte of a request
    receiving,  ///< the rest of a request, or of a handshake
    handling,   ///< the handler
    sending,    ///< the client to take an answer
    streaming,  ///< the next event
    closing,    ///< the client to close
  };

  static constexpr TimeMs kNever = std::numeric_limits<TimeMs>::max();

  /// Makes a pending operation end with an error. Does nothing when there is none.
  virtual void interrupt() = 0;

  /// Bytes wait in the kernel.
  virtual bool has_unread_bytes() = 0;

  void enter(Phase phase, TimeMs deadline) {
    phase_ = phase;
    deadline_ = deadline;
    expired_ = false;
  }

  [[nodiscard]] bool expired() const noexcept { return expired_; }

 private:
  Phase phase_ = Phase::idle;
  TimeMs deadline_ = kNever;
  bool expired_ = false;
};

using ConnectionList = boost::intrusive::list<Connection, boost::intrusive::constant_time_size<false>>;

}  // namespace turnout::http
