#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/error.hpp"
#include "tests/tools/perfetto_fixture.hpp"
#include "tools/perfetto/encoder.hpp"

namespace hopsim::perfetto {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string unzipped(const fs::path& path) {
  std::string text;
  gzFile in = gzopen(path.c_str(), "rb");
  std::vector<char> block(1 << 16);
  for (int n; (n = gzread(in, block.data(), static_cast<unsigned>(block.size()))) > 0;)
    text.append(block.data(), static_cast<std::size_t>(n));
  EXPECT_EQ(gzclose(in), Z_OK);
  return text;
}

// Every chip sends round the ring both ways, three times, back to back.
void all_gather(TraceWriter& writer, const Fabric& fabric) {
  std::uint64_t message = 0;
  for (std::uint32_t passage = 0; passage < 3; ++passage)
    for (std::uint32_t link = 0; link < fabric.links.size(); ++link) {
      HopRecord h = one_hop(message++, link, fabric, passage * 1500_ps, (passage + 1) * 1500_ps);
      h.passage = passage;
      h.bytes = 64_KiB;
      writer.hop(h);
    }
  for (std::uint32_t c = 0; c < fabric.chips(); ++c) writer.task(ChipId(c), 0, Time{}, 4500_ps + 1_us);
}

TEST(PerfettoEncoder, WritesTheBytesOfTheProtobufGuide) {
  Encoder e;
  e.varint(1, 150);
  EXPECT_EQ(e.bytes(), "\x08\x96\x01");
  e.clear();
  e.string(2, "testing");
  EXPECT_EQ(e.bytes(), "\x12\x07testing");
  e.clear();
  e.message(3, [&] { e.varint(1, 150); });
  EXPECT_EQ(e.bytes(), "\x1a\x03\x08\x96\x01");
  e.clear();
  e.pair(4, 1, 7, 3, 300);
  EXPECT_EQ(e.bytes(), std::string_view("\x22\x05\x08\x07\x18\xac\x02"));
  e.clear();
  e.pair(4, 1, 7, 3, ~std::uint64_t{0});
  EXPECT_EQ(e.bytes(), "\x22\x0d\x08\x07\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  e.clear();
  e.fixed64(47, 0x0102030405060708);
  EXPECT_EQ(e.bytes(), "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01");
  e.clear();
  e.varint(1, ~std::uint64_t{0});
  EXPECT_EQ(e.bytes(), "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(PerfettoEncoder, NestsMessagesOfAnyLength) {
  for (const std::size_t length : {0u, 124u, 125u, 126u, 127u, 128u, 16'379u, 16'384u, 3'000'000u}) {
    const std::string text(length, 'a');
    Encoder e;
    e.varint(9, 1);
    e.message(1, [&] { e.message(2, [&] { e.string(3, text); }); });
    e.varint(9, 2);
    const Message m(e.bytes());
    EXPECT_EQ(m.numbers.count(9), 2u);
    EXPECT_EQ(m.all(1).at(0).all(2).at(0).text(3), text) << length;
  }
}

TEST_F(PerfettoWriter, CountsWhatItWrites) {
  const Fabric fabric = ring(4);
  const Trace trace = written(fabric, {{"AllGather_X", "bidirectional_ring", 1_MiB, true}},
                              [&](TraceWriter& w) { all_gather(w, fabric); });
  const auto written_of = [&](std::uint64_t type) {
    return static_cast<std::uint64_t>(
        std::count_if(trace.events.begin(), trace.events.end(), [&](const Event& e) { return e.type == type; }));
  };
  EXPECT_EQ(counts_.slices, 3 * 8 + 4u);  // passages x links, and a step a chip
  EXPECT_EQ(counts_.instants, 3 * 8u);
  EXPECT_EQ(counts_.flows, 3 * 8u);
  // Links are busy from 0 to 4 ns; 128 KiB at first and until 1.004 us, twice to three times as much in between.
  EXPECT_EQ(counts_.counters, 5 * (2 + 6u));
  EXPECT_EQ(written_of(1), counts_.slices);
  EXPECT_EQ(written_of(2), counts_.slices);
  EXPECT_EQ(written_of(3), counts_.instants);
  EXPECT_EQ(written_of(4), counts_.counters);
  EXPECT_THAT(trace.events, SizeIs(2 * counts_.slices + counts_.instants + counts_.counters));
}

TEST_F(PerfettoWriter, LaysTracksOutInReadingOrder) {
  const Fabric fabric = ring(4);
  // In an order that is not the tree's.
  std::vector<TraceStep> steps(2);
  steps[1].collective = true;
  const Trace trace = written(fabric, steps, [&](TraceWriter& w) {
    w.hop(with_bytes(one_hop(0, 4 + 1, fabric, 0_ps, 1_us), 1_KiB));
    w.hop(with_bytes(one_hop(1, 1, fabric, 0_ps, 1_us), 1_KiB));
    w.compute(ChipId(1), 0, 0_ps, 1_us);
    w.task(ChipId(1), 1, 0_ps, 1_us);
    w.task(ChipId(1), 1, 0_ps, 1_us);
    w.task(ChipId(1), 0, 0_ps, 1_us);
    w.task(ChipId(0), 0, 0_ps, 1_us);
  });
  EXPECT_THAT(trace.tree(),
              ElementsAre("fabric 4", " link utilisation", " bytes in flight", " chip 0 (0)", "  steps", "  received",
                          "   from (1) x-", " chip 1 (1)", "  steps", "  compute", "  collectives",
                          "  collectives (2)", "  link utilisation", "  bytes in flight", "  links out", "   x+",
                          "   x-", " chip 2 (2)", "  received", "   from (1) x+"));
}

TEST_F(PerfettoWriter, PadsChipNumbersSoThatTextOrderIsChipOrder) {
  for (const std::uint32_t n : {10u, 11u}) {
    const Fabric fabric = ring(n);
    const Trace trace = written(fabric, {}, [&](TraceWriter& w) { w.task(ChipId(3), 0, 0_ps, 1_us); });
    EXPECT_EQ(trace.tree().at(1), n == 10 ? " chip 3 (3)" : " chip 03 (3)");
  }
}

TEST_F(PerfettoWriter, ShowsSwitches) {
  Fabric fabric;
  fabric.shape.size[0] = 2;
  fabric.nodes = 3;
  fabric.links = {{0, 2, 45_GBps, 1_us}, {1, 2, 45_GBps, 1_us}, {2, 0, 45_GBps, 1_us}, {2, 1, 45_GBps, 1_us}};
  fabric.towards = {LinkId(0), LinkId(0), LinkId(1), LinkId(1), LinkId(2), LinkId(3)};
  const Trace trace = written(fabric, {}, [&](TraceWriter& w) {
    HopRecord h = one_hop(7, 0, fabric, 0_ps, 2_us);
    h.to = ChipId(1);
    h.last = false;
    w.hop(h);
    h = one_hop(7, 3, fabric, 1_us, 3_us);
    h.from = ChipId(0);
    h.posted = 0_ps;
    h.hop = 1;
    w.hop(h);
  });
  EXPECT_THAT(trace.tree(), ElementsAre("fabric 2", " link utilisation", " chip 0 (0)", "  link utilisation",
                                        "  links out", "   " + fabric.port_name(LinkId(0)), " chip 1 (1)",
                                        "  received", "   from " + fabric.link_name(LinkId(3)), " switch 0",
                                        "  link utilisation", "  links out", "   " + fabric.port_name(LinkId(3))));
}

TEST_F(PerfettoWriter, RoundsTimesDownAndKeepsThePicoseconds) {
  const Fabric fabric = ring(4);
  const Trace trace = written(fabric, {{"AllGather_X", "", {}}}, [&](TraceWriter& w) {
    HopRecord h = one_hop(0, 2, fabric, 1999_ps, 3001_ps);
    h.posted = 1500_ps;
    w.hop(h);
  });
  const std::vector<Slice> slices = trace.slices("fabric 4/chip 2 (2)/links out/x+");
  ASSERT_THAT(slices, SizeIs(1));
  EXPECT_EQ(slices[0].begin, 1u);
  EXPECT_EQ(slices[0].end, 3u);
  EXPECT_EQ(slices[0].event.args.at("start_ps"), 1999u);
  EXPECT_EQ(slices[0].event.args.at("end_ps"), 3001u);
  EXPECT_EQ(slices[0].event.args.at("wait_ps"), 499u);
  const std::vector<Event> received = trace.instants("fabric 4/chip 3 (3)/received/from (2) x+");
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0].time, 1003u);
}

TEST_F(PerfettoWriter, AbuttingSlicesShareATrackWithoutNesting) {
  const Fabric fabric = ring(4);
  const std::vector<Time> bounds{0_ps, 1500_ps, 1600_ps, 1700_ps, 2000_ps, 3000_ps};  // three within one ns
  const Trace trace = written(fabric, {}, [&](TraceWriter& w) {
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) w.hop(one_hop(i, 0, fabric, bounds[i], bounds[i + 1]));
  });
  std::vector<std::pair<std::uint64_t, std::uint64_t>> times;
  for (const Slice& s : trace.slices("fabric 4/chip 0 (0)/links out/x+")) times.emplace_back(s.begin, s.end);
  using P = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_THAT(times, ElementsAre(P{0, 1}, P{1, 1}, P{1, 1}, P{1, 2}, P{2, 3}));
}

