// How much memory this process may still take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hopsim {

struct AvailableMemory {
  std::uint64_t bytes = ~std::uint64_t{0};
  std::string limit;  // what sets it: "free memory", "the control group's limit", "ulimit -v"
};

// The least of what Linux has available (MemAvailable of /proc/meminfo, proc(5)), what the control groups this
// process is in leave of their limits (v2: memory.max less memory.current, inactive page cache not counted; v1:
// memory.limit_in_bytes less memory.usage_in_bytes), and RLIMIT_AS less what is mapped. What cannot be read is no
// limit. `root` is where /proc and /sys are.
AvailableMemory available_memory(const std::string& root = "/");

std::string about_bytes(std::uint64_t bytes);  // "2.1 GB"
// What there is, where that is less than so much; none: it is enough, or less than 32 MB is asked for.
std::optional<AvailableMemory> short_of(std::uint64_t bytes);
// Throws InputError where there is less: "too little memory: WHAT takes about 12 GB; got 3 GB (free memory); valid:
// VALID".
void require_available(std::uint64_t bytes, const std::string& what, const std::string& valid);

}  // namespace hopsim
