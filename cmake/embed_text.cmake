# embed_text(LAYER file header NAME): makes `header` in the build folder with `inline constexpr std::string_view NAME`, the
# file's text, so that nothing is read from disk at run time. The pairs are listed in embedded.txt in the build folder for
# tests/architecture.
set(TURNOUT_EMBEDDED_FILE ${CMAKE_BINARY_DIR}/embedded.txt)
file(WRITE ${TURNOUT_EMBEDDED_FILE} "")

function(embed_text layer file header name)
  file(RELATIVE_PATH relative ${CMAKE_CURRENT_SOURCE_DIR} ${file})
  file(APPEND ${TURNOUT_EMBEDDED_FILE} "${header} ${relative}\n")
  set(output ${CMAKE_BINARY_DIR}/generated/${header})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${output} -DNAME=${name} -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed_text_script.cmake
    DEPENDS ${file} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed_text_script.cmake
    VERBATIM)
  get_filename_component(target_name ${header} NAME_WE)
  add_custom_target(embed_${target_name} DEPENDS ${output})
  add_dependencies(turnout_${layer} embed_${target_name})
endfunction()
