// Absolute paths for tests, so that they run from any folder.
#pragma once

#include <filesystem>

namespace hopsim::test {

std::filesystem::path source_dir();  // the root of the checkout
std::filesystem::path program();     // the `hopsim` of this build; the test is declared RUNS_PROGRAM

}  // namespace hopsim::test