TEST_F(PerfettoWriter, OverlappingSlicesGetTracksOfTheirOwn) {
  const Fabric fabric = ring(4);
  const Trace trace = written(fabric, {{"a", "", {}}, {"b", "", {}}, {"c", "", {}}}, [&](TraceWriter& w) {
    w.task(ChipId(0), 1, 2_us, 5_us);  // b ends first, so it is told first
    w.task(ChipId(0), 0, 0_us, 9_us);
    w.task(ChipId(0), 2, 9_us, 12_us);
    w.hop(one_hop(0, 0, fabric, 0_us, 4_us));  // as on an engine that shares a link's bandwidth
    w.hop(one_hop(1, 0, fabric, 1_us, 3_us));
  });
  const auto names = [&](const std::string& track) {
    std::vector<std::string> found;
    for (const Slice& s : trace.slices("fabric 4/chip 0 (0)/" + track)) found.push_back(s.event.name);
    return found;
  };
  EXPECT_THAT(names("steps"), ElementsAre("b", "c"));
  EXPECT_THAT(names("steps (2)"), ElementsAre("a"));
  EXPECT_THAT(names("links out/x+"), SizeIs(1));
  EXPECT_THAT(names("links out/x+ (2)"), SizeIs(1));
}

TEST_F(PerfettoWriter, NamesAndExplainsSlices) {
  const Fabric fabric = ring(4);
  const Trace trace = written(fabric, {{"", "", {}}, {"AllReduce_X", "ring", 3_MiB, true}}, [&](TraceWriter& w) {
    HopRecord h = one_hop(5, 0, fabric, 0_us, 1_us);
    h.bytes = 64_KiB;
    h.task = 1;
    h.lane = 2;
    h.phase = 3;
    h.passage = 4;
    h.chunk = {6, 7};
    h.op = Op::reduce;
    w.hop(h);
    w.task(ChipId(0), 1, 0_us, 8_us);
    w.compute(ChipId(0), 0, 0_us, 7_us);
    w.compute(ChipId(0), 2, 7_us, 8_us);  // no such step
  });
  const Event hop = trace.slices("fabric 4/chip 0 (0)/links out/x+").at(0).event;
  EXPECT_EQ(hop.name, "AllReduce_X");
  EXPECT_EQ(hop.category, "link");
  EXPECT_EQ(hop.args, (std::map<std::string, std::uint64_t>{{"bytes", 65536},
                                                            {"step", 2},
                                                            {"lane", 2},
                                                            {"phase", 3},
                                                            {"passage", 4},
                                                            {"chunk", 6},
                                                            {"chunk_atoms", 7},
                                                            {"wait_ps", 0},
                                                            {"start_ps", 0},
                                                            {"end_ps", 1'000'000}}));
  const Event step = trace.slices("fabric 4/chip 0 (0)/collectives").at(0).event;
  EXPECT_EQ(step.name, "AllReduce_X");
  EXPECT_EQ(step.category, "collective");
  EXPECT_EQ(step.algorithm, "ring");
  EXPECT_EQ(step.args.at("bytes"), 3u << 20);
  const std::vector<Slice> computes = trace.slices("fabric 4/chip 0 (0)/compute");
  ASSERT_THAT(computes, SizeIs(2));
  EXPECT_EQ(computes[0].event.name, "step 1");
  EXPECT_EQ(computes[1].event.name, "compute");
  EXPECT_EQ(computes[1].event.category, "compute");
  const Event received = trace.instants("fabric 4/chip 1 (1)/received/from (0) x+").at(0);
  EXPECT_EQ(received.name, "reduced");
  EXPECT_EQ(received.category, "receive");
}

