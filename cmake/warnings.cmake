# Every target of ours is built with these; a warning is an error.
add_library(turnout_warnings INTERFACE)
target_compile_options(turnout_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)

# g++ 12 is wrong about all three: it takes Asio's inlined coroutine frame allocation for a mismatched pair and for a pointer into the
# middle of a block, and an empty std::optional for a value that is read. clang's warnings, clang-tidy and the sanitizers find the real ones.
# And it says of Asio's memory fences that the thread sanitizer does not see them.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(turnout_warnings INTERFACE -Wno-mismatched-new-delete -Wno-free-nonheap-object -Wno-maybe-uninitialized -Wno-tsan)
endif()
