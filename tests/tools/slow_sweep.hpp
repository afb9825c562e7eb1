// A sweep whose points take some milliseconds each, so that it can be stopped in the middle.
#pragma once

#include <algorithm>
#include <string>

#include "tests/tools/started.hpp"

namespace hopsim::test {

constexpr std::size_t kSlowPoints = 40;

struct SlowSweep {
  Scratch folder;
  std::filesystem::path file = write(folder / "slow.yaml",
                                     "name: slow\n"
                                     "machine: {topology: {kind: torus, shape: 12x12},"
                                     " link: {bandwidth: 1 GB/s, latency: 1 us}}\n"
                                     "program: [{all_to_all: {bytes: 1 MiB}, algorithm: direct}]\n"
                                     "sweep: {program.0.all_to_all.bytes: 1 MB .. 40 MB + 1 MB}\n");
  std::filesystem::path json = folder / "r.json", csv = folder / "r.csv", journal = folder / "r.json.partial";

  std::vector<std::string> command(std::vector<std::string> flags = {}) const {
    std::vector<std::string> all{program(), "sweep", file, "--fold", "off", "--json", json, "--csv", csv};
    all.insert(all.end(), flags.begin(), flags.end());
    return all;
  }
  // Records that are whole, or nearly: each begins with a line that says which point it is.
  std::size_t finished() const {
    const std::string text = contents(journal);
    std::size_t points = 0;
    for (std::size_t at = 0; (at = text.find("\"point\":", at)) != std::string::npos; ++at) ++points;
    return points;
  }
};

// What a sweep that nobody disturbs writes.
struct Undisturbed {
  Finished finished;
  std::string json, csv;
};
inline Undisturbed undisturbed(const SlowSweep& sweep, std::vector<std::string> flags = {"--jobs", "1"}) {
  Undisturbed u{test::finished(sweep.command(std::move(flags))), contents(sweep.json), contents(sweep.csv)};
  std::filesystem::remove(sweep.json);
  std::filesystem::remove(sweep.csv);
  return u;
}

}  // namespace hopsim::test
