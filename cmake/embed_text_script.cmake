# One raw string literal: g++ and clang set no limit on its length.
file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "#pragma once\n#include <string_view>\nnamespace turnout {\ninline constexpr std::string_view ${NAME} =\n    R\"~embed~(${text})~embed~\";\n}  // namespace turnout\n")
