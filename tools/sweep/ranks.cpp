#include "tools/sweep/ranks.hpp"

#include <dlfcn.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "sim/error.hpp"

namespace hopsim {
namespace {

namespace fs = std::filesystem;

std::optional<int> number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  int number = 0;
  if (text == nullptr || std::from_chars(text, text + std::strlen(text), number).ec != std::errc{})
    return std::nullopt;
  return number;
}

// Beside the program, as it is built, or where it is installed.
fs::path plug_in() {
  std::error_code none;
  const fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const fs::path& path : {folder / HOPSIM_MPI_NAME, folder / HOPSIM_MPI_FOLDER / HOPSIM_MPI_NAME})
    if (fs::exists(path, none)) return path;
  return {};
}

}  // namespace

Launch launch_of_environment() {
  for (const auto& [rank, size] :
       {std::pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, std::pair{"PMI_RANK", "PMI_SIZE"}}) {
    const auto r = number_in_environment(rank), n = number_in_environment(size);
    if (r && n && *n > 1) return {*r, *n};
  }
  return {};
}

std::unique_ptr<Ranks> join_ranks() {
  const Launch launch = launch_of_environment();
  if (launch.size == 1) return nullptr;
  const std::string several = "mpirun started " + std::to_string(launch.size) + " processes";
  const fs::path path = plug_in();
  if (path.empty())
    throw InputError(several + ", and this hopsim was built without MPI", {},
                     "one process; or hopsim built where MPI is found (libopenmpi-dev)");
  // MPI's own plug-ins look for its symbols among those of the process; and SimGrid has functions of the same names,
  // which must not come before them.
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_DEEPBIND);
  void* const join = library == nullptr ? nullptr : ::dlsym(library, "hopsim_join_ranks");
  if (join == nullptr) throw InputError(several + ", and MPI cannot be loaded: " + ::dlerror(), {}, "one process");
  std::unique_ptr<Ranks> ranks(reinterpret_cast<Ranks* (*)()>(join)());
  if (ranks->size() == 1)
    throw InputError(several + ", but MPI knows of one", {}, "the mpirun of the MPI that hopsim was built with");
  return ranks;
}

}  // namespace hopsim
