// The real program: hopsim list and hopsim show.
#include <gmock/gmock.h>

#include "tests/tools/program.hpp"
#include "topologies/catalogue.hpp"

namespace hopsim::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

Json listed(const std::string& what) { return hopsim({"list", what, "--json", "-"}).json()[what]; }
Json shown(const std::string& name, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"show", name, "--json", "-"});
  return hopsim(more).json()["entries"];
}

Json row_of(const Json& rows, const std::string& name) {
  for (const Json& row : rows)
    if (row["name"] == name) return row;
  ADD_FAILURE() << name << " is not listed";
  return {};
}

TEST(ListCommand, EveryChipOfTheCatalogue) {
  const Json chips = listed("chips");
  ASSERT_EQ(chips.size(), catalogue_names().size());
  EXPECT_EQ(row_of(chips, "tpu_v5p")["pod_shape"], "16x20x28");
  EXPECT_EQ(row_of(chips, "tpu_v5p")["peak_flops.bf16"], "459 TFLOP/s");
  EXPECT_EQ(row_of(chips, "h100_sxm")["gpus_per_domain"], "8");
  EXPECT_EQ(row_of(chips, "h100_sxm")["nic_bandwidth"], "50 GB/s");
  EXPECT_EQ(row_of(chips, "tpu_v5p")["nic_bandwidth"], nullptr);
}

TEST(ListCommand, TopologiesAreMachines) {
  for (const Json& t : listed("topologies"))
    EXPECT_EQ(hopsim({"collective", "all_gather", "--machine", t["example"], "--bytes", "64", "--axis", "X"}).code, 0)
        << t;
}

TEST(ListCommand, EveryKindOfTopology) {
  for (const char* kind : {"ring", "line", "torus", "mesh", "twisted_torus", "fully_connected", "switch"})
    row_of(listed("topologies"), kind);
}

TEST(ListCommand, TheTenCollectives) {
  const Json collectives = listed("collectives");
  EXPECT_EQ(collectives.size(), 10u);
  EXPECT_EQ(row_of(collectives, "all_gather")["title"], "AllGather");
}

TEST(ListCommand, AlgorithmsTellWhatTheyDoAndWhere) {
  const Json algorithms = listed("algorithms");
  const Json ring = row_of(algorithms, "bidirectional_ring"), line = row_of(algorithms, "line");
  EXPECT_THAT(ring["does"], Contains("all_gather"));
  EXPECT_THAT(ring["on"], Contains("ring"));
  EXPECT_THAT(ring["on"], Not(Contains("line")));  // it needs wraparound
  EXPECT_THAT(line["on"], Contains("line"));
  EXPECT_THAT(ring["source"].get<std::string>(), HasSubstr("Scaling Book"));
}

TEST(ListCommand, EveryScenarioShipped) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() / "scenarios"))
    files += entry.path().extension() == ".yaml";
  const Json scenarios = listed("scenarios");
  EXPECT_EQ(scenarios.size(), files);
  const Json quiz = row_of(scenarios, "ch3-quiz2-allgather");
  EXPECT_EQ(quiz["file"], "book/ch3_quiz2_allgather.yaml");
  EXPECT_THAT(quiz["about"].get<std::string>(), StartsWith("Scaling Book ch. 3, pop quiz 2"));
}

TEST(ListCommand, WithoutAWordEverything) {
  const Finished f = hopsim({"list"});
  EXPECT_EQ(f.code, 0);
  EXPECT_EQ(f.err, "");
  for (const char* part : {"chips:\n", "topologies:\n", "collectives:\n", "algorithms:\n", "scenarios:\n", "tpu7x"})
    EXPECT_THAT(f.out, HasSubstr(part));
  EXPECT_THAT(hopsim({"list", "chips"}).out, Not(HasSubstr("all_gather")));
}

