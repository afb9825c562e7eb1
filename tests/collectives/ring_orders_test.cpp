// Several rings at once: over nodes with a NIC a GPU, and over GPUs wired to one another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "collectives/ring_orders.hpp"
#include "tests/collectives/switched.hpp"

namespace hopsim::testing {
namespace {

const double kV = 1 << 30;
const LinkModel kNvlink{450_GBps, 500_ns}, kNic{50_GBps, 1_us};
using enum Operation;

bool visits_all(std::vector<int> order, int n) {
  std::sort(order.begin(), order.end());
  for (int p = 0; p < n; ++p)
    if (static_cast<int>(order.size()) != n || order[static_cast<std::size_t>(p)] != p) return false;
  return true;
}

// How often each step from one to another is taken by all orders together.
std::map<std::pair<int, int>, int> steps(const std::vector<std::vector<int>>& orders) {
  std::map<std::pair<int, int>, int> taken;
  for (const auto& order : orders)
    for (std::size_t p = 0; p < order.size(); ++p) ++taken[{order[p], order[(p + 1) % order.size()]}];
  return taken;
}

TEST(NodeRings, GiveEveryNicOneRingOutAndOneIn) {
  for (const int domains : {2, 3, 4, 5, 8})
    for (const int local : {1, 2, 3, 4, 8}) {
      const auto rings = node_rings(domains, local);
      ASSERT_EQ(rings.size(), static_cast<std::size_t>(local));
      std::map<int, int> out, in;
      int off_rail = 0;
      for (const auto& ring : rings) ASSERT_TRUE(visits_all(ring, domains * local));
      for (const auto& [step, times] : steps(rings)) {
        const auto [from, to] = step;
        if (from / local == to / local) continue;
        out[from] += times;
        in[to] += times;
        off_rail += from % local != to % local;
      }
      for (int p = 0; p < domains * local; ++p) {
        EXPECT_EQ(out[p], 1) << domains << "x" << local;
        EXPECT_EQ(in[p], 1);
      }
      EXPECT_EQ(off_rail, domains % 2 && local > 1 ? local : 0);  // from the last domain to the first
    }
}

std::vector<std::vector<int>> cables(int n, const std::vector<std::array<int, 3>>& list) {
  std::vector<std::vector<int>> links(static_cast<std::size_t>(n), std::vector<int>(static_cast<std::size_t>(n)));
  for (const auto& [a, b, times] : list)
    links[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] =
        links[static_cast<std::size_t>(b)][static_cast<std::size_t>(a)] = times;
  return links;
}
std::vector<std::vector<int>> complete(int n) {
  std::vector<std::array<int, 3>> all;
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < a; ++b) all.push_back({a, b, 1});
  return cables(n, all);
}
const std::vector<std::array<int, 3>> kDgx1{{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1},
                                            {1, 5, 2}, {2, 3, 2}, {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1},
                                            {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};

void expect_rings(const std::vector<std::vector<int>>& links, std::size_t number) {
  const auto rings = hamiltonian_rings(links);
  EXPECT_EQ(rings.size(), number) << links.size();
  for (const auto& ring : rings) EXPECT_TRUE(visits_all(ring, static_cast<int>(links.size())));
  for (const auto& [step, times] : steps(rings))
    EXPECT_LE(times, links[static_cast<std::size_t>(step.first)][static_cast<std::size_t>(step.second)]);
}

// A DGX-1 with six NVLinks a GPU: three rings in both directions. Of n chips, each with a link to all others, (n - 1)
// / 2 rings both ways share none (Walecki).
TEST(HamiltonianRings, AreAsManyAsLinksAllow) {
  expect_rings(cables(8, kDgx1), 6);
  expect_rings(complete(2), 1);
  for (const std::size_t n : {3u, 4u, 5u, 6u, 7u, 8u}) expect_rings(complete(static_cast<int>(n)), (n - 1) / 2 * 2);
  expect_rings(cables(4, {{0, 1, 6}, {1, 2, 6}, {2, 3, 6}, {3, 0, 6}}), 12);
}

TEST(HamiltonianRings, MayNotExist) {
  expect_rings(cables(4, {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}}), 0);                                   // a star
  expect_rings(cables(5, {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}, {2, 3, 1}, {3, 4, 1}, {4, 2, 1}}), 0);  // a bow tie
  expect_rings(cables(10, {{0, 1, 1},
                           {1, 2, 1},
                           {2, 3, 1},
                           {3, 4, 1},
                           {4, 0, 1},
                           {0, 5, 1},
                           {1, 6, 1},
                           {2, 7, 1},
                           {3, 8, 1},
                           {4, 9, 1},
                           {5, 7, 1},
                           {7, 9, 1},
                           {9, 6, 1},
                           {6, 8, 1},
                           {8, 5, 1}}),
               0);  // Petersen's graph
  EXPECT_TRUE(hamiltonian_rings(complete(1)).empty());
}

