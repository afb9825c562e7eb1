#include "scenarios/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/scenarios/reading.hpp"
#include "tests/support/scratch.hpp"

namespace hopsim {
namespace {

using test::error_of;
using test::yaml;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Of keys under `machine`, or of a spec.
MachineModel machine(const std::string& text) { return build_machine(load_machine(yaml(text))); }
MachineModel from_spec(const std::string& spec) { return build_machine(load_machine(machine_from_spec(spec))); }
MachineModel gpus(const std::string& slice, const std::string& more = "") {
  return machine("{chip: h100_sxm, slice: " + slice + ", ideal: true" + (more.empty() ? "" : ", " + more) + "}");
}
std::string refusal(const std::string& text) {
  return error_of([&] { machine(text); });
}

std::vector<int> sizes(const MachineModel& m) {
  return {m.shape.size.begin(), m.shape.size.begin() + m.shape.dimensions};
}
std::vector<std::string> axes(const MachineModel& m) {
  std::vector<std::string> all;
  for (const auto& [name, size] : m.mesh.axes()) all.push_back(name + std::to_string(size));
  return all;
}
std::uint32_t hops(const MachineModel& m, std::uint32_t from, std::uint32_t to) {
  return m.fabric().hops(ChipId{from}, ChipId{to}, Offset::to_node(to), 0);
}
Bandwidth gigabytes(double rate) { return Bandwidth(static_cast<std::uint64_t>(rate * 1e9)); }

// ---- GPUs

TEST(GpuMachine, OneNodeIsASwitch) {
  const MachineModel m = gpus("8");
  EXPECT_EQ(m.name, "h100_sxm");
  EXPECT_EQ(m.wires, Wires::switched);
  EXPECT_EQ(m.domain, 8u);
  EXPECT_EQ(m.domains(), 1u);
  EXPECT_TRUE(m.nvls);
  EXPECT_FALSE(m.nic);
  EXPECT_EQ(m.link.bandwidth, gigabytes(450));
  EXPECT_EQ(m.fabric().existing_links(), 16u);
  EXPECT_EQ(hops(m, 0, 7), 2u);
  EXPECT_THAT(axes(m), ElementsAre("X8"));
}

TEST(GpuMachine, SeveralNodesAreOneAxisOverBothDimensions) {
  const MachineModel m = gpus("4x8");
  EXPECT_THAT(sizes(m), ElementsAre(4, 8));
  EXPECT_THAT(axes(m), ElementsAre("X32"));
  EXPECT_THAT(m.dimensions, ElementsAre(ElementsAre(0, 1)));
  EXPECT_EQ(m.domain, 8u);
  EXPECT_EQ(m.domains(), 4u);
  ASSERT_TRUE(m.nic);
  EXPECT_EQ(m.nic->bandwidth, gigabytes(50));
  EXPECT_EQ(hops(m, 0, 8), 2u);   // same rail: over its leaf
  EXPECT_EQ(hops(m, 0, 15), 4u);  // another: over a spine
}

// Each used GPU brings its NIC.
TEST(GpuMachine, NodesMayBePartlyUsed) {
  const MachineModel m = from_spec("b200:2x1");
  EXPECT_EQ(m.shape.chips(), 2u);
  EXPECT_EQ(m.domain, 1u);
  EXPECT_EQ(hops(m, 0, 1), 2u);
  EXPECT_EQ(from_spec("h100_sxm:3").shape.chips(), 3u);
  EXPECT_THAT(sizes(from_spec("gb200_nvl72:2x72")), ElementsAre(2, 72));
}

TEST(GpuMachine, EfficienciesAreTakenOffUnlessIdeal) {
  const MachineModel m = machine("{chip: h100_sxm, slice: 2x8}");
  EXPECT_EQ(m.link.bandwidth, gigabytes(450 * 0.82));
  EXPECT_EQ(m.nic->bandwidth, gigabytes(50 * 0.94));
  EXPECT_GT(m.overheads.launch, Time{});
  EXPECT_EQ(gpus("8").overheads.launch, Time{});
}

TEST(GpuMachine, OverridesApplyAfterIdeal) {
  const MachineModel m = gpus("2x8", "overrides: {nic_bandwidth: 100 GB/s, nic_latency: 3 us, nic_efficiency: 50%}");
  EXPECT_EQ(m.nic->bandwidth, gigabytes(50));
  EXPECT_EQ(m.nic->latency, Time::picoseconds(3'000'000));
  const MachineModel flat = gpus("2x8", "overrides: {network: one_switch}");
  EXPECT_EQ(hops(flat, 0, 15), 2u);
}

TEST(GpuMachine, WithoutASwitchLinksAreDirect) {
  const MachineModel amd = machine("{chip: mi300x, slice: 8, ideal: true}");
  EXPECT_EQ(amd.wires, Wires::direct);
  EXPECT_FALSE(amd.nvls);
  EXPECT_EQ(amd.link.bandwidth, gigabytes(64));
  EXPECT_EQ(amd.fabric().existing_links(), 8u * 7);
  EXPECT_EQ(machine("{chip: mi300x, slice: 8}").link.bandwidth, gigabytes(48));
  const MachineModel quad = from_spec("gh200_quad:4");
  EXPECT_EQ(quad.fabric().existing_links(), 4u * 3);
}

// Each of 8 GPUs has 4 neighbours, GPU 0 1, 2, 3 and 4; the first 4 are all neighbours.
TEST(GpuMachine, Dgx1) {
  const MachineModel m = from_spec("v100_dgx1:8");
  EXPECT_EQ(m.fabric().existing_links(), 8u * 4);
  EXPECT_EQ(hops(m, 0, 4), 1u);
  EXPECT_EQ(hops(m, 0, 5), 2u);
  EXPECT_EQ(from_spec("v100_dgx1:4").fabric().existing_links(), 4u * 3);
  EXPECT_EQ(from_spec("v100_dgx1:1").shape.chips(), 1u);
}

TEST(GpuMachine, OnlyLaterSwitchesReduce) {
  for (const char* spec : {"h200_sxm:8", "b200:8", "b300:8", "gb200_nvl72:72", "gb300_nvl72:4", "h100_sxm:2x8"})
    EXPECT_TRUE(from_spec(spec).nvls) << spec;
  for (const char* spec : {"a100_sxm:8", "gh200_quad:4", "mi355x:8"}) EXPECT_FALSE(from_spec(spec).nvls) << spec;
  EXPECT_FALSE(from_spec("switch:8,bw=450GB/s,lat=1us").nvls);
  EXPECT_TRUE(
      machine("{topology: {kind: switch, shape: 8, nvls: true}, link: {bandwidth: 1 GB/s, latency: 1 us}}").nvls);
}

TEST(GpuMachine, RefusesWhatDoesNotFit) {
  EXPECT_THAT(
      refusal("{chip: h100_sxm, slice: 9}"),
      StartsWith("f.yaml:1:25: more GPUs than a node of h100_sxm holds; got 9; valid: GPUs of one node, up to 8"));
  EXPECT_THAT(refusal("{chip: gb200_nvl72, slice: 2x73}"), HasSubstr("more GPUs than a rack of gb200_nvl72 holds"));
  EXPECT_THAT(refusal("{chip: h100_sxm, slice: 2x2x2}"), HasSubstr("GPUs have no such shape; got 2x2x2"));
  EXPECT_THAT(refusal("{chip: h100_sxm, slice: 8, wrap: [true]}"), HasSubstr("wrap is for slices of TPUs"));
  EXPECT_THAT(refusal("{chip: h100_sxm, slice: 8, twist: true}"), HasSubstr("twist is for slices of TPUs"));
  EXPECT_THAT(refusal("{chip: h100_sxm, slice: 8, slices: 2}"), HasSubstr("slices is for slices of TPUs"));
  EXPECT_THAT(refusal("{chip: h100_sxm, slice: 8, overrides: {dcn_bandwidth: 1 GB/s}}"),
              AllOf(StartsWith("f.yaml:1:55: unknown key of h100_sxm"), HasSubstr("nic_bandwidth")));
  EXPECT_THAT(refusal("{chip: a100_sxm, slice: 2x8, overrides: {network: rails}}"), HasSubstr("need spines"));
}

// ---- meshes over nodes

TEST(MeshOfGpus, CutsANode) {
  const MachineModel m = gpus("8", "mesh: {X: 2, Y: 4}");
  EXPECT_THAT(sizes(m), ElementsAre(2, 4));
  EXPECT_THAT(axes(m), ElementsAre("X2", "Y4"));
  EXPECT_THAT(m.dimensions, ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_TRUE(m.nvls);
}

// Cuts at 4, 8 and 256 chips: X takes nodes and halves of nodes.
TEST(MeshOfGpus, TakesPartsOfNodes) {
  const MachineModel m = gpus("32x8", "mesh: {X: 64, Y: 4}");
  EXPECT_THAT(sizes(m), ElementsAre(32, 2, 4));
  EXPECT_THAT(m.dimensions, ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
  EXPECT_EQ(m.domain, 8u);
  EXPECT_EQ(index(m.shape.chip({1, 1, 1, 0})), 8u + 4 + 1);
}

TEST(MeshOfGpus, TakesSeveralNodes) {
  const MachineModel m = gpus("32x8", "mesh: {X: 8, Y: 32}");
  EXPECT_THAT(sizes(m), ElementsAre(8, 4, 8));
  EXPECT_THAT(m.dimensions, ElementsAre(ElementsAre(0), ElementsAre(1, 2)));
  EXPECT_THAT(axes(gpus("4x8", "mesh: {X: 1, Y: 32}")), ElementsAre("X1", "Y32"));
  EXPECT_THAT(gpus("4x8", "mesh: {data: x, model: y}").dimensions, ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST(MeshOfGpus, RefusesUnevenParts) {
  EXPECT_THAT(
      refusal("{chip: h100_sxm, slice: 3x8, mesh: {X: 2, Y: 12}}"),
      AllOf(StartsWith("f.yaml:1:36: an axis of the mesh would take uneven parts of the domains; got {X: 2, Y: 12}"),
            HasSubstr("multiply to 24")));
  EXPECT_THAT(refusal("{chip: h100_sxm, slice: 8, mesh: {X: 3, Y: 3}}"), HasSubstr("does not fit the 8 chips"));
  EXPECT_THAT(refusal("{chip: h100_sxm, slice: 8x8, mesh: {A: 2, B: 2, C: 2, D: 2, E: 4}}"),
              HasSubstr("into more than 4 dimensions"));
}

// ---- TPUs

TEST(TwistedSlice, WrapsWithAShift) {
  const MachineModel m = machine("{chip: tpu_v5p, slice: 4x4x8, twist: true}");
  EXPECT_TRUE(m.fabric().grid());
  EXPECT_TRUE(m.shape.twisted(0) && m.shape.twisted(1) && m.shape.wrap[2]);
  EXPECT_EQ(m.fabric().existing_links(), 128u * 6);
  EXPECT_TRUE(from_spec("twisted_torus:4x8x8,bw=45GB/s,lat=1us").shape.twisted(0));
}

TEST(TwistedSlice, RefusesShapesWithoutATwist) {
  EXPECT_THAT(refusal("{chip: tpu_v5p, slice: 4x4x4, twist: true}"),
              StartsWith("f.yaml:1:38: a torus of this shape has no twist; got 4x4x4; valid: k x k x 2k"));
  EXPECT_THAT(refusal("{chip: tpu_v5e, slice: 8x16, twist: true}"), HasSubstr("has no twist; got 8x16"));
  EXPECT_THAT(refusal("{chip: tpu_v5p, slice: 3x3x6, twist: true}"), HasSubstr("does not wrap around has no twist"));
  EXPECT_THAT(refusal("{chip: tpu_v5p, slice: 4x4x8, twist: true, wrap: [true, true, true]}"),
              StartsWith("f.yaml:1:50: a twisted slice wraps as its twist has it"));
  EXPECT_THAT(error_of([] { from_spec("twisted_torus:4x4,bw=1GB/s,lat=1us"); }), HasSubstr("has no twist; got 4x4"));
}

TEST(Slices, AreJoinedOverDcn) {
  const MachineModel m = machine("{chip: tpu_v5e, slice: 4x16, slices: 3, ideal: true}");
  EXPECT_EQ(m.wires, Wires::grid);
  EXPECT_EQ(m.domains(), 3u);
  EXPECT_EQ(m.domain, 64u);
  EXPECT_THAT(sizes(m), ElementsAre(3, 4, 16));
  EXPECT_THAT(axes(m), ElementsAre("S3", "X4", "Y16"));
  EXPECT_FALSE(m.shape.wrap[1]);
  EXPECT_TRUE(m.shape.wrap[2]);
  EXPECT_EQ(m.nic->bandwidth, gigabytes(3.125));
  EXPECT_EQ(hops(m, 0, 63), 3u + 1);  // within a slice by its links
  EXPECT_EQ(hops(m, 0, 64), 2u);
  EXPECT_EQ(machine("{chip: tpu_v5e, slice: 4x4, slices: 1}").shape.dimensions, 2);
}

TEST(Slices, MeshNamesTheirDimensionS) {
  const MachineModel m = machine("{chip: tpu_v5p, slice: 4x4x4, slices: 2, mesh: {data: [s, x], Y: y, Z: z}}");
  EXPECT_THAT(m.dimensions, ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3)));
  EXPECT_THAT(axes(m), ElementsAre("data8", "Y4", "Z4"));
}

TEST(Slices, NeedADcnRate) {
  EXPECT_THAT(refusal("{chip: tpu_v3, slice: 4x4, slices: 2}"),
              StartsWith("f.yaml:1:36: no DCN bandwidth is known for tpu_v3"));
  EXPECT_EQ(machine("{chip: tpu_v3, slice: 4x4, slices: 2, overrides: {dcn_bandwidth: 2 GB/s}}").nic->bandwidth,
            gigabytes(2));
}

// ---- faults, routes, jitter

TEST(Faults, ALinkDownIsGoneRound) {
  const MachineModel m =
      machine("{chip: tpu_v3, slice: 4x4, ideal: true, faults: [{link: [0, [0, 1]], down: true}]}");
  EXPECT_FALSE(m.fabric().grid());
  EXPECT_EQ(m.wires, Wires::grid);
  EXPECT_EQ(m.fabric().existing_links(), 48u - 2);
  EXPECT_EQ(hops(m, 0, 1), 3u);
  const MachineModel one_way =
      machine("{chip: tpu_v3, slice: 4x4, faults: [{link: [0, 1], down: true, one_way: true}]}");
  EXPECT_EQ(hops(one_way, 0, 1), 3u);
  EXPECT_EQ(hops(one_way, 1, 0), 1u);
}

Bandwidth rate_between(const MachineModel& m, std::uint32_t from, std::uint32_t to) {
  for (const Link& l : m.fabric().links)
    if (l.exists() && l.from == from && l.to == to) return l.bandwidth;
  return {};
}

TEST(Faults, ASlowLinkKeepsTheGrid) {
  const MachineModel m = machine(
      "{chip: tpu_v3, slice: 4x4, ideal: true, faults: [{link: [0, 1], bandwidth: 10%}, {link: [5, 6], bandwidth: 7 "
      "GB/s, one_way: true}]}");
  EXPECT_TRUE(m.fabric().grid());
  EXPECT_EQ(rate_between(m, 0, 1), gigabytes(10));
  EXPECT_EQ(rate_between(m, 1, 0), gigabytes(10));
  EXPECT_EQ(rate_between(m, 5, 6), gigabytes(7));
  EXPECT_EQ(rate_between(m, 6, 5), gigabytes(100));
}

// The switch has the number after the GPUs.
TEST(Faults, OfASwitchedNode) {
  EXPECT_EQ(rate_between(gpus("8", "faults: [{link: [3, 8], bandwidth: 50%}]"), 8, 3), gigabytes(225));
}

TEST(Faults, ASlowChipOnlyComputesSlowly) {
  const MachineModel m = gpus("4", "faults: [{chip: 2, speed: 80%}]");
  EXPECT_THAT(m.speeds, ElementsAre(Ratio{}, Ratio{}, (Ratio{4, 5}), Ratio{}));
  EXPECT_TRUE(gpus("4").speeds.empty());
}

TEST(Faults, RefusedWithTheirPlace) {
  const auto faults = [](const std::string& list) {
    return refusal("{chip: tpu_v3, slice: 4x4, faults: [" + list + "]}");
  };
  EXPECT_THAT(faults("{link: [0, 5], down: true}"),
              AllOf(StartsWith("f.yaml:1:37: no link leads from chip 0"), HasSubstr("valid: 0 to 1, 4")));
  EXPECT_THAT(faults("{link: [0, 1], down: true}, {link: [0, 4], down: true}"),
              AllOf(StartsWith("f.yaml:1:65: the machine falls apart"), HasSubstr("cut off: chip 0")));
  EXPECT_THAT(faults("{link: [0, 99], down: true}"), HasSubstr("got 99; valid: 0 to 15"));
  EXPECT_THAT(faults("{link: [0, [0, 4]], down: true}"),
              StartsWith("f.yaml:1:48: no such chip; got 4; valid: 0 to 3"));
  EXPECT_THAT(faults("{link: [0, [1]], down: true}"), HasSubstr("coordinates need a number a dimension"));
  EXPECT_THAT(faults("{chip: 16, speed: 50%}"), StartsWith("f.yaml:1:44: no such chip; got 16; valid: 0 to 15"));
  EXPECT_THAT(faults("{link: [0, 1], bandwidth: 200 GB/s}"), HasSubstr("no faster than a sound one"));
}

TEST(Routing, AsAsked) {
  const auto routed = [](const std::string& how) {
    return machine("{topology: {kind: torus, shape: 4x4}, link: {bandwidth: 1 GB/s, latency: 1 us}, routing: " + how +
                   "}");
  };
  EXPECT_TRUE(routed("dimension_ordered").fabric().grid());
  EXPECT_EQ(routed("rotations").fabric().routes, 2u);
  EXPECT_FALSE(routed("table").fabric().grid());
  EXPECT_GT(routed("minimal").fabric().routes, 1u);
  EXPECT_THAT(refusal("{chip: h100_sxm, slice: 8, routing: rotations}"),
              StartsWith("f.yaml:1:37: messages are split over rotations of the dimensions"));
}

TEST(Jitter, HasADelayAndASeed) {
  const MachineModel m = gpus("8", "jitter: {delay: 200 ns, seed: 7}");
  EXPECT_EQ(m.overheads.jitter, Time::picoseconds(200'000));
  EXPECT_EQ(m.overheads.seed, 7u);
  EXPECT_EQ(gpus("8", "jitter: {delay: 200 ns}").overheads.seed, 1u);
  EXPECT_EQ(gpus("8").overheads.jitter, Time{});
}

// ---- graphs

constexpr const char* kTriangle = R"(<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="b" for="edge" attr.name="bandwidth" attr.type="string"/>
  <key id="l" for="edge" attr.name="latency" attr.type="string"/>
  <graph edgedefault="undirected">
    <node id="a"/><node id="b"/><node id="c"/>
    <edge source="a" target="b"><data key="b">45 GB/s</data><data key="l">1 us</data></edge>
    <edge source="b" target="c"><data key="b">10 GB/s</data><data key="l">2 us</data></edge>
    <edge source="a" target="c"><data key="b">45 GB/s</data><data key="l">1 us</data></edge>
  </graph>
</graphml>
)";

// A graph in a folder, beside a scenario that names it.
class GraphMachine : public testing::Test {
 protected:
  GraphMachine() { std::ofstream(folder_ / "triangle.graphml") << kTriangle; }

  MachineModel beside(const std::string& text) {
    return build_machine(load_machine(parse_document(text, (folder_ / "scenario.yaml").string()).root));
  }
  test::Scratch folder_;
};

TEST_F(GraphMachine, IsReadFromTheScenariosFolder) {
  const MachineModel m = beside("topology: {graphml: triangle.graphml}");
  EXPECT_EQ(m.wires, Wires::direct);
  EXPECT_EQ(m.shape.chips(), 3u);
  EXPECT_EQ(m.fabric().existing_links(), 6u);
  EXPECT_THAT(axes(m), ElementsAre("X3"));
  EXPECT_EQ(m.link.bandwidth, gigabytes(10));
  EXPECT_EQ(m.link.latency, Time::picoseconds(2'000'000));
  EXPECT_EQ(m.name, "triangle.graphml");
  const std::string absolute = (folder_ / "triangle.graphml").string();
  EXPECT_EQ(from_spec("graphml:" + absolute).shape.chips(), 3u);
  EXPECT_EQ(machine("topology: {graphml: " + absolute + "}").shape.chips(), 3u);
}

TEST_F(GraphMachine, LinksAreInTheFile) {
  const std::string graph = "topology: {graphml: triangle.graphml}\n";
  EXPECT_EQ(beside(graph + "overrides: {link_efficiency: 50%}").link.bandwidth, gigabytes(5));
  EXPECT_THAT(error_of([&] { beside(graph + "overrides: {link_bandwidth: 1 GB/s}"); }),
              HasSubstr("scenario.yaml:2:29: the links of a graph are in its file; got link_bandwidth"));
  EXPECT_THAT(error_of([&] { beside("topology: {graphml: circle.graphml}"); }),
              HasSubstr("scenario.yaml:1:21: the GraphML file cannot be read; got"));
  EXPECT_THAT(error_of([&] { beside("topology: {graphml: .}"); }), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace hopsim
