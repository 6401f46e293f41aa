#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/awaitable.h"

namespace turnout {
namespace await_detail {

template <class T>
Awaitable<void> keep_result(Awaitable<T> operation, std::optional<T>& result) {
  result.emplace(co_await std::move(operation));
}

}  // namespace await_detail

/// Runs `operation` to its end on an io_context of its own and returns its result. For tests: blocks the calling
/// thread. Throws what the operation throws; asserts that it ends once nothing is left to wait for.
template <class T>
T await(Awaitable<T> operation) {
  boost::asio::io_context io(1);
  std::optional<T> result;
  std::exception_ptr exception;
  boost::asio::co_spawn(io, await_detail::keep_result(std::move(operation), result),
                        [&exception](std::exception_ptr thrown) { exception = std::move(thrown); });
  io.run();
  if (exception) std::rethrow_exception(exception);
  TURNOUT_ASSERT(result.has_value());
  return *std::move(result);
}

}  // namespace turnout
