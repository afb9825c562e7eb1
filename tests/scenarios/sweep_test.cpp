#include "scenarios/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/set.hpp"
#include "scenarios/sweep_json.hpp"
#include "scenarios/sweep_values.hpp"
#include "tests/scenarios/reading.hpp"

namespace hopsim {
namespace {

using test::error_of;
using test::kFile;
using ::testing::ElementsAre;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

// The sweep's keys begin at line 8.
constexpr const char* kBase =
    "machine: {chip: tpu_v5e, slice: 4x4, mesh: {X: 4, Y: 4}}\n"
    "dims: {E: 64, F: 8}\n"
    "program:\n"
    "  - {all_gather: {axis: X, bytes: 1 MiB}}\n"
    "  - {compute: {time: 5 us}}\n"
    "expect: [{step: 2, time: 5 us}]\n"
    "sweep:\n";

Sweep sweep(const std::string& text) { return Sweep(parse_document(kBase + text, kFile)); }
std::string refusal(const std::string& text) {
  return error_of([&] { sweep(text); });
}

std::vector<std::string> names(const Sweep& s) {
  std::vector<std::string> all;
  for (std::size_t p = 0; p < s.points(); ++p) {
    std::string name;
    for (std::size_t k = 0; k < s.keys().size(); ++k) name += (k ? " " : "") + flow_text(s.value(p, k));
    all.push_back(name);
  }
  return all;
}

TEST(Sweep, IsAGridInTheOrderOfTheFileTheLastKeyFastest) {
  const Sweep s = sweep("  machine.slice: [4x4, 8x8]\n  program.0.all_gather.bytes: 1 KiB .. 4 KiB * 2\n");
  EXPECT_THAT(names(s), ElementsAre("4x4 1 KiB", "4x4 2 KiB", "4x4 4 KiB", "8x8 1 KiB", "8x8 2 KiB", "8x8 4 KiB"));
  EXPECT_EQ(s.grid_points(), 6u);
}

TEST(Sweep, APointIsTheDocumentWithItsValues) {
  const Sweep s = sweep("  machine.slice: [4x4, 8x8]\n  dims.E: [64, 128]\n  program.0.all_gather.chunks: [2]\n");
  const Document d = s.document(3);
  EXPECT_EQ(d.root.find("sweep"), nullptr);
  EXPECT_EQ(value_at(d, "machine.slice")->text, "8x8");
  EXPECT_EQ(value_at(d, "machine.slice")->place.str(), "f.yaml:8:24");
  EXPECT_EQ(value_at(d, "dims.E")->text, "128");
  EXPECT_EQ(value_at(d, "dims.F")->text, "8");
  EXPECT_EQ(value_at(d, "program.0.all_gather.chunks")->text, "2");  // a key the base does not have
  EXPECT_EQ(value_at(d, "program.1.compute.time")->text, "5 us");
}

TEST(Sweep, KeysOfAZipMoveTogether) {
  const char* const wanted[] = {"4x4 {X: 16} 1", "4x4 {X: 16} 2", "8x4 {X: 8, Y: 4} 1", "8x4 {X: 8, Y: 4} 2"};
  for (const char* zip :
       {"  zip: {machine.slice: [4x4, 8x4], machine.mesh: [{X: 16}, {X: 8, Y: 4}]}\n  dims.E: 1 .. 2\n",
        "  zip:\n    - {machine.slice: [4x4, 8x4], machine.mesh: [{X: 16}, {X: 8, Y: 4}]}\n"
        "  dims.E: 1 .. 2\n",
        "  machine.slice: [4x4, 8x4]\n  dims.E: 1 .. 2\n  machine.mesh: [{X: 16}, {X: 8, Y: 4}]\n"
        "  zip: [machine.slice, machine.mesh]\n",
        "  machine.slice: [4x4, 8x4]\n  dims.E: 1 .. 2\n  machine.mesh: [{X: 16}, {X: 8, Y: 4}]\n"
        "  zip: [[machine.slice, machine.mesh]]\n"}) {
    const Sweep s = sweep(zip);
    EXPECT_THAT(names(s), testing::ElementsAreArray(wanted)) << zip;
    EXPECT_EQ(SweepJson(s).zip().dump(), R"([["machine.slice","machine.mesh"]])");
  }
}

TEST(Sweep, SeveralZips) {
  EXPECT_THAT(names(sweep("  zip:\n    - {dims.E: [1, 2], dims.F: [3, 4]}\n"
                          "    - {machine.slice: [4x4, 8x4], machine.ideal: [true, false]}\n")),
              ElementsAre("1 3 4x4 true", "1 3 8x4 false", "2 4 4x4 true", "2 4 8x4 false"));
}

TEST(Sweep, WhereKeepsPoints) {
  EXPECT_THAT(names(sweep("  machine.slice: [4x4, 2x8, 8x8]\n  where: machine.slice.chips == 16\n")),
              ElementsAre("4x4", "2x8"));
  EXPECT_THAT(names(sweep("  machine.mesh.X: [1, 2, 4, 8, 16]\n  machine.mesh.Y: [1, 2, 4, 8, 16]\n"
                          "  where: machine.mesh.X * machine.mesh.Y == 16 and machine.mesh.X >= machine.mesh.Y\n")),
              ElementsAre("4 4", "8 2", "16 1"));
  const Sweep s = sweep("  machine.slice: all 2-D shapes of 64 chips\n  where: [machine.slice.min > 1]\n");
  EXPECT_THAT(names(s), ElementsAre("2x32", "4x16", "8x8"));
  EXPECT_EQ(s.grid_points(), 4u);
  EXPECT_EQ(value_at(s.document(2), "machine.slice")->text, "8x8");
}

TEST(Sweep, WhereComparesQuantitiesAndText) {
  const auto kept = [](const std::string& where) {
    return names(sweep("  program.0.all_gather.bytes: [512 KiB, 1 MiB, 2 MB]\n  where: " + where + "\n"));
  };
  EXPECT_THAT(kept("program.0.all_gather.bytes >= 1024 KiB"), ElementsAre("1 MiB", "2 MB"));
  EXPECT_THAT(kept("program.0.all_gather.bytes != 1024 KiB"), ElementsAre("512 KiB", "2 MB"));
  EXPECT_THAT(kept("program.0.all_gather.bytes * 2 < 2 MB"), ElementsAre("512 KiB"));
  EXPECT_THAT(kept("program.0.all_gather.bytes < dims.E * 10 kB and machine.chip == tpu_v5e"),
              ElementsAre("512 KiB"));
  EXPECT_THAT(kept("program.0.all_gather.bytes <= 1 MiB"), ElementsAre("512 KiB", "1 MiB"));
  EXPECT_THAT(kept("program.0.all_gather.bytes < 1 MiB"), ElementsAre("512 KiB"));
  EXPECT_THAT(kept("program.0.all_gather.bytes > 1 MiB"), ElementsAre("2 MB"));
  EXPECT_THAT(kept("machine.slice != '4x8'").size(), 3u);
  EXPECT_THAT(kept("[machine.slice.dimensions == 2, machine.slice.max < 5, dims.F == 8]").size(), 3u);
}

// A time expected of the base point says nothing of others.
TEST(Sweep, OnlyTheBasePointIsHeldAgainstWhatTheFileExpects) {
  const Sweep s = sweep("  program.0.all_gather.bytes: [512 KiB, 1024 KiB]\n");
  EXPECT_FALSE(s.expects(0));
  EXPECT_EQ(s.document(0).root.find("expect"), nullptr);
  EXPECT_TRUE(s.expects(1));
  EXPECT_NE(s.document(1).root.find("expect"), nullptr);
  const Sweep each = sweep("  zip: {program.1.compute.time: [1 us, 2 us], expect.0.time: [1 us, 2 us]}\n");
  EXPECT_TRUE(each.expects(0));
  EXPECT_EQ(value_at(each.document(1), "expect.0.time")->text, "2 us");
}

TEST(Sweep, AsJson) {
  const Sweep s = sweep(
      "  machine.slice: [4x4, 8x8]\n  program.0.all_gather.bytes: [1 KiB, 1 MB]\n  machine.mesh: [{X: 4, Y: [x, "
      "y]}]\n"
      "  machine.ideal: [true]\n  program.1.compute.time: [5 us]\n  machine.overrides.link_efficiency: [95%, 0.5]\n");
  EXPECT_EQ(SweepJson(s).parameters(2).dump(),
            R"({"machine.slice":"4x4","program.0.all_gather.bytes":1000000,"machine.mesh":{"X":4,"Y":["x","y"]},)"
            R"("machine.ideal":true,"program.1.compute.time":5e-06,"machine.overrides.link_efficiency":0.95})");
  EXPECT_EQ(SweepJson(s).axes()["program.0.all_gather.bytes"].dump(), "[1024,1000000]");
  // One kind on all of an axis: sizes and shapes are not mixed up.
  EXPECT_EQ(SweepJson(sweep("  machine.slice: [16, 4x4]\n")).axes()["machine.slice"].dump(), R"(["16","4x4"])");
}

TEST(Sweep, BadOnesAreRefusedWithTheirPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"  {}\n", "f.yaml:8:3: an empty sweep; got no key; valid: dotted keys, such as machine.slice: "},
      {"  where: dims.E == 1\n", "f.yaml:8:3: an empty sweep"},
      {"  [1, 2]\n", "f.yaml:8:3: sweep must be a map"},
      {"  machine.slice: []\n", "f.yaml:8:18: machine.slice has no values"},
      {"  machine.slce: [4x4, 8x8]\n", "f.yaml:8:3: unknown key in machine (did you mean slice?); got slce; valid: "},
      {"  slice: [4x4, 8x8]\n", "f.yaml:8:3: unknown key in a scenario; got slice; valid: "},
      {"  program.0.all_gather.byts: [1 KiB]\n", "f.yaml:8:3: unknown key in"},
      {"  program.0.bits: [1 KiB]\n", "f.yaml:8:3: unknown key"},
      {"  program.2.all_gather.bytes: [1 KiB]\n", "f.yaml:8:3: program has no such item; got 2; valid: 0 to 1"},
      {"  program.00.all_gather.bytes: [1 KiB]\n", "f.yaml:8:3: program has no such item; got 00"},
      {"  machine.slice.x: [4]\n", "f.yaml:8:3: machine.slice is a value: nothing is below it"},
      {"  dims.Q: [4]\n", "f.yaml:8:3: unknown dimension of dims; got Q; valid: E, F"},
      {"  machine..slice: [4]\n", "f.yaml:8:3: an empty name in a key of a sweep; got machine..slice"},
      {"  sweep.a: [4]\n", "f.yaml:8:3: a sweep cannot vary itself"},
      {"  dims.E: [4]\n  dims.E: [8]\n", "f.yaml:9:3: a key given twice, first at line 8, column 3"},
      {"  dims.E: [4]\n  zip: {dims.E: [8], dims.F: [8]}\n",
       "f.yaml:9:9: a key given twice, first at line 8, column 3; got dims.E"},
      {"  machine.slice: [4x4]\n  machine: [{chip: tpu_v5e, slice: 4x4}]\n",
       "f.yaml:9:3: the key overwrites machine.slice; got machine; valid: the outer key first"},
      {"  zip: {dims.E: [1, 2], dims.F: [3]}\n",
       "f.yaml:8:25: keys that move together need as many values each; got dims.F with 1; valid: 2, as dims.E has"},
      {"  zip: []\n", "f.yaml:8:8: zip has no keys"},
      {"  zip: [{}]\n", "f.yaml:8:9: zip has no keys"},
      {"  zip: 5\n", "f.yaml:8:8: zip must be a list"},
      {"  dims.E: [1]\n  zip: [dims.E, dims.F]\n", "f.yaml:9:17: zip names no key of the sweep"},
      {"  dims.E: [1]\n  zip: [dims.E]\n", "f.yaml:9:8: zip needs two keys"},
      {"  dims.E: [1]\n  zip: [dims.E, dims.E]\n", "f.yaml:9:17: a key given twice"},
      {"  dims.E: [1, 2]\n  dims.F: [1]\n  zip: [dims.E, dims.F]\n", "f.yaml:9:3: keys that move together"},
      {"  dims.E: 1 .. 1000\n  dims.F: 1 .. 1000\n",
       "f.yaml:8:3: a sweep of too many points; got 1000 x 1000 = 1000000; valid: at most 100000 points: larger "
       "steps, or zip; or --yes"},
      {"  dims.E: [1]\n  where: dims.E > 1\n",
       "f.yaml:9:10: where leaves no point of 1; valid: conditions that some point meets"},
      {"  dims.E: [1]\n  where: []\n", "f.yaml:9:10: where has no condition"},
      {"  dims.E: [1]\n  where:\n", "f.yaml:9:3: where has no value"},
      {"  dims.E: [1]\n  where: dims.E\n", "f.yaml:9:10: a condition compares: one of == != < <= > >=; got dims.E"},
      {"  dims.E: [1]\n  where: dims.E = 1\n", "f.yaml:9:10: a condition compares"},
      {"  dims.E: [1]\n  where: dims.E === 1\n", "f.yaml:9:10: more than one comparison"},
      {"  dims.E: [1]\n  where: 1 < dims.E < 3\n", "f.yaml:9:10: more than one comparison"},
      {"  dims.E: [1]\n  where: 1 < dims.E\n", "f.yaml:9:10: a condition begins with a key"},
      {"  dims.E: [1]\n  where: dims.E < 5 and \n", "f.yaml:9:10: "},
      {"  dims.E: [1]\n  where: 'dims.E <'\n", "f.yaml:9:19: a side of a comparison is missing"},
      {"  dims.E: [1]\n  where: dims.E < 5 and dims.Q < 3\n",
       "f.yaml:9:25: the scenario has no such value; got dims.Q; valid: a dotted key; of a shape also .chips"},
      {"  dims.E: [1]\n  where: machine.chip.chips == 3\n", "f.yaml:9:10: a bad size in a shape"},
      {"  dims.E: [1]\n  where: machine.mesh == 3\n", "f.yaml:9:10: not one value"},
      {"  dims.E: [1]\n  where: dims.E < 1 MiB\n",
       "f.yaml:9:10: a number against a size; got 1 < 1 MiB; valid: two of a kind"},
      {"  dims.E: [1]\n  where: machine.slice < 4x4\n", "f.yaml:9:10: only numbers are larger or smaller"},
      {"  dims.E: [1]\n  where: dims.E * machine.chip == 3\n", "f.yaml:9:19: a product is of numbers; got tpu_v5e"},
      {"  dims.E: [1]\n  where: dims.E == 'a\n", "f.yaml:9:"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(refusal(text), StartsWith(message)) << text;
  EXPECT_THAT(error_of([] { Sweep(parse_document("machine: {}\nprogram: [barrier]\n", kFile)); }),
              StartsWith("f.yaml:1:1: the scenario has no sweep; valid: sweep: {machine.slice"));
}

TEST(Sweep, AHugeGridWhereItIsAskedFor) {
  const Sweep s(parse_document(kBase + std::string("  dims.E: 1 .. 1000\n  dims.F: 1 .. 1000\n"), kFile), 1'000'000);
  EXPECT_EQ(s.points(), 1'000'000u);
  EXPECT_EQ(s.value(123'456, 0).text, "124");
  EXPECT_EQ(s.value(123'456, 1).text, "457");
}

// What one point's values make wrong is for that point to say.
TEST(Sweep, BadValuesAreThePoints) {
  EXPECT_EQ(sweep("  machine.slice: [4x4, none]\n").points(), 2u);
  EXPECT_EQ(sweep("  machine.slice: [none, 4x4]\n").points(), 2u);
}

TEST(Sweep, ItsShapeIsCheckedByWhoeverReadsTheScenario) {
  EXPECT_THAT(error_of([] { test::scenario(std::string(kBase) + "  machine.slice: 4x4\n"); }),
              StartsWith("f.yaml:8:18: machine.slice needs a list or a range"));
}

}  // namespace
}  // namespace hopsim
