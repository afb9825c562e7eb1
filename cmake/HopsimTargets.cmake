# The two kinds of target the project is made of.

set(HOPSIM_ROOMS sim topologies collectives sharding scenarios tools)

# Links `target` to each of LINKS; a room may be written by its bare name (`sim` for `hopsim_sim`).
function(hopsim_link target)
  foreach(link IN LISTS ARGN)
    if(link IN_LIST HOPSIM_ROOMS)
      set(link hopsim_${link})
    endif()
    target_link_libraries(${target} PUBLIC ${link})
  endforeach()
endfunction()

# hopsim_room(NAME SOURCES file... [LINKS room-or-target...])
# The static library hopsim_NAME.
function(hopsim_room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hopsim_room(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_library(hopsim_${name} STATIC ${arg_SOURCES})
  target_link_libraries(hopsim_${name} PUBLIC hopsim_options)
  hopsim_link(hopsim_${name} ${arg_LINKS})
endfunction()

# hopsim_test(NAME SOURCES file... [LINKS room-or-target...] [LABELS label...] [RUNS_PROGRAM])
# A GoogleTest executable whose tests ctest lists one by one. The default label is `quick`: those also run under the
# sanitizers. RUNS_PROGRAM: the tests start the `hopsim` program (its path is in tests/support/paths.hpp).
function(hopsim_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RUNS_PROGRAM" "" "SOURCES;LINKS;LABELS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hopsim_test(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS quick)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE hopsim_options hopsim_test_paths GTest::gmock GTest::gtest GTest::gtest_main)
  hopsim_link(${name} ${arg_LINKS})
  if(arg_RUNS_PROGRAM)
    add_dependencies(${name} hopsim)
  endif()
  # Parameters stay numbers in names: the values may hold brackets, which CMake lists do not survive.
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 120 TEST_LIST ${name}_TESTS PROPERTIES TIMEOUT 900)
  # Not among the properties above: gtest_discover_tests loses all labels but the first.
  set(labels_file "${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake")
  file(CONFIGURE OUTPUT "${labels_file}" @ONLY CONTENT
    "set_tests_properties(\${@name@_TESTS} PROPERTIES LABELS \"@arg_LABELS@\")\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels_file}")
endfunction()
