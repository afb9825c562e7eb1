#include "scenarios/machine_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/reading.hpp"

namespace hopsim {
namespace {

using test::error_of;
using test::yaml;
using ::testing::ElementsAre;
using ::testing::StartsWith;

MachineSpec machine(const std::string& text) { return load_machine(yaml(text)); }
MachineSpec from_flag(const std::string& spec) { return load_machine(machine_from_spec(spec)); }

TEST(MachineSpec, OfAChip) {
  const MachineSpec m = machine(
      "chip: tpu_v5e\nslice: 8x4\nmesh: {X: 8, data: [y]}\nwrap: [false, true]\nslices: 2\ntwist: true\nideal: "
      "true\nlayout: rows\n");
  EXPECT_EQ(m.chip->value, "tpu_v5e");
  EXPECT_EQ(m.chip->place.str(), "f.yaml:1:7");
  EXPECT_THAT(m.slice.value, ElementsAre(8, 4));
  ASSERT_EQ(m.mesh.size(), 2u);
  EXPECT_EQ(m.mesh[0].name.value, "X");
  EXPECT_EQ(m.mesh[0].size, 8);
  EXPECT_EQ(m.mesh[1].dimensions.at(0).value, "y");
  EXPECT_FALSE(m.mesh[1].size);
  EXPECT_THAT(m.wrap->value, ElementsAre(false, true));
  EXPECT_EQ(m.slices->value, 2);
  EXPECT_TRUE(m.twist->value);
  EXPECT_TRUE(m.ideal);
  EXPECT_EQ(m.layout->value, "rows");
  EXPECT_THAT(machine("{chip: a, slice: 8}").slice.value, ElementsAre(8));
  EXPECT_THAT(machine("{chip: a, slice: [4, 4, 4]}").slice.value, ElementsAre(4, 4, 4));
  EXPECT_THAT(machine("{chip: a, slice: 4x4, mesh: {X: y, Y: x}}").mesh[0].dimensions.at(0).value, "y");
}

TEST(MachineSpec, OfATopology) {
  const MachineSpec m = machine(
      "topology: {kind: torus, shape: [8, 4], wrap: [true, false]}\nlink: {bandwidth: 45 GB/s, latency: 1 us}\n");
  EXPECT_EQ(m.topology->kind, TopologyKind::torus);
  EXPECT_THAT(m.shape(), ElementsAre(8, 4));
  EXPECT_THAT(m.topology->wrap->value, ElementsAre(true, false));
  EXPECT_EQ(m.link->bandwidth.value.bytes_per_second(), 45'000'000'000u);
  EXPECT_EQ(m.link->latency.value.ps(), 1'000'000u);
  EXPECT_EQ(machine("topology: {graphml: a.graphml}").topology->graphml->value, "a.graphml");
  const std::string link = ", link: {bandwidth: 45 GB/s, latency: 1 us}}";
  EXPECT_TRUE(machine("{topology: {kind: switch, shape: 8, nvls: true}" + link).topology->nvls->value);
  EXPECT_FALSE(machine("{topology: {kind: switch, shape: 8}" + link).topology->nvls);
}

TEST(MachineSpec, RoutingAndJitter) {
  const MachineSpec m = machine("{chip: a, slice: 4, routing: minimal, jitter: {delay: 200 ns, seed: 7}}");
  EXPECT_EQ(m.routing->value, "minimal");
  EXPECT_EQ(m.jitter->delay.value.ps(), 200'000u);
  EXPECT_EQ(m.jitter->seed, 7u);
  EXPECT_EQ(machine("{chip: a, slice: 4, jitter: {delay: 1 us}}").jitter->seed, 1u);
}

TEST(MachineSpec, OverridesAreCheckedAndKept) {
  const MachineSpec m = machine(
      "chip: a\nslice: 4\noverrides:\n  peak_flops: {bf16: 459 TFLOP/s, int8: 918 TOPS}\n  hop_latency: 2 us\n"
      "  flops_efficiency: 0.9\n  hbm_capacity: 95 GB\n");
  ASSERT_EQ(m.overrides.size(), 5u);
  EXPECT_EQ(m.overrides[0].key, "peak_flops.bf16");
  EXPECT_EQ(m.overrides[0].text, "459 TFLOP/s");
  EXPECT_EQ(m.overrides[0].place.str(), "f.yaml:4:22");
  EXPECT_EQ(m.overrides[1].key, "peak_flops.int8");
  EXPECT_EQ(m.overrides[2].key, "hop_latency");
  EXPECT_EQ(machine("{chip: a, slice: 4, overrides: {peak_flops: 1 TFLOP/s}}").overrides[0].key, "peak_flops");
}

TEST(MachineSpec, Faults) {
  const MachineSpec m = machine(
      "chip: a\nslice: 4x4\nfaults: [{link: [0, [0, 1]], down: true, one_way: true}, {link: [3, 4], bandwidth: 50%}, "
      "{link: [3, 4], bandwidth: 1 GB/s}, {chip: 7, speed: 80%}]\n");
  ASSERT_EQ(m.faults.size(), 4u);
  EXPECT_TRUE(m.faults[0].down && m.faults[0].one_way);
  EXPECT_TRUE(m.faults[0].link[0].by_number());
  EXPECT_THAT(m.faults[0].link[1].coordinates, ElementsAre(0, 1));
  EXPECT_EQ(*m.faults[1].bandwidth_share, (Ratio{1, 2}));
  EXPECT_EQ(m.faults[2].bandwidth->value.bytes_per_second(), 1'000'000'000u);
  EXPECT_EQ(*m.faults[3].speed, (Ratio{4, 5}));
}

struct Bad {
  const char* text;
  const char* message;
};

TEST(MachineSpec, RefusesWithThePlace) {
  const Bad cases[] = {
      {"chip: a\nslice: 0x4\n",
       "f.yaml:2:8: slice: a bad size in a shape; got 0x4; valid: sizes of 1 to 32767, such as 8x4"},
      {"chip: a\nslice: -8\n", "f.yaml:2:8: slice: a bad size in a shape; got -8"},
      {"chip: a\nslice: 8x\n", "f.yaml:2:8: slice: a bad size"},
      {"chip: a\nslice: 1x2x3x4x5\n", "f.yaml:2:8: slice: a shape of too many dimensions"},
      {"chip: a\nslice: 40000\n", "f.yaml:2:8: slice: a bad size"},
      {"chip: a\nslice: 9999x9999\n", "f.yaml:2:8: slice: too many chips; got 9999x9999"},
      {"chip: a\nslice: [8, 0]\n", "f.yaml:2:8: slice: a bad size in a shape; got 8x0"},
      {"chip: a\n", "f.yaml:1:1: machine needs the key slice"},
      {"slice: 8x4\n", "f.yaml:1:1: machine needs a chip or a topology"},
      {"chip:\nslice: 8x4\n", "f.yaml:1:1: chip has no value"},
      {"chip: a\nslice: 8\nmash: {X: 8}\n",
       "f.yaml:3:1: unknown key in machine (did you mean mesh?); got mash; valid: chip, slice, mesh"},
      {"chip: a\ntopology: {kind: ring}\n", "f.yaml:2:1: machine cannot have both chip and topology"},
      {"chip: a\nslice: 8\nmesh: {X: 0}\n", "f.yaml:3:11: X: a count is too small; got 0"},
      {"chip: a\nslice: 8\nmesh: {X: []}\n", "f.yaml:3:11: an axis of no dimensions"},
      {"chip: a\nslice: 8\nmesh: {1X: 8}\n", "f.yaml:3:8: not a name for a mesh axis; got 1X"},
      {"chip: a\nslice: 8\nmesh: {}\n", "f.yaml:3:7: a mesh needs an axis"},
      {"chip: a\nslice: 8\nmesh: 8\n", "f.yaml:3:7: mesh must be a map; got 8"},
      {"chip: a\nslice: 8x4\nwrap: [true]\n",
       "f.yaml:3:7: wrap needs one value a dimension; got 1 values; valid: 2 values"},
      {"chip: a\nslice: 8\nwrap: [maybe]\n",
       "f.yaml:3:8: unknown value of a list item; got maybe; valid: true, false"},
      {"chip: a\nslice: 8\nideal: yes\n", "f.yaml:3:8: unknown value of ideal; got yes; valid: true, false"},
      {"chip: a\nslice: 8\nslices: 0\n", "f.yaml:3:9: slices: a count is too small"},
      {"chip: a\nslice: 8\nlink: {bandwidth: 1 GB/s}\n", "f.yaml:3:1: link is for a topology"},
      {"topology: {kind: torus, shape: 8x8}\n", "f.yaml:1:1: machine needs the key link"},
      {"topology: {kind: torus}\nlink: {}\n", "f.yaml:1:11: topology needs the key shape"},
      {"topology: {kind: tours, shape: 8}\n",
       "f.yaml:1:18: unknown value of kind (did you mean torus?); got tours; valid: ring, line"},
      {"topology: {kind: ring, shape: 8x8}\n", "f.yaml:1:31: ring has one dimension; got 2 of them"},
      {"topology: {kind: ring, shape: 8, wrap: [true]}\n", "f.yaml:1:34: wrap is for a torus or a mesh"},
      {"topology: {kind: ring, shape: 8}\nwrap: [true]\n", "f.yaml:2:1: wrap is for a chip of the catalogue"},
      {"topology: {graphml: f, nvls: true}\n", "f.yaml:1:24: topology cannot have both graphml and nvls"},
      {"topology: {kind: ring, shape: 8, nvls: true}\n", "f.yaml:1:34: nvls is for a switch; got ring"},
      {"topology: {graphml: f}\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n",
       "f.yaml:2:1: the links of a graph are in its file"},
      {"chip: a\nslice: 8\nrouting: fast\n",
       "f.yaml:3:10: unknown value of routing; got fast; valid: dimension_ordered, rotations, minimal, table"},
      {"chip: a\nslice: 8\njitter: {seed: 7}\n", "f.yaml:3:9: jitter needs the key delay"},
      {"chip: a\nslice: 8\njitter: {delay: 1 us, seed: -1}\n", "f.yaml:3:29: seed: "},
      {"chip: a\nslice: 8\noverrides: {nic_efficiency: 110%}\n",
       "f.yaml:3:29: nic_efficiency: an efficiency above 1"},
      {"chip: a\nslice: 8\noverrides: {network: web}\n", "f.yaml:3:22: network: unknown kind of network; got web"},
      {"topology: {graphml: f, shape: 8}\n", "f.yaml:1:24: topology cannot have both graphml and shape"},
      {"topology: {kind: ring, shape: 8}\nlink: {bandwidth: 45, latency: 1 us}\n",
       "f.yaml:2:19: bandwidth: a bandwidth needs a unit; got 45; valid: B/s"},
      {"topology: {kind: ring, shape: 8}\nlink: {bandwidth: 45 GB/s, latency: -1 us}\n",
       "f.yaml:2:37: latency: a time must not be negative; got -1 us"},
      {"chip: a\nslice: 8\noverrides: {hop_latensy: 1 us}\n",
       "f.yaml:3:13: unknown key in overrides (did you mean hop_latency?); got hop_latensy; valid: peak_flops"},
      {"chip: a\nslice: 8\noverrides: {link_efficiency: 110%}\n",
       "f.yaml:3:30: link_efficiency: an efficiency above 1"},
      {"chip: a\nslice: 8\noverrides: {peak_flops: {bf17: 1 TFLOP/s}}\n",
       "f.yaml:3:26: unknown dtype; got bf17; valid: int4"},
      {"chip: a\nslice: 8\noverrides: {peak_flops: {bf16: 1}}\n", "f.yaml:3:32: bf16: a FLOP rate needs a unit"},
      {"chip: a\nslice: 8\noverrides: {hop_latency: [1]}\n",
       "f.yaml:3:26: hop_latency must be one value; got a list"},
      {"chip: a\nslice: 8\nfaults: [{down: true}]\n", "f.yaml:3:10: a fault needs a link or a chip"},
      {"chip: a\nslice: 8\nfaults: [{link: [0], down: true}]\n", "f.yaml:3:17: a link has two ends"},
      {"chip: a\nslice: 8\nfaults: [{link: [0, 1], speed: 5%}]\n", "f.yaml:3:25: unknown key in a link's fault"},
      {"chip: a\nslice: 8\nfaults: [{chip: 1, speed: 0}]\n", "f.yaml:3:27: speed: a ratio must not be zero"},
      {"chip: a\nslice: 8\nfaults: [{link: [0, 1]}]\n", "f.yaml:3:10: a link's fault needs the key bandwidth"},
      {"[]\n", "f.yaml:1:1: machine must be a map; got a list"},
  };
  for (const Bad& c : cases) EXPECT_THAT(error_of([&] { machine(c.text); }), StartsWith(c.message)) << c.text;
}

TEST(MachineFlag, MeansWhatTheMapMeans) {
  const MachineSpec chip = from_flag("tpu_v5e:8x4");
  EXPECT_EQ(chip.chip->value, "tpu_v5e");
  EXPECT_THAT(chip.slice.value, ElementsAre(8, 4));
  EXPECT_EQ(chip.slice.place.str(), "--machine:1:9");
  const MachineSpec torus = from_flag("torus:8x8,bw=45GB/s,lat=1us");
  EXPECT_EQ(torus.topology->kind, TopologyKind::torus);
  EXPECT_THAT(torus.shape(), ElementsAre(8, 8));
  EXPECT_EQ(torus.link->bandwidth.value.bytes_per_second(), 45'000'000'000u);
  EXPECT_EQ(torus.link->latency.value.ps(), 1'000'000u);
  EXPECT_EQ(from_flag("graphml:a,b:c.graphml").topology->graphml->value, "a,b:c.graphml");
  EXPECT_EQ(from_flag("graphml:a").topology->graphml->place.str(), "--machine:1:9");
  for (const char* kind : {"ring", "line", "mesh", "twisted_torus", "fully_connected", "switch"}) {
    EXPECT_EQ(name(from_flag(std::string(kind) + ":16,lat=500 ns,bw=400Gbit/s").topology->kind), kind);
  }
}

TEST(MachineFlag, RefusesWithTheColumn) {
  const Bad cases[] = {
      {"tpu_v5e", "--machine:1:1: a machine needs a name and a shape; got tpu_v5e; valid: tpu_v5e:8x4"},
      {":8", "--machine:1:1: a machine needs a name"},
      {"", "--machine:1:1: a machine needs a name and a shape; got nothing"},
      {"tpu_v5e:", "--machine:1:9: slice is empty"},
      {"graphml:", "--machine:1:9: graphml is empty"},
      {"tpu_v5e:0x4", "--machine:1:9: slice: a bad size"},
      {"tpu_v5e:8x4,bw=1GB/s", "--machine:1:13: a chip takes no options; got bw=1GB/s"},
      {"ring:16,lat=1us", "--machine:1:16: a topology needs a link bandwidth; valid: as in SPEC,bw=45GB/s"},
      {"ring:16,bw=45GB/s", "--machine:1:18: a topology needs a link latency"},
      {"ring:16,bw=45,lat=1us", "--machine:1:12: bandwidth: a bandwidth needs a unit"},
      {"ring:16,bw,lat=1us", "--machine:1:9: bw needs a value"},
      {"ring:16,bandwidht=1GB/s", "--machine:1:9: unknown option of a topology; got bandwidht; valid: bw, lat"},
      {"ring:16,bw=1GB/s,bw=1GB/s,lat=1us", "--machine:1:18: an option given twice; got bw"},
      {"ring:4x4,bw=1GB/s,lat=1us", "--machine:1:6: ring has one dimension"},
  };
  for (const Bad& c : cases) EXPECT_THAT(error_of([&] { from_flag(c.text); }), StartsWith(c.message)) << c.text;
}

TEST(MachineFlag, ReplacesTheFilesMachine) {
  Document d = parse_document("machine: {chip: a, slice: 4}\nname: x\n", "f.yaml");
  replace_machine(d, machine_from_spec("tpu_v5p:4x4x4"));
  EXPECT_EQ(load_machine(*d.root.find("machine")).chip->value, "tpu_v5p");
  apply_set(d, "machine.slice=8x8x8");
  EXPECT_THAT(load_machine(*d.root.find("machine")).slice.value, ElementsAre(8, 8, 8));
  Document fresh = empty_document("<flags>");
  replace_machine(fresh, machine_from_spec("tpu_v5p:4x4x4"));
  EXPECT_NE(fresh.root.find("machine"), nullptr);
}

}  // namespace
}  // namespace hopsim
