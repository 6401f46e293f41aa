#pragma once

namespace turnout {

/// Prints the condition and its place to stderr and aborts. Async-signal-unsafe; for bugs only.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace turnout

/// Ends the process when `condition` is false, in every build: a payment router that goes on with a broken invariant
/// loses money silently. Only for bugs of ours or of a C++ caller; never for input that came from outside.
#define TURNOUT_ASSERT(condition) \
  (static_cast<bool>(condition) ? void(0) : ::turnout::assertion_failed(#condition, __FILE__, __LINE__))
