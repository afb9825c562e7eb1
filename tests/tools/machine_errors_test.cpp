// The real program: what it says about machines that cannot be.
#include <gmock/gmock.h>

#include "tests/tools/program.hpp"

namespace hopsim::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Of `hopsim run` on a file with this machine: exit code 2, one message, nothing on standard output.
std::string refusal(const Scratch& folder, const std::string& machine) {
  const auto file = write(folder / "s.yaml", "machine:\n" + machine + "program: [{all_gather: {bytes: 1 KiB}}]\n");
  const Finished f = hopsim({"run", file.string()});
  EXPECT_EQ(f.code, 2) << machine;
  EXPECT_EQ(f.out, "") << machine;
  const std::string start = "hopsim: " + file.string() + ":";
  EXPECT_THAT(f.err, StartsWith(start)) << machine;
  return f.err.substr(std::min(start.size(), f.err.size()));
}

std::string graph(const std::string& inside) {
  return "<?xml version=\"1.0\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
         "<key id=\"b\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"string\"/>\n"
         "<key id=\"l\" for=\"edge\" attr.name=\"latency\" attr.type=\"string\"/>\n"
         "<graph edgedefault=\"undirected\">\n" +
         inside + "</graph>\n</graphml>\n";
}
std::string edge(const std::string& from, const std::string& to, const std::string& bandwidth = "1 GB/s") {
  const std::string rate = bandwidth.empty() ? "" : "<data key=\"b\">" + bandwidth + "</data>";
  return "<edge source=\"" + from + "\" target=\"" + to + "\">" + rate + "<data key=\"l\">1 us</data></edge>\n";
}
const std::string kNodes = "<node id=\"a\"/><node id=\"b\"/><node id=\"c\"/><node id=\"d\"/>\n";

std::string graph_refusal(const std::string& text) {
  const Scratch folder;
  write(folder / "g.graphml", text);
  return refusal(folder, "  topology: {graphml: g.graphml}\n");
}

TEST(MachineErrors, OfGraphs) {
  EXPECT_THAT(graph_refusal(graph(kNodes + edge("a", "b") + edge("b", "c", ""))),
              AllOf(StartsWith("2:23: "), HasSubstr("bandwidth"), HasSubstr("b")));
  EXPECT_THAT(graph_refusal(graph(kNodes + edge("a", "b", "fast"))), HasSubstr("fast"));
  EXPECT_THAT(graph_refusal(graph(kNodes + edge("a", "b") + edge("c", "d"))), HasSubstr("no way"));
  EXPECT_THAT(graph_refusal(graph(kNodes + edge("a", "a") + edge("a", "b"))), HasSubstr("itself"));
  EXPECT_THAT(graph_refusal(graph("")), StartsWith("2:23: "));
  EXPECT_THAT(graph_refusal("no graph at all"), StartsWith("2:23: "));
  EXPECT_THAT(graph_refusal(""), StartsWith("2:23: "));
  const Scratch folder;
  EXPECT_THAT(refusal(folder, "  topology: {graphml: none.graphml}\n"), HasSubstr("cannot be read"));
}

// 10 million edges are some 600 MB; the size alone is enough to refuse them.
TEST(MachineErrors, OfAHugeGraph) {
  const Scratch folder;
  const auto file = write(folder / "g.graphml", graph(kNodes + edge("a", "b")));
  std::filesystem::resize_file(file, 600'000'000);
  EXPECT_THAT(refusal(folder, "  topology: {graphml: g.graphml}\n"),
              AllOf(StartsWith("2:23: "), HasSubstr("too large")));
}

TEST(MachineErrors, OfShapes) {
  const Scratch folder;
  EXPECT_THAT(refusal(folder, "  chip: tpu_v5p\n  slice: 4x4x6\n  twist: true\n"),
              StartsWith("4:10: a torus of this shape has no twist; got 4x4x6; valid: k x k x 2k or k x 2k x 2k"));
  EXPECT_THAT(
      refusal(folder, "  topology: {kind: twisted_torus, shape: 8x8}\n  link: {bandwidth: 1 GB/s, latency: 1 us}\n"),
      StartsWith("2:42: a torus of this shape has no twist; got 8x8"));
  EXPECT_THAT(refusal(folder, "  chip: h100_sxm\n  slice: 4x9\n"),
              StartsWith("3:10: more GPUs than a node of h100_sxm holds; got 4x9"));
  EXPECT_THAT(refusal(folder, "  chip: h100_smx\n  slice: 8\n"), HasSubstr("did you mean h100_sxm?"));
  EXPECT_THAT(refusal(folder, "  chip: h100_sxm\n  slice: 3x8\n  mesh: {X: 2, Y: 12}\n"),
              StartsWith("4:9: an axis of the mesh would take uneven parts of the domains"));
}

// A line cut in two; a GPU without its only link; a link that never was.
TEST(MachineErrors, OfFaults) {
  const Scratch folder;
  EXPECT_THAT(refusal(folder, "  chip: tpu_v5e\n  slice: 4\n  faults: [{link: [1, 2], down: true}]\n"),
              AllOf(StartsWith("4:12: the machine falls apart"), HasSubstr("cut off: ")));
  EXPECT_THAT(refusal(folder, "  chip: h100_sxm\n  slice: 8\n  faults: [{link: [3, 8], down: true}]\n"),
              AllOf(StartsWith("4:12: the machine falls apart"), HasSubstr("cut off: chip 3")));
  EXPECT_THAT(refusal(folder, "  chip: tpu_v5e\n  slice: 4x4\n  faults: [{link: [0, 2], down: true}]\n"),
              StartsWith("4:12: no link leads from chip 0 (0,0) to chip 2 (0,2)"));
}

}  // namespace
}  // namespace hopsim::test
