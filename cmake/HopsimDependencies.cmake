# Libraries the rooms link: Boost::graph spdlog::spdlog fmt::fmt yaml-cpp CLI11::CLI11 nlohmann_json::nlohmann_json
# TBB::tbb PkgConfig::ISAL PkgConfig::SIMGRID, and MPI::MPI_CXX where MPI is found; the tests: GTest::gtest GTest::gmock ZLIB::ZLIB benchmark::benchmark. All are
# packages of Debian; tools/setup installs them.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS graph)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(TBB REQUIRED)

# Optional. Only its C interface is used.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI COMPONENTS CXX)

# SimGrid and ISA-L ship no CMake configuration.
find_package(PkgConfig REQUIRED)
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(SIMGRID REQUIRED IMPORTED_TARGET simgrid)
