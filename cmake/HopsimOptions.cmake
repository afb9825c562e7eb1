# What every target of the project is compiled with: the INTERFACE target hopsim_options, and ccache where found.

option(HOPSIM_WERROR "Treat warnings as errors" OFF)
set(HOPSIM_SANITIZE "" CACHE STRING "Sanitizers, separated by commas: address,undefined")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The base folder lets checkouts in different places share the cache.
find_program(HOPSIM_CCACHE ccache)
find_program(HOPSIM_ENV env)
if(HOPSIM_CCACHE AND HOPSIM_ENV AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${HOPSIM_ENV};CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};${HOPSIM_CCACHE}")
endif()

add_library(hopsim_options INTERFACE)
target_compile_features(hopsim_options INTERFACE cxx_std_20)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

target_include_directories(hopsim_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(hopsim_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  # g++ 12 sees overlap in std::string operator+ where there is none (GCC bug 105651).
  -Wno-restrict
  # No fused multiply-add: the same results on every machine.
  -ffp-contract=off
  # Assertions and debug information name files from the root, wherever the checkout is.
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="
  $<$<BOOL:${HOPSIM_WERROR}>:-Werror>)
# Bounds checks of the standard library wherever assertions are on.
target_compile_definitions(hopsim_options INTERFACE $<$<NOT:$<CONFIG:Release,MinSizeRel>>:_GLIBCXX_ASSERTIONS>)

if(HOPSIM_SANITIZE)
  set(sanitizers "-fsanitize=${HOPSIM_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(hopsim_options INTERFACE ${sanitizers})
  target_link_options(hopsim_options INTERFACE ${sanitizers})
endif()
