#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

// Replaces operator new and delete of the whole program, to count what is allocated. To be included by one file of a
// test program only. Arrays go through these too; the forms with an alignment do not.

namespace turnout {

/// Allocations of this thread so far.
inline thread_local std::size_t allocations = 0;

}  // namespace turnout

// Not inlined, or g++ takes malloc and delete for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++turnout::allocations;
  return std::malloc(size == 0 ? 1 : size);
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* const memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}

[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
