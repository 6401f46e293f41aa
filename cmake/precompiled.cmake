# Headers that most files include and that are slow to read, compiled once for all layers and once for all tests. A file still
# names every header it uses: the `fuzz` preset builds without these.
option(TURNOUT_PRECOMPILE "precompile the slow headers" ON)

# precompiled(NAME [LINK libraries…] HEADERS headers…): a target that others take their precompiled headers from.
function(precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK;HEADERS")
  if(NOT TURNOUT_PRECOMPILE)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${name}.cc CONTENT "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/generated/${name}.cc)
  target_link_libraries(${name} PRIVATE turnout_warnings ${arg_LINK})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# use_precompiled(TARGET NAME): no effect when nothing is precompiled.
function(use_precompiled target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
