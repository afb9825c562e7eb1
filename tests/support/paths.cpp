#include "tests/support/paths.hpp"

namespace hopsim::test {

std::filesystem::path source_dir() { return HOPSIM_SOURCE_DIR; }
std::filesystem::path program() { return HOPSIM_PROGRAM; }

}  // namespace hopsim::test
