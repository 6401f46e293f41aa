#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/awaitable.h"

namespace turnout::http {

/// Goes on when everything that is ready now has had its turn. What asio::post does, without telling the executor in
/// addition that the coroutine will go on: the queued turn is work enough.
inline Awaitable<void> next_turn(const Executor& executor) {
  return boost::asio::async_initiate<const boost::asio::use_awaitable_t<Executor>, void()>(
      [executor](auto resume) {
        boost::asio::require(executor, boost::asio::execution::blocking.never).execute(std::move(resume));
      },
      boost::asio::use_awaitable_t<Executor>());
}

}  // namespace turnout::http