TEST_F(PerfettoWriter, MarksWhatIsExposedAndTheCriticalPath) {
  const Fabric fabric = ring(4);
  const Trace trace = written(fabric, {{"a", "", {}}, {"b", "", {}}}, [&](TraceWriter& w) {
    w.task(ChipId(2), 0, 0_us, 9_us);
    w.compute(ChipId(2), 0, 0_us, 1_us);
    w.exposed(ChipId(2), 1_us, 1500_ns);
    w.exposed(ChipId(2), 2_us, 3_us);
    w.critical({0_us, 1_us, Cause::compute, 0, 2});
    w.critical({1_us, 3_us, Cause::link_wait, 1, 2, LinkId(6), 0});
  });
  EXPECT_THAT(trace.tree(), ElementsAre("fabric 4", " critical path", " chip 2 (2)", "  steps", "  compute",
                                        "  exposed communication"));
  const std::vector<Slice> exposed = trace.slices("fabric 4/chip 2 (2)/exposed communication");
  ASSERT_THAT(exposed, SizeIs(2));
  EXPECT_EQ(exposed[0].event.category, "exposed");
  EXPECT_EQ(exposed[0].end, 1500u);
  EXPECT_EQ(exposed[1].begin, 2000u);
  const std::vector<Slice> path = trace.slices("fabric 4/critical path");
  ASSERT_THAT(path, SizeIs(2));
  EXPECT_EQ(path[0].event.name, "compute");
  EXPECT_EQ(path[0].event.category, "critical");
  EXPECT_EQ(path[0].event.args.at("chip"), 2u);
  EXPECT_FALSE(path[0].event.args.contains("link"));
  EXPECT_EQ(path[1].event.name, "waiting for a link");
  EXPECT_EQ(path[1].event.texts.at("link"), "(2) x-");
  EXPECT_EQ(path[1].event.args.at("step"), 2u);
  EXPECT_EQ(path[1].event.args.at("held_by"), 1u);
  EXPECT_EQ(counts_.slices, 6u);
}

