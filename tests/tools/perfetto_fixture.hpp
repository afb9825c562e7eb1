// What the tests of the trace writer share: a fabric, records for it, and a folder that traces are written to.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/scratch.hpp"
#include "tests/tools/perfetto_reader.hpp"
#include "tools/perfetto/held_records.hpp"
#include "tools/perfetto/trace_writer.hpp"

namespace hopsim::perfetto {

using namespace hopsim::literals;

inline Fabric ring(std::uint32_t n) {
  Fabric f;
  f.shape.size[0] = static_cast<std::int16_t>(n);
  f.shape.wrap[0] = true;
  f.nodes = n;
  for (std::uint32_t c = 0; c < n; ++c) f.links.push_back({c, (c + 1) % n, 45_GBps, 1_us});
  for (std::uint32_t c = 0; c < n; ++c) f.links.push_back({c, (c + n - 1) % n, 45_GBps, 1_us});
  return f;
}

inline std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class PerfettoWriter : public ::testing::Test {
 protected:
  template <class Record>
  Trace written(const Fabric& fabric, std::vector<TraceStep> steps, Record record, TraceScope scope = {}) {
    TraceWriter writer(folder_ / "t.pftrace", fabric, std::move(steps), std::move(scope));
    record(writer);
    writer.finish();
    counts_ = writer.counts();
    left_out_ = writer.of_all() - counts_.slices - counts_.instants;
    stopped_ = writer.stopped();
    return Trace(read(folder_ / "t.pftrace"));
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      names.push_back(entry.path().filename());
    return names;
  }

  test::Scratch folder_;
  TraceCounts counts_;
  std::uint64_t left_out_ = 0;
  std::optional<Time> stopped_;
};

inline HopRecord one_hop(std::uint64_t message, std::uint32_t link, const Fabric& fabric, Time start, Time end) {
  HopRecord h;
  h.message = message;
  h.link = LinkId(link);
  h.from = ChipId(fabric.links[link].from);
  h.to = ChipId(fabric.links[link].to);
  h.last = true;
  h.posted = start;
  h.start = start;
  h.end = end;
  h.delivered = end + fabric.links[link].latency;
  return h;
}

inline HopRecord with_bytes(HopRecord h, Bytes bytes) {
  h.bytes = bytes;
  return h;
}

}  // namespace hopsim::perfetto
