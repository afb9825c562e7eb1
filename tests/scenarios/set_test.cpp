#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/reading.hpp"

namespace hopsim {
namespace {

using test::error_of;
using test::kFile;
using ::testing::StartsWith;

constexpr const char* kText =
    "machine: {chip: tpu_v5e, slice: 8x4}\nprogram:\n  - {all_gather: {axis: X, bytes: 1 MiB}}\n  - A = B\nempty:\n";

Document with(const std::string& assignment) {
  Document document = parse_document(kText, kFile);
  apply_set(document, assignment);
  return document;
}

TEST(Set, ReplacesAValue) {
  const Document d = with("program.0.all_gather.bytes=1 KiB");
  const YamlValue& bytes = *d.root.find("program")->items[0].find("all_gather")->find("bytes");
  EXPECT_EQ(bytes.text, "1 KiB");
  EXPECT_EQ(bytes.place.str(), "--set program.0.all_gather.bytes:1:1");
  EXPECT_EQ(bytes.key_place.str(), "f.yaml:3:28");
  EXPECT_EQ(d.root.find("machine")->find("slice")->text, "8x4");
}

TEST(Set, TakesMapsListsAndNotation) {
  EXPECT_EQ(with("machine.mesh={X: 8, Y: 4}").root.find("machine")->find("mesh")->find("Y")->text, "4");
  EXPECT_EQ(with("machine.wrap=[true, false]").root.find("machine")->find("wrap")->items.size(), 2u);
  EXPECT_EQ(with("program.1=A[E] = AllGather_Y(A[E_Y])").root.find("program")->items[1].text,
            "A[E] = AllGather_Y(A[E_Y])");
  EXPECT_EQ(with("name=a=b").root.find("name")->text, "a=b");
}

TEST(Set, MakesMissingKeys) {
  const Document d = with("machine.overrides.hop_latency=2 us");
  EXPECT_EQ(d.root.find("machine")->find("overrides")->find("hop_latency")->text, "2 us");
  EXPECT_EQ(with("empty.a.b=1").root.find("empty")->find("a")->find("b")->text, "1");
  Document fresh = empty_document("<flags>");
  apply_set(fresh, "machine.chip=tpu_v5p");
  EXPECT_EQ(fresh.root.find("machine")->find("chip")->text, "tpu_v5p");
}

TEST(Set, RefusesBadPathsAndValues) {
  const std::pair<const char*, const char*> cases[] = {
      {"machine.slice", "--set needs KEY=VALUE; got machine.slice"},
      {"=5", "--set needs KEY=VALUE"},
      {"machine..slice=8", "--set machine..slice:1:1: an empty name in the path"},
      {"machine.chip.x=8", "--set machine.chip.x:1:1: machine.chip is a value: nothing is below it; got tpu_v5e"},
      {"program.2.do=x", "--set program.2.do:1:1: program has no such item; got 2; valid: 0 to 1"},
      {"program.x=1", "--set program.x:1:1: program has no such item; got x; valid: 0 to 1"},
      {"program.-1=1", "--set program.-1:1:1: program has no such item"},
      {"program.1.do=x", "--set program.1.do:1:1: program.1 is a value"},
      {"name=", "--set name:1:1: there is nothing here"},
      {"name=[1, 2", "--set name:1:1: YAML syntax: end of sequence flow not found"},
      {"name={a: 1, a: 2}", "--set name:1:8: a key given twice"},
      {"name=*x", "--set name:1:1: aliases are not allowed"},
  };
  for (const auto& [assignment, message] : cases) {
    EXPECT_THAT(error_of([&] { with(assignment); }), StartsWith(message)) << assignment;
  }
}

TEST(Set, AnErrorInTheValueNamesTheFlag) {
  EXPECT_THAT(error_of([] { load_machine(*with("machine.slce=8x8").root.find("machine")); }),
              StartsWith("--set machine.slce:1:1: unknown key in machine (did you mean slice?); got slce"));
}

}  // namespace
}  // namespace hopsim
