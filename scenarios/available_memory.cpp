#include "scenarios/available_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

#include "sim/error.hpp"

namespace hopsim {
namespace {

// The number after a word, in a file of lines "word number": 0 for none.
std::uint64_t number_after(const std::string& file, const std::string& word) {
  std::ifstream in(file);
  std::string name;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::uint64_t number = 0;
    if (words >> name >> number && name == word) return number;
  }
  return 0;
}

// "max" is none.
std::optional<std::uint64_t> number_in(const std::string& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

std::uint64_t less(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

void lower(AvailableMemory& to, std::uint64_t bytes, const char* limit) {
  if (bytes < to.bytes) to = {bytes, limit};
}

// A control group, and those above it, which limit it too.
void lower_by_groups(AvailableMemory& to, const std::string& mount, std::string group, const char* most,
                     const char* current, const char* cache) {
  for (;;) {
    const std::string folder = mount + (group == "/" ? "" : group) + "/";
    const auto limit = number_in(folder + most), used = number_in(folder + current);
    if (limit && used)
      lower(to, less(*limit, less(*used, number_after(folder + "memory.stat", cache))), "the control group's limit");
    const std::size_t up = group.rfind('/');
    if (group.size() <= 1 || up == std::string::npos) return;
    group.resize(std::max<std::size_t>(up, 1));
  }
}

// Lines of /proc/self/cgroup: "0::/a/b" (v2), "9:memory:/a/b" (v1). In a container the paths may be the host's; then
// the groups are at the root of the mount, which is looked at last.
void lower_by_cgroups(AvailableMemory& to, const std::string& root) {
  std::ifstream in(root + "proc/self/cgroup");
  const std::string mount = root + "sys/fs/cgroup";
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                      group = line.substr(second + 1);
    if (controllers == ",,")
      lower_by_groups(to, mount, group, "memory.max", "memory.current", "inactive_file");
    else if (controllers.find(",memory,") != std::string::npos)
      lower_by_groups(to, mount + "/memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes",
                      "total_inactive_file");
  }
}

void lower_by_ulimit(AvailableMemory& to) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const auto pages = number_in("/proc/self/statm").value_or(0);
  lower(to, less(limit.rlim_cur, pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))), "ulimit -v");
}

}  // namespace

AvailableMemory available_memory(const std::string& root) {
  AvailableMemory memory;
  if (const std::uint64_t kib = number_after(root + "proc/meminfo", "MemAvailable:"))
    memory = {kib * 1024, "free memory"};
  lower_by_cgroups(memory, root);
  lower_by_ulimit(memory);
  return memory;
}

std::optional<AvailableMemory> short_of(std::uint64_t bytes) {
  constexpr std::uint64_t kSmall = 32'000'000;
  if (bytes < kSmall) return std::nullopt;
  const AvailableMemory available = available_memory();
  return bytes > available.bytes ? std::optional(available) : std::nullopt;
}

void require_available(std::uint64_t bytes, const std::string& what, const std::string& valid) {
  if (const auto available = short_of(bytes))
    throw InputError("too little memory: " + what + " takes about " + about_bytes(bytes),
                     about_bytes(available->bytes) + " (" + available->limit + ")", valid);
}

std::string about_bytes(std::uint64_t bytes) {
  const auto v = static_cast<double>(bytes);
  return v < 1e9 ? fmt::format("{:.0f} MB", std::ceil(v / 1e6)) : fmt::format("{:.3g} GB", v / 1e9);
}

}  // namespace hopsim