TEST_F(PerfettoWriter, AFlowRunsThroughAllHopsToTheReceiver) {
  const Fabric fabric = ring(8);
  const Trace trace = written(fabric, {}, [&](TraceWriter& w) {
    for (std::uint32_t hop = 0; hop < 3; ++hop) {
      HopRecord h = one_hop(0, hop, fabric, (hop + 1) * 1_us, (hop + 5) * 1_us);
      h.from = ChipId(0);
      h.to = ChipId(3);
      h.hop = hop;
      h.last = hop == 2;
      w.hop(h);
    }
    w.hop(one_hop(1, 4, fabric, 0_ps, 1_us));
  });
  EXPECT_EQ(counts_.flows, 3u + 1u);
  std::vector<std::string> way;
  for (const Event& e : trace.events)
    if (e.flow == 1 || e.last_flow == 1) way.push_back(trace.path(e.track));
  EXPECT_THAT(way, ElementsAre("fabric 8/chip 0 (0)/links out/x+", "fabric 8/chip 1 (1)/links out/x+",
                               "fabric 8/chip 2 (2)/links out/x+", "fabric 8/chip 3 (3)/received/from (2) x+"));
  const Event received = trace.instants("fabric 8/chip 3 (3)/received/from (2) x+").at(0);
  EXPECT_EQ(received.flow, 0u);
  EXPECT_EQ(received.last_flow, 1u);
  EXPECT_EQ(received.time, 8000u);
  const Event middle = trace.slices("fabric 8/chip 1 (1)/links out/x+").at(0).event;
  EXPECT_EQ(middle.args.at("hop"), 1u);
  EXPECT_EQ(middle.args.at("from_chip"), 0u);
  EXPECT_EQ(middle.args.at("to_chip"), 3u);
}