// A search that finds nothing ends soon: a grid of 7 x 7 has an odd number of chips, and no ring.
TEST(HamiltonianRings, AreSearchedForWithBoundedEffort) {
  std::vector<std::array<int, 3>> grid;
  for (int x = 0; x < 49; ++x) {
    if (x % 7 < 6) grid.push_back({x, x + 1, 1});
    if (x < 42) grid.push_back({x, x + 7, 1});
  }
  expect_rings(cables(49, grid), 0);
}

double busbw(double t, int n) { return kV / t * 2 * (n - 1) / n; }

// H100 nodes with 8 NICs of 50 GB/s: bound by them.
TEST(Ring, OverNodesIsBoundByItsNics) {
  for (const int nodes : {2, 4, 8}) {
    Switched s = nvls_nodes(nodes, 8, kNvlink, kNic);
    s.wiring.rings = node_rings(nodes, 8);
    const Request r = s.over_all(all_reduce, 1_GiB, 1);
    const double t = s.seconds("ring", r);
    EXPECT_NEAR(busbw(t, 8 * nodes) / (8 * 50e9), 1, 0.03) << nodes;
    EXPECT_NEAR(t / choose_algorithm("ring", r).closed_form(r).seconds(r.wiring), 1, 0.03) << nodes;
  }
}

TEST(Ring, OverNodesWithoutTheirRailsHasOneNic) {
  const Switched s = nvls_nodes(2, 4, kNvlink, kNic);
  const Request r = s.over_all(all_gather, 1_GiB, 1);
  EXPECT_NEAR(s.seconds("ring", r) / (kV * 7 / 8 / 50e9), 1, 0.02);
}

TEST(Ring, InOneNodeHasOneLink) {
  for (const int n : {2, 3, 8}) {
    const Switched s = nvls_node(n, kNvlink);
    EXPECT_NEAR(s.seconds("ring", s.over_all(all_gather, 1_GiB, 1)) / (kV * (n - 1) / n / 450e9), 1, 0.02) << n;
  }
}

TEST(Ring, OnADgx1UsesAllSixLinks) {
  const LinkModel link{25_GBps, 500_ns};
  Switched s(hybrid_cube_mesh(link));
  s.wiring = wired(Wiring::Kind::direct, link);
  s.wiring.rings = hamiltonian_rings(cables(8, kDgx1));
  const Request r = s.over_all(all_reduce, 1_GiB, 1);
  EXPECT_NEAR(busbw(s.seconds("ring", r), 8) / (6 * 25e9), 1, 0.01);
}

TEST(Ring, RoundSeveralOrdersIsProven) {
  for (const auto& [domains, local] : {std::pair{2, 1}, {3, 1}, {2, 2}, {3, 2}, {2, 3}, {4, 3}})
    for (const Operation op : {all_gather, reduce_scatter, all_reduce})
      for (const int chunks : {1, 3}) {
        Switched s = nvls_nodes(domains, local, kNvlink, kNic);
        s.wiring.rings = node_rings(domains, local);
        Request r = s.over_all(op, Bytes(1'000'003), chunks);
        const auto schedule = schedule_of("ring", r);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) ASSERT_NO_THROW(prove(s.shape, r, *schedule, seed));
        const Time time = s.run(schedule).time;
        EXPECT_EQ(s.run(schedule, 5).time, time);
        EXPECT_GE(time, lower_bound(s.fabric, r));
        if (op != all_gather) continue;
        r.operation = reduce_scatter;
        EXPECT_EQ(s.run(schedule_of("ring", r)).time, time);
      }
}

TEST(Ring, SaysWhereThereIsNone) {
  Switched s(hybrid_cube_mesh(kNvlink));
  s.wiring = wired(Wiring::Kind::direct, kNvlink);
  EXPECT_THAT(choose_algorithm("direct", s.over_all(all_to_all, 1_MiB, 1)).name, "direct");
  try {
    choose_algorithm("ring", s.over_all(all_reduce, 1_MiB, 1));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("Hamiltonian ring"));
  }
  const Switched node = nvls_node(4, kNvlink);
  for (const char* both_ways : {"line", "bidirectional_ring"})
    EXPECT_THROW(choose_algorithm(both_ways, node.over_all(all_reduce, 1_MiB, 1)), InputError);
}

}  // namespace
}  // namespace hopsim::testing
