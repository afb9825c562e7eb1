# hopsim_embed(TARGET target FUNCTION name [NAMESPACE hopsim] [BASE folder] FILES file...)
#
# Compiles the files' contents into `target` as a function of its namespace, which the room declares in a header:
#
#     std::span<const EmbeddedFile> name();      // "sim/embedded_file.hpp"
#
# in the order given, each under its path below BASE (default: the folder of the CMakeLists.txt that calls). A file
# that changes is embedded anew by the next build.
function(hopsim_embed)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;FUNCTION;NAMESPACE;BASE" "FILES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_TARGET OR NOT arg_FUNCTION)
    message(FATAL_ERROR "hopsim_embed: needs TARGET and FUNCTION; unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_NAMESPACE)
    set(arg_NAMESPACE hopsim)
  endif()
  if(NOT arg_BASE)
    set(arg_BASE "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  cmake_path(ABSOLUTE_PATH arg_BASE)
  set(files "")
  foreach(file IN LISTS arg_FILES)
    cmake_path(ABSOLUTE_PATH file NORMALIZE)
    list(APPEND files "${file}")
  endforeach()

  set(script "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${arg_FUNCTION}.cpp")
  add_custom_command(OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DNAMESPACE=${arg_NAMESPACE}" "-DFUNCTION=${arg_FUNCTION}"
      "-DBASE=${arg_BASE}" -P "${script}" -- ${files}
    DEPENDS ${files} "${script}"
    COMMENT "Embedding the files of ${arg_FUNCTION}()"
    VERBATIM)
  target_sources(${arg_TARGET} PRIVATE "${output}")
endfunction()