TEST_F(PerfettoWriter, CompressesTheSameBytesAndRepeatsThem) {
  const Fabric fabric = ring(512);  // more than one block
  for (const char* name : {"a.pftrace", "b.pftrace.gz", "c.pftrace.gz"}) {
    TraceWriter writer(folder_ / name, fabric, {{"AllGather_X", "ring", 1_MiB}});
    all_gather(writer, fabric);
    writer.finish();
  }
  const std::string raw = read(folder_ / "a.pftrace");
  EXPECT_GT(raw.size(), 400'000u);
  EXPECT_EQ(raw, unzipped(folder_ / "b.pftrace.gz"));
  EXPECT_LT(fs::file_size(folder_ / "b.pftrace.gz"), raw.size() / 4);
  EXPECT_EQ(read(folder_ / "b.pftrace.gz"), read(folder_ / "c.pftrace.gz"));
}

TEST_F(PerfettoWriter, AFileAppearsWholeOrNotAtAll) {
  const Fabric fabric = ring(4);
  {
    TraceWriter unfinished(folder_ / "t.pftrace", fabric, {});
    all_gather(unfinished, fabric);
    EXPECT_FALSE(fs::exists(folder_ / "t.pftrace"));
    EXPECT_THAT(files(), SizeIs(1));
  }
  EXPECT_THAT(files(), IsEmpty());
  written(fabric, {}, [](TraceWriter&) {});
  EXPECT_THAT(files(), ElementsAre("t.pftrace"));
}

TEST_F(PerfettoWriter, AnOlderFileStaysUntilTheNewOneIsWhole) {
  const Fabric fabric = ring(4);
  std::ofstream(folder_ / "t.pftrace") << "old";
  fs::create_symlink("t.pftrace", folder_ / "link.pftrace");
  { TraceWriter unfinished(folder_ / "link.pftrace", fabric, {}); }
  EXPECT_EQ(read(folder_ / "t.pftrace"), "old");
  TraceWriter writer(folder_ / "link.pftrace", fabric, {});
  writer.finish();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.pftrace"));
  EXPECT_NE(read(folder_ / "t.pftrace"), "old");
}

TEST_F(PerfettoWriter, RefusesWhatCannotBeWritten) {
  const Fabric fabric = ring(4);
  const auto refusal = [&](const fs::path& path) -> std::string {
    try {
      TraceWriter writer(path, fabric, {});
      all_gather(writer, fabric);
      writer.finish();
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  const fs::path nowhere = folder_ / "nowhere" / "t.pftrace";
  EXPECT_THAT(refusal(nowhere), HasSubstr(nowhere.string()));
  EXPECT_THAT(refusal(folder_.path()), HasSubstr(folder_.path().string()));
  EXPECT_THAT(refusal(""), HasSubstr("cannot write"));
  EXPECT_THAT(refusal("/dev/full"), HasSubstr("/dev/full: No space left on device"));
  EXPECT_EQ(refusal("/dev/null"), "");
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
  EXPECT_THAT(files(), IsEmpty());
}

}  // namespace
}  // namespace hopsim::perfetto
