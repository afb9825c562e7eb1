#include "scenarios/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/reading.hpp"

namespace hopsim {
namespace {

using test::error_of;
using test::yaml;
using ::testing::ElementsAre;
using ::testing::StartsWith;

ProgramStep step(const std::string& text) { return load_program(yaml("- " + text + "\n")).at(0); }
CollectiveStep collective(const std::string& text) { return std::get<CollectiveStep>(step(text).action); }

TEST(Program, ALineOfNotationIsKept) {
  const ProgramStep s = step("A[E, F] = AllGather_Y(A[E_Y, F])");
  EXPECT_EQ(s.kind, "notation");
  const auto& notation = std::get<NotationStep>(s.action);
  EXPECT_EQ(notation.text.value, "A[E, F] = AllGather_Y(A[E_Y, F])");
  EXPECT_EQ(notation.source.place_of(10).str(), "f.yaml:1:13");
}

TEST(Program, NotationWithOptions) {
  const ProgramStep s = step("{do: \"A = B\", schedule: book, chunks: 4}");
  EXPECT_EQ(s.kind, "do");
  const auto& notation = std::get<NotationStep>(s.action);
  EXPECT_EQ(notation.text.value, "A = B");
  EXPECT_EQ(notation.options.schedule->value, StepSchedule::book);
  EXPECT_EQ(notation.options.chunks->value, 4);
  const ProgramStep m = step("{matmul: \"C = A * B\", overlap: collective_matmul, plan: gather}");
  EXPECT_EQ(m.kind, "matmul");
  EXPECT_TRUE(std::get<NotationStep>(m.action).matmul);
  EXPECT_EQ(std::get<NotationStep>(m.action).options.overlap->value, "collective_matmul");
  EXPECT_EQ(std::get<NotationStep>(m.action).options.plan->value, "gather");
}

TEST(Program, CollectiveOptionsInsideOrBeside) {
  for (const char* text : {"{all_reduce: {axis: X, bytes: 32 MiB}, algorithm: ring, chunks: 4}",
                           "{all_reduce: {axis: X, bytes: 32 MiB, algorithm: ring, chunks: 4}}",
                           "{chunks: 4, all_reduce: {axis: X, bytes: 32 MiB, algorithm: ring}}",
                           "{psum: {axis: X, bytes: 32 MiB}, algorithm: ring, chunks: 4}"}) {
    const ProgramStep s = step(text);
    EXPECT_EQ(s.kind, "all_reduce");
    const auto& c = std::get<CollectiveStep>(s.action);
    EXPECT_EQ(c.operation, "all_reduce");
    EXPECT_EQ(c.axis->text, "X");
    EXPECT_EQ(c.bytes.value.count(), 33'554'432u);
    EXPECT_EQ(c.options.algorithm->value, "ring");
    EXPECT_EQ(c.options.chunks->value, 4);
    EXPECT_FALSE(c.options.schedule);
  }
}

TEST(Program, EveryCollectiveIsRead) {
  for (const std::string_view op : collective_operations()) {
    const std::string extra = op == "collective_permute" ? ", shift: -1" : "";
    EXPECT_EQ(collective("{" + std::string(op) + ": {bytes: 1 KiB" + extra + "}}").operation, op);
  }
  EXPECT_EQ(collective("{broadcast: {bytes: 1 B, root: [0, 1]}}").root->coordinates, (std::vector<int>{0, 1}));
  EXPECT_EQ(collective("{reduce: {bytes: 1 B, root: 5}}").root->number, 5);
  EXPECT_EQ(collective("{collective_permute: {axis: X, shift: -1, bytes: 0 B}}").shift->value, -1);
  EXPECT_EQ(collective("{ppermute: {pairs: [[0, 1], [1, 0]], bytes: 1 B}}").pairs.at(1).first.number, 1);
  const CollectiveStep send = collective("{send_recv: {from: [0, 0], to: [3, 3], bytes: 16 MiB}, paths: 1}");
  EXPECT_THAT(send.to->coordinates, ElementsAre(3, 3));
  EXPECT_EQ(send.paths->value, 1);
  EXPECT_EQ(collective("{all_gather: {groups: [[0, 1], [2, 3]], bytes: 1 B}}").groups.at(1).at(0).number, 2);
}

TEST(Program, OtherSteps) {
  EXPECT_EQ(std::get<ComputeStep>(step("compute: {time: 5 us}").action).time->value.ps(), 5'000'000u);
  const auto work = std::get<ComputeStep>(step("{compute: {flops: 1e12, bytes: 1 GB}, dtype: int8}").action);
  EXPECT_EQ(work.flops->value.value(), 1e12);
  EXPECT_EQ(work.bytes->value.count(), 1'000'000'000u);
  EXPECT_EQ(work.dtype->value, DType::int8);
  const auto local = std::get<LocalMatmulStep>(step("matmul: {m: 1024, n: 2048, k: 4}").action);
  EXPECT_EQ(local.n.value, 2048u);
  EXPECT_EQ(std::get<HostLoadStep>(step("host_load: {bytes: 1 GB}").action).bytes.value.count(), 1'000'000'000u);
  const auto parallel =
      std::get<ParallelStep>(step("parallel: [{compute: {time: 1 us}}, A = B, {parallel: [C = D]}]").action);
  ASSERT_EQ(parallel.steps.size(), 3u);
  EXPECT_EQ(parallel.steps[1].kind, "notation");
  EXPECT_EQ(std::get<ParallelStep>(parallel.steps[2].action).steps.size(), 1u);
}

TEST(Program, AxesAreResolvedAgainstTheMesh) {
  const auto axes = [](const std::string& axis, const std::vector<std::string>& mesh) {
    return resolve_axes(*collective("{all_gather: {axis: " + axis + ", bytes: 1 B}}").axis, mesh);
  };
  EXPECT_THAT(axes("X", {"X", "Y"}), ElementsAre("X"));
  EXPECT_THAT(axes("YX", {"X", "Y"}), ElementsAre("Y", "X"));
  EXPECT_THAT(axes("[Y, X]", {"X", "Y"}), ElementsAre("Y", "X"));
  EXPECT_THAT(axes("data", {"data", "model"}), ElementsAre("data"));
  EXPECT_THAT(axes("XY", {"X", "Y", "XY"}), ElementsAre("XY"));
  EXPECT_EQ(error_of([&] {
              axes("XZ", {"X", "Y"});
            }),
            "f.yaml:1:23: unknown axis (did you mean X?); got XZ; valid: X, Y");
  EXPECT_THAT(error_of([&] {
                axes("[X, Q]", {"X", "Y"});
              }),
              StartsWith("f.yaml:1:27: unknown axis; got Q; valid: X, Y"));
  EXPECT_THAT(error_of([&] { axes("XX", {"X", "Y"}); }), StartsWith("f.yaml:1:23: an axis used twice; got X"));
}

struct Bad {
  const char* text;
  const char* message;
};

TEST(Program, RefusesWithThePlace) {
  const Bad cases[] = {
      {"[]", "f.yaml:1:1: a program needs a step"},
      {"x", "f.yaml:1:1: a list item must be a list; got x"},
      {"- \n", "f.yaml:1:1: an empty step"},
      {"- [A]\n", "f.yaml:1:3: a step must be notation or a map; got a list"},
      {"- {}\n", "f.yaml:1:3: a step needs an operation; got {}; valid: all_gather"},
      {"- ''\n", "f.yaml:1:3: a list item is empty; valid: a line of notation"},
      {"- {all_gater: {bytes: 1 B}}\n",
       "f.yaml:1:4: unknown operation (did you mean all_gather?); got all_gater; valid: all_gather, reduce_scatter"},
      {"- {all_gather: {bytes: 1 B}, all_reduce: {bytes: 1 B}}\n",
       "f.yaml:1:30: a step has one operation, and has all_gather already; got all_reduce"},
      {"- {all_gather: {bytes: 1 B}, chunk: 4}\n",
       "f.yaml:1:30: unknown key in all_gather (did you mean chunks?); got chunk; valid: axis, groups, bytes"},
      {"- {all_gather: {bytes: 1 B, chunks: 2}, chunks: 4}\n",
       "f.yaml:1:41: an option both inside and beside all_gather; got chunks"},
      {"- all_gather:\n", "f.yaml:1:3: all_gather has no value"},
      {"- all_gather: 1 KiB\n", "f.yaml:1:15: all_gather must be a map; got 1 KiB"},
      {"- all_gather: {axis: X}\n", "f.yaml:1:15: all_gather needs the key bytes"},
      {"- all_gather: {bytes: 1024}\n", "f.yaml:1:23: bytes: a size needs a unit; got 1024; valid: B, kB"},
      {"- all_gather: {bytes: 3 MX}\n", "f.yaml:1:23: bytes: unknown unit \"MX\" of a size; got 3 MX; valid: B, kB"},
      {"- all_gather: {bytes: -3 MB}\n", "f.yaml:1:23: bytes: a size must not be negative; got -3 MB"},
      {"- all_gather: {bytes: 0 B}\n", "f.yaml:1:23: bytes: a size must not be zero"},
      {"- all_gather: {bytes: .nan}\n", "f.yaml:1:23: bytes: a size must begin with a number; got .nan"},
      {"- all_gather: {bytes: .inf}\n", "f.yaml:1:23: bytes: a size must be finite; got .inf"},
      {"- all_gather: {bytes: 1e30 GiB}\n", "f.yaml:1:23: bytes: a size is too large; got 1e30 GiB"},
      {"- all_gather: {bytes: [1 B]}\n", "f.yaml:1:23: bytes must be one value; got a list"},
      {"- all_gather: {bytes: 1 B, chunks: 0}\n",
       "f.yaml:1:36: chunks: a count is too small; got 0; valid: a whole number from 1"},
      {"- all_gather: {bytes: 1 B, chunks: 1.5}\n", "f.yaml:1:36: chunks: a count must be whole"},
      {"- all_gather: {bytes: 1 B, schedule: bok}\n",
       "f.yaml:1:38: unknown value of schedule (did you mean book?); got bok; valid: optimal, book"},
      {"- all_gather: {bytes: 1 B, root: 5}\n", "f.yaml:1:28: unknown key in all_gather; got root"},
      {"- all_gather: {bytes: 1 B, axis: []}\n", "f.yaml:1:34: axis lists no axis"},
      {"- all_gather: {bytes: 1 B, axis: X, groups: [[0]]}\n",
       "f.yaml:1:37: all_gather cannot have both axis and groups"},
      {"- all_gather: {bytes: 1 B, groups: [0]}\n", "f.yaml:1:37: a list item must be a list; got 0"},
      {"- all_gather: {bytes: 1 B, groups: [[]]}\n", "f.yaml:1:37: a group without chips"},
      {"- broadcast: {bytes: 1 B, root: -1}\n", "f.yaml:1:33: root: a count is too small; got -1"},
      {"- broadcast: {bytes: 1 B, root: []}\n", "f.yaml:1:33: not a chip's coordinates"},
      {"- collective_permute: {bytes: 1 B}\n", "f.yaml:1:23: collective_permute needs a shift or pairs"},
      {"- collective_permute: {bytes: 1 B, shift: 1, pairs: [[0, 1]]}\n",
       "f.yaml:1:46: collective_permute cannot have both shift and pairs"},
      {"- collective_permute: {bytes: 1 B, pairs: [[0]]}\n", "f.yaml:1:44: a pair has two chips; got 1"},
      {"- collective_permute: {bytes: 1 B, shift: x}\n",
       "f.yaml:1:43: shift: a count must begin with a number; got x"},
      {"- send_recv: {bytes: 1 B, from: 0}\n", "f.yaml:1:14: send_recv needs the key to"},
      {"- send_recv: {bytes: 1 B, from: 0, to: 1, axis: X}\n",
       "f.yaml:1:43: send_recv cannot have both axis and from"},
      {"- compute: {}\n", "f.yaml:1:12: compute needs a time, or flops and bytes"},
      {"- compute: {time: 5}\n", "f.yaml:1:19: time: a time needs a unit; got 5; valid: ps"},
      {"- compute: {time: 5 us, flops: 1}\n", "f.yaml:1:25: compute cannot have both time and flops"},
      {"- matmul: {m: 1, n: 1}\n", "f.yaml:1:11: matmul needs the key k"},
      {"- matmul: {m: 0, n: 1, k: 1}\n", "f.yaml:1:15: m: a count is too small"},
      {"- {do: A = B, shedule: book}\n",
       "f.yaml:1:15: unknown key in a step with do (did you mean schedule?); got shedule"},
      {"- do: {a: b}\n", "f.yaml:1:7: do must be one value; got a map; valid: a line of notation"},
      {"- parallel: []\n", "f.yaml:1:13: parallel has no steps"},
      {"- parallel:\n  - {compute: {tme: 1 us}}\n",
       "f.yaml:2:16: unknown key in compute (did you mean time?); got tme"},
      {"- megatron_mlp: {d_model: 1}\n", "f.yaml:1:17: megatron_mlp needs the key d_ff"},
  };
  for (const Bad& c : cases)
    EXPECT_THAT(error_of([&] { load_program(yaml(c.text)); }), StartsWith(c.message)) << c.text;
}

}  // namespace
}  // namespace hopsim
