#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/assert.h"

namespace turnout {

/// What went wrong in an operation that may fail for reasons outside the program.
struct Error {
  enum class Code {
    invalid,      ///< the input is wrong; `message` says where
    unavailable,  ///< the store or a file cannot be reached now
    corrupt,      ///< stored data is not what was written
  };

  Code code = Code::invalid;
  std::string message;

  friend bool operator==(const Error&, const Error&) = default;
};

/// A value or the Error that prevented it. Not for domain answers such as "no provider": those are values.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  /// The value; asserts ok().
  T& value() & { return TURNOUT_ASSERT(ok()), *std::get_if<0>(&state_); }
  const T& value() const& { return TURNOUT_ASSERT(ok()), *std::get_if<0>(&state_); }
  T&& value() && { return TURNOUT_ASSERT(ok()), std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// The error; asserts !ok().
  [[nodiscard]] const Error& error() const {
    const Error* const error = std::get_if<1>(&state_);
    TURNOUT_ASSERT(error != nullptr);
    return *error;
  }

 private:
  std::variant<T, Error> state_;
};

/// The value of an operation that only succeeds or fails.
struct Done {
  friend bool operator==(const Done&, const Done&) = default;
};

}  // namespace turnout
