// What the chunk player is given: every message of a step, who holds what at the start, and what is left out.
#include "tools/report/player_data.hpp"

#include <gmock/gmock.h>

#include "scenarios/simulate.hpp"
#include "tools/collective_rows.hpp"

namespace hopsim::test {
namespace {

using namespace hopsim::literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Json = nlohmann::ordered_json;

struct Played {
  Json players;
  std::vector<std::string> notes;
};

struct Asked {
  std::string operation, machine, bytes, algorithm{}, axis{}, chunks{}, root{};
};

Played played(const Asked& asked, const RunControl& control = {}) {
  CollectiveArguments a;
  const auto given = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
  a.operations = {asked.operation};
  a.flags.machine = asked.machine;
  a.bytes = asked.bytes;
  a.algorithm = given(asked.algorithm);
  a.axis = given(asked.axis);
  a.chunks = given(asked.chunks);
  a.root = given(asked.root);
  const CollectiveRows rows = plan_rows(a);
  PlayerRecorder recorder(rows.machine, rows.rows.front().plan);
  RunOptions options;
  options.recorder = &recorder;
  options.control = control;
  const RunResult result = simulate(rows.machine, rows.rows.front().plan, options);
  return {recorder.players(result), recorder.notes()};
}

Json only_player(const Asked& asked, const RunControl& control = {}) {
  const Played all = played(asked, control);
  EXPECT_THAT(all.players, SizeIs(1));
  return all.players.at(0);
}

std::vector<std::string> names(const Json& player) {
  std::vector<std::string> all;
  for (const Json& actor : player["actors"]) all.push_back(actor["name"]);
  return all;
}

// A round is 1000 B over 1 GB/s and 1 us of latency: 2 us. 3 rounds of sums, 3 of copies, each of 4 messages.
const Asked kRing{"all_reduce", "ring:4,bw=1GB/s,lat=1us", "4000 B", "ring"};

TEST(PlayerData, ARingOfFourSendsSixTimesFourMessages) {
  const Json p = only_player(kRing);
  EXPECT_EQ(p["title"], "AllReduce over X");
  EXPECT_EQ(p["operation"], "all_reduce");
  EXPECT_EQ(p["algorithm"], "ring");
  EXPECT_EQ(p["bytes"], 4000);
  EXPECT_EQ(p["step"], 0);
  EXPECT_EQ(p["complete"], true);
  EXPECT_EQ(p["sums"], true);
  EXPECT_THAT(names(p), ElementsAre("(0)", "(1)", "(2)", "(3)"));
  EXPECT_EQ(p["groups"], Json({{0, 1, 2, 3}}));
  EXPECT_EQ(p["slots"], Json({{"kind", "shard"}, {"count", 4}, {"pieces", 1}}));
  EXPECT_EQ(p["atoms"]["shard"], Json({0, 1, 2, 3}));
  EXPECT_EQ(p["atoms"]["origin"], Json({-1, -1, -1, -1}));
  ASSERT_THAT(p["times_s"], SizeIs(7));
  for (int k = 0; k < 7; ++k) EXPECT_NEAR(p["times_s"][k].get<double>(), k * 2e-6, 1e-15);

  const Json& m = p["messages"];
  ASSERT_THAT(m["from"], SizeIs(24));
  const int way = (m["to"][0].get<int>() - m["from"][0].get<int>() + 4) % 4;
  EXPECT_TRUE(way == 1 || way == 3);
  for (int i = 0; i < 24; ++i) {
    const int round = i / 4;
    // A ReduceScatter is the AllGather backwards, so sums go the other way round.
    EXPECT_EQ((m["to"][i].get<int>() - m["from"][i].get<int>() + 4) % 4, round < 3 ? way : 4 - way);
    EXPECT_EQ(m["op"][i], round < 3 ? 1 : 0);
    EXPECT_EQ(m["hops"][i], 1);
    for (const char* begin : {"posted", "start"}) EXPECT_EQ(m[begin][i], round);
    for (const char* end : {"delivered", "taken"}) EXPECT_EQ(m[end][i], round + 1);
    EXPECT_EQ(p["chunks"][m["chunk"][i].get<std::size_t>()]["bytes"], 1000);
  }
}

// The sum as the columns tell it, contributions as bits; each is counted, so that none may come twice.
TEST(PlayerData, TheMessagesOfARingAddUpToTheSumOnEveryChip) {
  const Json p = only_player(kRing), &m = p["messages"];
  std::array<std::array<int, 4>, 4> held{};  // by chip and shard: 1, 10, 100, 1000 are contributions
  for (int chip = 0, one = 1; chip < 4; ++chip, one *= 10) held[chip].fill(one);
  std::vector<int> carried(24);
  const auto shard = [&](int i) { return p["chunks"][m["chunk"][i].get<int>()]["atoms"][0].get<int>(); };
  for (int i = 0; i <= 24; ++i) {
    for (int k = 0; k < 24; ++k)  // sent when i messages had been taken in
      if (m["after"][k] == i) carried[k] = held[m["from"][k].get<int>()][shard(k)];
    if (i == 24) break;
    int& here = held[m["to"][i].get<int>()][shard(i)];
    here = m["op"][i] == 1 ? here + carried[i] : carried[i];
  }
  for (const auto& chip : held) EXPECT_THAT(chip, ElementsAre(1111, 1111, 1111, 1111));
}

TEST(PlayerData, GroupsAreSideBySideEachInItsOrder) {
  const Json p = only_player({"all_gather", "mesh:2x3,bw=1GB/s,lat=1us", "3000 B", "line", "Y", "1"});
  EXPECT_THAT(names(p), ElementsAre("(0,0)", "(0,1)", "(0,2)", "(1,0)", "(1,1)", "(1,2)"));
  EXPECT_EQ(p["groups"], Json({{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(p["actors"][4]["group"], 1);
  EXPECT_EQ(p["sums"], false);
  EXPECT_EQ(p["atoms"]["origin"], p["atoms"]["shard"]);
  for (std::size_t i = 0; i < p["messages"]["from"].size(); ++i)
    EXPECT_EQ(p["messages"]["from"][i].get<int>() / 3, p["messages"]["to"][i].get<int>() / 3);
}

TEST(PlayerData, OfALargerMachineTheFirstGroupsAreShown) {
  const Played all = played({"all_gather", "torus:16x16,bw=1GB/s,lat=1us", "16 KiB", "ring", "Y"});
  ASSERT_THAT(all.players, SizeIs(1));
  EXPECT_THAT(all.players[0]["groups"], SizeIs(4));
  EXPECT_THAT(all.players[0]["messages"]["from"], SizeIs(4 * 16 * 15));
  EXPECT_EQ(all.players[0]["complete"], true);
  EXPECT_THAT(all.notes, ElementsAre(HasSubstr("shows 4 of 16 groups")));
}

TEST(PlayerData, ABlockHasAnOriginAndATarget) {
  const Json p = only_player({"all_to_all", "fully_connected:3,bw=1GB/s,lat=1us", "9000 B", "direct", "", "1"});
  EXPECT_EQ(p["slots"], Json({{"kind", "block"}, {"count", 3}, {"pieces", 1}}));
  EXPECT_EQ(p["atoms"]["origin"], Json({0, 0, 0, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(p["atoms"]["shard"], Json({0, 1, 2, 0, 1, 2, 0, 1, 2}));
  EXPECT_THAT(p["messages"]["from"], SizeIs(6));
  for (std::size_t i = 0; i < 6; ++i) {
    const int atom = p["chunks"][p["messages"]["chunk"][i].get<std::size_t>()]["atoms"][0];
    EXPECT_EQ(p["messages"]["from"][i], atom / 3);
    EXPECT_EQ(p["messages"]["to"][i], atom % 3);
  }
}

TEST(PlayerData, SwitchesThatTakePartAreRowsAfterTheChips) {
  const Json p = only_player({"all_reduce", "h100_sxm:4", "4000 B", "nvls", "", "1"});
  ASSERT_THAT(p["actors"], SizeIs(5));
  EXPECT_EQ(p["actors"][4], Json({{"name", "switch 0"}, {"chip", false}, {"group", 0}}));
  EXPECT_EQ(p["groups"], Json({{0, 1, 2, 3}}));
  // 4 shards: each up from 4 chips and down to one; up again, and down to the 3 others.
  EXPECT_THAT(p["messages"]["from"], SizeIs(4 * (4 + 1 + 1 + 3)));
}

TEST(PlayerData, ABroadcastHasPiecesAndARoot) {
  const Json p = only_player({"broadcast", "ring:4,bw=1GB/s,lat=1us", "64 KiB", "binomial_tree", "", "1", "2"});
  EXPECT_EQ(p["root"], 2);
  EXPECT_EQ(p["slots"], Json({{"kind", "piece"}, {"count", 1}, {"pieces", 1}}));
  EXPECT_EQ(p["atoms"]["origin"], Json({2}));
  EXPECT_THAT(p["messages"]["from"], SizeIs(3));
}

TEST(PlayerData, AStoppedStepIsNotComplete) {
  RunControl control;
  control.max_time = 5_us;  // two of six rounds
  const Json p = only_player(kRing, control);
  EXPECT_EQ(p["complete"], false);
  EXPECT_GE(p["messages"]["from"].size(), 8u);
  EXPECT_LT(p["messages"]["from"].size(), 24u);
}

TEST(PlayerData, WhatDoesNotFitHasANoteInstead) {
  const Played wide = played({"all_gather", "ring:65,bw=1GB/s,lat=1us", "65 KiB", "ring"});
  EXPECT_THAT(wide.players, IsEmpty());
  EXPECT_THAT(wide.notes, ElementsAre(HasSubstr("65 chips, and a player shows up to 64")));
  const Played fine = played({"all_gather", "ring:64,bw=1GB/s,lat=1us", "64 MiB", "ring", "", "64"});
  EXPECT_THAT(fine.players, IsEmpty());
  EXPECT_THAT(fine.notes, ElementsAre(HasSubstr("--chunks 1")));
}

// Sender 0 posts chunk 0, then chunk 1; the second overtakes. The receiver takes the first first.
class InOrder final : public Phase {
 public:
  int length(const Coordinates& at) const override { return at[0] < 2 ? 2 : 0; }
  Passage passage(const Coordinates& at, int i) const override {
    const End end{
        .peer = along(0, at[0] == 0 ? 1 : -1), .chunk = {static_cast<std::uint32_t>(i), 1}, .channel = i, .times = 1};
    return at[0] == 0 ? Passage{.in = {}, .out = end} : Passage{.in = end, .out = {}};
  }
  int channels() const override { return 2; }
};

TEST(PlayerReplay, AMessageCountsWhenItsReceiverComesToIt) {
  Shape line;
  line.size = {2, 1, 1, 1};
  Schedule s;
  s.atoms = 2;
  s.lanes.push_back({.phases = {}, .atom = AtomSize(Bytes(8))});
  s.add(0, std::make_shared<InOrder>());
  const auto part = [](std::uint32_t i, Time delivered) {
    return PlayedMessage{.from = 0,
                         .to = 1,
                         .passage = i,
                         .chunk = {i, 1},
                         .hops = 1,
                         .bytes = Bytes(4),
                         .posted = 0_us,
                         .start = 1_us,
                         .delivered = delivered,
                         .taken = {}};
  };
  // Each in two parts.
  const Replayed r = replay(line, s, {part(1, 2_us), part(0, 5_us), part(0, 4_us), part(1, 1_us)}, {});
  EXPECT_TRUE(r.complete);
  ASSERT_THAT(r.messages, SizeIs(2));
  EXPECT_EQ(r.messages[0].chunk.first, 0u);
  EXPECT_EQ(r.messages[0].delivered, 5_us);
  EXPECT_EQ(r.messages[0].taken, 5_us);
  EXPECT_EQ(r.messages[0].bytes, Bytes(8));
  EXPECT_EQ(r.messages[1].delivered, 2_us);
  EXPECT_EQ(r.messages[1].taken, 5_us);  // waited
  EXPECT_EQ(r.messages[1].after, 0u);
}

}  // namespace
}  // namespace hopsim::test