TEST(ShowCommand, EveryNumberOfAChipWithItsSource) {
  for (const std::string& name : catalogue_names()) {
    const Json chip = shown(name)[0];
    const ChipModel model = find_chip(name);
    ASSERT_EQ(chip["numbers"].size(), model.numbers.size());
    const std::string text = hopsim({"show", name}).out;
    for (std::size_t i = 0; i < model.numbers.size(); ++i) {
      EXPECT_EQ(chip["numbers"][i]["key"], model.numbers[i].key);
      EXPECT_NE(chip["numbers"][i]["source"], "");
      EXPECT_THAT(text, HasSubstr(model.numbers[i].key));
      EXPECT_THAT(text, HasSubstr(chip["numbers"][i]["source"].get<std::string>()));
    }
  }
}

// Scaling Book ch. 2, question 3: a v5e pod has 256 chips at 8 a host, and a v5p pod 8960 at 4.
TEST(ShowCommand, PodTotals) {
  EXPECT_EQ(shown("gb200_nvl72")[0]["domain"]["chips"], 72);
  EXPECT_NEAR(shown("gb200_nvl72")[0]["domain"]["flops_per_s"]["bf16"].get<double>(), 180e15, 1);
  const Json v5e = shown("tpu_v5e")[0]["pod"];
  EXPECT_EQ(v5e["chips"], 256);
  EXPECT_EQ(v5e["hosts"], 32);
  EXPECT_EQ(v5e["flops_per_s"]["bf16"], 256 * 197e12);
  EXPECT_EQ(v5e["hbm_bytes"], 256 * 16'000'000'000);
  const Json v5p = shown("tpu_v5p")[0]["pod"];
  EXPECT_EQ(v5p["hosts"], 2240);
  EXPECT_NEAR(v5p["flops_per_s"]["bf16"].get<double>(), 4.1e18, 0.05e18);
  EXPECT_NEAR(v5p["hbm_bytes"].get<double>(), 860e12, 1e12);
  // Beyond 2^64 FLOP/s.
  EXPECT_THAT(hopsim({"show", "tpu7x"}).out, HasSubstr("EFLOP/s bf16"));
}

// 8x4 without wraparound: (7 x 4 + 8 x 3) links each way, 7 + 3 hops, 4 links across the middle of the longer side.
TEST(ShowCommand, AMachineByItsSpec) {
  const Json m = shown("tpu_v5e:8x4")[0];
  EXPECT_EQ(m["kind"], "machine");
  EXPECT_EQ(m["links"], 104);
  EXPECT_EQ(m["diameter_hops"], 10);
  EXPECT_EQ(m["bisection_Bps"], 180'000'000'000);
  EXPECT_NEAR(m["bisection_payload_Bps"].get<double>(), 180e9 * 0.9489, 4);
  EXPECT_EQ(m["wrap"], Json::parse("[false, false]"));
  const Json pod = shown("tpu_v5e:16x16")[0];
  EXPECT_EQ(pod["diameter_hops"], 16);
  EXPECT_EQ(pod["bisection_Bps"], 2 * 16 * 45'000'000'000);
  EXPECT_EQ(shown("tpu_v5e:8x4", {"--set", "machine.wrap=[true, false]"})[0]["diameter_hops"], 4 + 3);
  EXPECT_EQ(shown("mesh:3x3,bw=1GB/s,lat=1us")[0]["chip"], nullptr);
}

// 4 nodes of 8: 8 links up and 8 down each, and as many NICs; on rails 8 leaves, each with a link to and from each of
// 16 spines. Another node's GPU of another rail is NIC, leaf, spine, leaf, NIC away.
TEST(ShowCommand, SeveralNodes) {
  const Json m = shown("h100_sxm:4x8")[0];
  EXPECT_EQ(m["nodes"], 4);
  EXPECT_EQ(m["chips_per_node"], 8);
  EXPECT_EQ(m["links"], 4 * 16 + 32 * 2 + 8 * 16 * 2);
  EXPECT_EQ(m["switches"], 4 + 8 + 16);
  EXPECT_EQ(m["nvls"], true);
  EXPECT_EQ(m["diameter_hops"], 4);
  EXPECT_EQ(m["link_Bps"], 450'000'000'000);
  EXPECT_EQ(m["nic_Bps"], 50'000'000'000);
  EXPECT_EQ(m["nic_payload_Bps"], 47'000'000'000);
  EXPECT_EQ(m["bisection_Bps"], 2 * 8 * 50'000'000'000);
  const std::string text = hopsim({"show", "h100_sxm:4x8"}).out;
  for (const char* part :
       {"4 of 8 chips", "50 GB/s one way, 47 GB/s of it payload", "reduce and multicast", "4 hops"})
    EXPECT_THAT(text, HasSubstr(part));
}

// Jouppi et al. 2023 and the shapes' own geometry: 6 hops in place of 8.
TEST(ShowCommand, ATwistedTorus) {
  const Json m = shown("tpu_v5p:4x4x8", {"--set", "machine.twist=true"})[0];
  EXPECT_EQ(m["twisted"], true);
  EXPECT_EQ(m["wrap"], Json::parse("[true, true, true]"));
  EXPECT_EQ(m["diameter_hops"], 6);
  EXPECT_NEAR(m["mean_hops"].get<double>(), 3.4646, 5e-5);
  EXPECT_EQ(shown("tpu_v5p:4x4x8")[0]["diameter_hops"], 8);
}

TEST(ShowCommand, AMachineAsAGraph) {
  const Scratch folder;
  const std::string file = folder / "m.graphml";
  EXPECT_EQ(hopsim({"show", "mi300x:8", "--graphml", file}).code, 0);
  const Json again = shown("graphml:" + file)[0];
  EXPECT_EQ(again["links"], 56);
  EXPECT_EQ(again["link_Bps"], 48'000'000'000);
  const Finished dot = hopsim({"show", "ring:4,bw=45GB/s,lat=1us", "--dot", "-"});
  EXPECT_THAT(dot.out, StartsWith("digraph"));
  EXPECT_THAT(dot.out, Not(HasSubstr("diameter")));
  EXPECT_THAT(hopsim({"show", "tpu_v5e", "--dot", "-"}).err, HasSubstr("only machines are graphs; got tpu_v5e"));
  EXPECT_THAT(hopsim({"show", "h100_sxm:8", "--dot", "-", "--json", "-"}).err, HasSubstr("the same place"));
  EXPECT_EQ(hopsim({"show", "h100_sxm:9", "--dot", folder / "none.dot"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "none.dot"));
}

TEST(ShowCommand, ANameOfTwoThingsShowsBoth) {
  const Json entries = shown("ring");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0]["kind"], "topology");
  EXPECT_EQ(entries[1]["kind"], "algorithm");
  EXPECT_EQ(entries[1]["runs"][0]["closed_form"], "V(N-1)/(N W/2)");
}

TEST(ShowCommand, ACollectiveByJaxName) { EXPECT_EQ(shown("psum")[0]["name"], "all_reduce"); }

TEST(ShowCommand, AScenarioIsItsFile) {
  const std::string text = contents(source_dir() / "scenarios/book/ch3_quiz2_allgather.yaml");
  for (const char* name : {"ch3-quiz2-allgather", "ch3_quiz2_allgather", "book/ch3_quiz2_allgather.yaml"})
    EXPECT_EQ(hopsim({"show", name}).out, text);
  EXPECT_EQ(shell("$HOPSIM show ch3-quiz2-allgather | $HOPSIM run - --quiet").code, 0);
}

TEST(ShowCommand, AnUnknownNameSuggestsTheNearest) {
  const Finished f = hopsim({"show", "tpu_v5f"});
  EXPECT_EQ(f.code, 2);
  EXPECT_THAT(f.err, StartsWith("hopsim: nothing is called so (did you mean tpu_v5e?); got tpu_v5f; valid: "));
  EXPECT_THAT(hopsim({"show", "tpu_v5e:8y4"}).err, StartsWith("hopsim: show:1:9: "));
  EXPECT_THAT(hopsim({"show", "tpu_v5e", "--set", "machine.ideal=true"}).err,
              HasSubstr("--set changes machines only"));
}

}  // namespace
}  // namespace hopsim::test
