# layer(NAME PATH folder [DEPENDS layers…] [LINK libraries…])
#
# One static library per folder of src/. DEPENDS are the layers whose headers it may include; they are written to layers.txt in
# the build folder, where tests/architecture reads them. main.cc is the program's, not the library's.
set(TURNOUT_LAYERS_FILE ${CMAKE_BINARY_DIR}/layers.txt)
file(WRITE ${TURNOUT_LAYERS_FILE} "")

function(layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PATH" "DEPENDS;LINK")
  file(APPEND ${TURNOUT_LAYERS_FILE} "${name} ${arg_PATH} ${arg_DEPENDS}\n")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/${arg_PATH}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  list(TRANSFORM arg_DEPENDS PREPEND turnout_ OUTPUT_VARIABLE dependencies)
  if(sources)
    add_library(turnout_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(turnout_${name} PRIVATE turnout_warnings)
  else()
    add_library(turnout_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(turnout_${name} ${scope} ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(turnout_${name} ${scope} ${dependencies} ${arg_LINK})
endfunction()
