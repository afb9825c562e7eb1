// GraphML read, written and refused; DOT written.
#include "topologies/graphml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

#include "tests/topologies/graphs.hpp"
#include "topologies/faults.hpp"
#include "topologies/networks.hpp"

namespace hopsim {
namespace {

using namespace literals;
using ::testing::AllOf;
using testing::complaint;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kHead = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="t" for="node" attr.name="type" attr.type="string"/>
  <key id="c" for="node" attr.name="colour" attr.type="string"/>
  <key id="b" for="edge" attr.name="bandwidth" attr.type="string"/>
  <key id="l" for="edge" attr.name="latency" attr.type="string"><default>2 us</default></key>
)";

std::string edge(const std::string& from, const std::string& to, const std::string& rate = "45 GB/s") {
  return "<edge source=\"" + from + "\" target=\"" + to + "\"><data key=\"b\">" + rate + "</data></edge>\n";
}
std::string file(const std::string& kind, const std::string& body) {
  return kHead + ("<graph edgedefault=\"" + kind + "\">\n") + body + "</graph></graphml>\n";
}
Topology read(const std::string& text) {
  std::istringstream in(text);
  return read_graphml(in, "machine.graphml");
}
std::string refusal(const std::string& text) {
  return complaint([&] { read(text); });
}

const std::string kThree =
    "<node id=\"a\"/>\n<node id=\"s\"><data key=\"t\">switch</data></node>\n<node id=\"b\"/>\n";

TEST(GraphMl, ReadsChipsSwitchesAndLinksBothWays) {
  const Topology t = read(file("undirected", kThree + edge("a", "s") + edge("s", "b", "400 Gbit/s")));
  EXPECT_EQ(t.shape.chips(), 2u);
  EXPECT_EQ(t.shape.dimensions, 1);
  EXPECT_EQ(t.domain, 2u);
  const Fabric f = freeze(t);
  ASSERT_EQ(f.links.size(), 4u);
  EXPECT_EQ(f.nodes, 3u);
  EXPECT_FALSE(f.grid());
  EXPECT_TRUE(t.graph[2].is_switch);
  EXPECT_EQ(t.graph[2].name, "s");
  EXPECT_EQ(f.links[0].from, 0u);
  EXPECT_EQ(f.links[0].to, 2u);
  EXPECT_EQ(f.links[0].bandwidth, 45_GBps);
  EXPECT_EQ(f.links[1].bandwidth, 50_GBps);
  EXPECT_EQ(f.links[1].latency, 2_us) << "the key's default";
  EXPECT_EQ(testing::way(f, 0, 1).size(), 2u);
}

TEST(GraphMl, ReadsLinksOneWay) {
  const Topology t = read(file("directed", kThree + edge("a", "s") + edge("s", "b") + edge("b", "a", "1 GB/s")));
  EXPECT_EQ(num_edges(t.graph), 3u);
  EXPECT_EQ(testing::way(freeze(t), 0, 1).size(), 2u);
  EXPECT_EQ(testing::way(freeze(t), 1, 0).size(), 1u);
}

void expect_same(const Topology& a, const Topology& b) {
  ASSERT_EQ(num_vertices(a.graph), num_vertices(b.graph));
  ASSERT_EQ(a.shape.chips(), b.shape.chips());
  EXPECT_EQ(a.shape.switches, b.shape.switches);
  const Fabric f = freeze(a, Routing::minimal), g = freeze(b, Routing::minimal);
  ASSERT_EQ(f.links.size(), g.links.size());
  for (std::size_t i = 0; i < f.links.size(); ++i) {
    EXPECT_EQ(f.links[i].from, g.links[i].from);
    EXPECT_EQ(f.links[i].to, g.links[i].to);
    EXPECT_EQ(f.links[i].bandwidth, g.links[i].bandwidth);
    EXPECT_EQ(f.links[i].latency, g.links[i].latency);
  }
  EXPECT_EQ(f.routes, g.routes);
  EXPECT_EQ(f.towards, g.towards);
  for (std::uint32_t n = 0; n < f.nodes; ++n) EXPECT_EQ(a.graph[n].is_switch, b.graph[n].is_switch);
}

// Grids' ports decide between equal ways, and are not written: one without equal ways.
TEST(GraphMl, ReadsWhatItWrites) {
  const LinkModel odd{Bandwidth(42'712'345'678), Time::picoseconds(1'234'567)}, link{45_GBps, 1_us};
  const Shape four = grid_shape({4}, {false});
  const std::vector<Topology> all{
      grid(grid_shape({5}, {true}), odd),
      switched(four, link, true),
      fully_connected(four, odd),
      hybrid_cube_mesh(link),
      cluster(switched(four, link, true), 6, {ClusterNetwork::Kind::rails, odd, 3, 2, link}),
      cluster(hybrid_cube_mesh(link), 2, {.nic = link})};
  for (const Topology& t : all) {
    std::ostringstream out;
    write_graphml(out, t);
    expect_same(t, read(out.str()));
    std::ostringstream again;
    write_graphml(again, read(out.str()));
    std::ostringstream third;
    write_graphml(third, read(again.str()));
    EXPECT_EQ(again.str(), third.str());
  }
}

TEST(GraphMl, EscapesNames) {
  Topology t = switched(grid_shape({2}, {false}), {45_GBps, 1_us}, false);
  t.graph[2].name = "a <\"&'> b";
  std::ostringstream out;
  write_graphml(out, t);
  EXPECT_EQ(read(out.str()).graph[2].name, "a <\"&'> b");
}

TEST(GraphMl, RefusesLinksWithTheirPlace) {
  EXPECT_EQ(refusal(file("undirected", kThree + edge("a", "s") + "<edge source=\"s\" target=\"b\"/>\n")),
            "machine.graphml:12:1: the link from s to b has no bandwidth; valid: 45 GB/s");
  EXPECT_THAT(refusal(file("undirected", kThree + edge("a", "s") + edge("s", "b", "45"))),
              AllOf(StartsWith("machine.graphml:12:1: the link from s to b: bandwidth: "), HasSubstr("got 45")));
  EXPECT_THAT(refusal(file("undirected", kThree + edge("a", "s", "0 GB/s"))),
              StartsWith("machine.graphml:11:1: the link from a to s: bandwidth"));
  EXPECT_THAT(refusal(file("undirected", kThree + edge("a", "s") + edge("s", "s"))),
              StartsWith("machine.graphml:12:1: a link leads from a node to itself; got s"));
  EXPECT_THAT(refusal(file("undirected", kThree + edge("a", "s") + edge("s", "b") + edge("s", "a"))),
              StartsWith("machine.graphml:13:1: the link from s to a is there already"));
  EXPECT_EQ(refusal(file("directed", kThree + edge("a", "s") + edge("s", "b") + edge("b", "a"))), "no complaint");
  EXPECT_THAT(
      refusal(file("directed", kThree + "<!-- <edge/> -->" + edge("a", "s") + edge("s", "b") + edge("b", "a") +
                                   "<edge source=\"s\"\n target=\"a\"><data key=\"b\">1 us</data></edge>\n")),
      StartsWith("machine.graphml:14:1: the link from s to a: bandwidth"));
}

TEST(GraphMl, RefusesGraphsThatAreNoMachines) {
  EXPECT_THAT(refusal(file("undirected", "")), HasSubstr("no chips"));
  EXPECT_THAT(refusal(file("undirected", "<node id=\"s\"><data key=\"t\">switch</data></node>")),
              HasSubstr("the graph has no chips; got 1 switches"));
  EXPECT_EQ(refusal(file("undirected", "<node id=\"a\"/>")), "no complaint");
  EXPECT_THAT(refusal(file("undirected", "<node id=\"a\"/><node id=\"b\"/>")),
              AllOf(HasSubstr("no way leads from chip 0 (a) to chip 1 (b); cut off: chip 1 (b)")));
  EXPECT_THAT(refusal(file("directed", kThree + edge("a", "s") + edge("s", "b"))),
              HasSubstr("no way leads from chip 1 (b) to chip 0 (a)"));
  EXPECT_THAT(refusal(file("undirected", "<node id=\"a\"><data key=\"t\">router</data></node>")),
              HasSubstr("machine.graphml:8:1: unknown type of vertex; got router; valid: chip, switch"));
  EXPECT_THAT(refusal(file("undirected", kThree + edge("a", "x"))), Not(HasSubstr("no complaint")));
}

TEST(GraphMl, RefusesWhatIsNoGraphMl) {
  for (const std::string text :
       {"", "hello", "<graphml>", "<a/>", "<graphml></graphml>", "<graphml><graph></graph></graphml>"})
    EXPECT_THAT(refusal(text), StartsWith("machine.graphml:")) << text;
  const std::string good = file("undirected", kThree + edge("a", "s") + edge("s", "b"));
  for (std::size_t n = 0; n + 12 < good.size(); n += 7)
    EXPECT_THAT(refusal(good.substr(0, n)), StartsWith("machine.graphml:")) << n;
}

// Before they are parsed, which would take a GB and more.
TEST(GraphMl, RefusesHugeFilesQuickly) {
  const auto start = std::chrono::steady_clock::now();
  std::string links = kThree;
  for (int i = 0; i < 100'001; ++i) links += "<edge source=\"a\" target=\"b\"/>\n";
  EXPECT_THAT(refusal(file("undirected", links)), HasSubstr("too many edges; got 100001; valid: up to 100000"));
  std::string chips;
  for (int i = 0; i < 32'768; ++i) chips += "<node id=\"a\"/>\n";
  EXPECT_THAT(refusal(file("undirected", chips)), HasSubstr("too many chips and switches; got 32768"));
  EXPECT_THAT(refusal(std::string(32'000'001, ' ')), HasSubstr("the file is too large; valid: up to 32 MB"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Dot, DrawsSwitchesAsBoxesAndCablesOnce) {
  Topology t = switched(grid_shape({2}, {false}), {45_GBps, 1_us}, false);
  apply_faults(t, {{.from = 1, .to = 2, .both_ways = false, .share = 0.5}});
  std::ostringstream out;
  write_dot(out, t);
  EXPECT_EQ(out.str(),
            "digraph G {\n"
            "0[label=\"(0)\"];\n"
            "1[label=\"(1)\"];\n"
            "2[label=switch, shape=box];\n"
            "0->2 [dir=both, label=\"45 GB/s\"];\n"
            "1->2 [label=\"22.5 GB/s\"];\n"
            "2->1 [label=\"45 GB/s\"];\n"
            "}\n");
  std::ostringstream torus;
  write_dot(torus, grid(grid_shape({3, 3}, {true, true}), {45_GBps, 1_us}));
  EXPECT_THAT(torus.str(), HasSubstr("4[label=\"(1,1)\"]"));
}

}  // namespace
}  // namespace hopsim
