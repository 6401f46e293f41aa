# Every target of ours is built with these; a warning is an error.
add_library(turnout_warnings INTERFACE)
target_compile_options(turnout_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)
