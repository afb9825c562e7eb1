// Messages straight to their targets: AllToAll, rooted ones, over several shortest ways. Expected times are counts of
// bytes over links, done here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "collectives/direct_phases.hpp"
#include "collectives/ring_gather.hpp"
#include "tests/collectives/switched.hpp"

namespace hopsim::testing {
namespace {

constexpr double kW = 45e9;
const LinkModel kQuick{45_GBps, 10_ns};

Request over(Operation op, const Shape& s, Bytes bytes, int root = 0) {
  std::vector<int> dims(static_cast<std::size_t>(s.dimensions));
  std::iota(dims.begin(), dims.end(), 0);
  return {.operation = op, .row = row_over(s, dims, RowOrder::rows), .bytes = bytes, .root = root};
}

// Breadth-first over the actual links.
std::vector<int> distances(const Fabric& fabric, std::uint32_t from) {
  std::vector<int> distance(fabric.chips(), -1);
  std::vector<std::uint32_t> queue{from};
  distance[from] = 0;
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (const Link& l : fabric.links)
      if (l.exists() && l.from == queue[k] && distance[l.to] < 0) {
        distance[l.to] = distance[l.from] + 1;
        queue.push_back(l.to);
      }
  return distance;
}

// Units over the busiest link when every chip sends one to every other: on a torus whose links are all alike, the sum
// of distances over the links of a chip.
double mean_load(const Fabric& fabric) {
  const auto d = distances(fabric, 0);
  return std::accumulate(d.begin(), d.end(), 0.0) / 6;
}

TEST(DirectAllToAll, TwistedToriLoadAllLinksAlike) {
  struct Row {
    std::vector<int> size;
    double load, plain_load;  // published: busiest link
    double least, most;       // gain of the twist
  };
  for (const Row& row : {Row{{4, 4, 8}, 73.33, 128, 1.70, 1.78}, Row{{4, 8, 8}, 184.0, 256, 1.35, 1.42}}) {
    const Shape plain = box(row.size), twisted = twisted_shape(row.size);
    const double unit = double(1 << 30) / plain.chips() / plain.chips() / kW;
    EXPECT_NEAR(mean_load(freeze(grid(twisted, kQuick))), row.load, 0.01);
    const double t = seconds(twisted, "direct", over(Operation::all_to_all, twisted, 1_GiB), kQuick);
    const double p = seconds(plain, "direct", over(Operation::all_to_all, plain, 1_GiB), kQuick);
    EXPECT_NEAR(t / (row.load * unit), 1, 0.005);
    EXPECT_NEAR(p / (row.plain_load * unit), 1, 0.005);
    EXPECT_GT(p / t, row.least);
    EXPECT_LT(p / t, row.most);
  }
}

// Offsets found in the lattice are as short as breadth-first search finds, lead to their targets, and are all there
// are along each of the first steps.
TEST(ShortestWays, AreShortestOnTwistedTori) {
  for (const std::vector<int>& size : std::vector<std::vector<int>>{{3, 3, 6}, {3, 6, 6}, {4, 8, 4}}) {
    const Shape s = twisted_shape(size);
    const Fabric fabric = freeze(grid(s, kIci));
    const RowPtr row = over(Operation::all_to_all, s, 1_B).row;
    const ShortestWays ways(row, {});
    const auto distance = distances(fabric, 0);
    for (std::uint32_t c = 1; c < s.chips(); ++c) {
      double whole = 0;
      for (const Way& w : ways.to({}, static_cast<int>(c))) {
        EXPECT_EQ(w.offset.hops(), distance[c]);
        EXPECT_EQ(index(s.peer({}, w.offset)), c);
        EXPECT_NE(w.offset[w.order], 0);
        whole += 1.0 / w.of;
      }
      EXPECT_NEAR(whole, 1, 1e-12);
      // As many first steps as lead nearer.
      std::map<int, bool> first;
      for (const Way& w : ways.to({}, static_cast<int>(c))) first[2 * w.order + (w.offset[w.order] < 0)] = true;
      std::size_t nearer = 0;
      const auto back = distances(fabric, c);
      for (const Link& l : fabric.links) nearer += l.exists() && l.from == 0 && back[l.to] == back[0] - 1;
      EXPECT_EQ(first.size(), nearer) << c;
    }
  }
}

TEST(DirectAllToAll, MeetsTheBusiestLinkOnToriAndMeshes) {
  struct Case {
    std::vector<int> size;
    std::vector<bool> wrap;
  };
  for (const Case& c : {Case{{8}, {true}},
                        {{7}, {true}},
                        {{8}, {false}},
                        {{4, 4}, {true, true}},
                        {{4, 4}, {false, false}},
                        {{4, 8}, {true, false}},
                        {{4, 4, 4}, {true, true, true}}}) {
    const Shape s = grid_shape(c.size, c.wrap);
    double load = 0;
    for (std::size_t d = 0; d < c.size.size(); ++d) {
      const double a = c.size[d];
      const double around = c.size[d] % 2 ? (a - 1 / a) / 8 : a / 8;
      load = std::max(load, (c.wrap[d] ? around : std::floor(a * a / 4) / a) / s.chips());
    }
    const Request r = over(Operation::all_to_all, s, 1_GiB);
    EXPECT_NEAR(seconds(s, "direct", r, kQuick) / (double(1 << 30) * load / kW), 1, 0.02) << c.size[0];
    EXPECT_NEAR(choose_algorithm("direct", r).closed_form(r).link_bytes, double(1 << 30) * load, 1) << c.size[0];
  }
}

TEST(DirectRooted, AGatherToACornerUsesBothItsLinks) {
  const Shape s = box({4, 4}, false);
  for (const Operation op : {Operation::gather, Operation::scatter})
    for (const int root : {0, 3, 12, 15}) {
      const double t = seconds(s, "direct", over(op, s, 16_MiB, root));
      EXPECT_NEAR(t / (double(1 << 24) * 15 / 16 / (2 * kW)), 1, 0.01) << title(op) << root;
      const Time bound = lower_bound(freeze(grid(s, kIci)), over(op, s, 16_MiB, root));
      EXPECT_LT(t / bound.seconds(), 1.0001);
    }
}

TEST(DirectRooted, AWrappedTorusUsesAllLinksOfTheRoot) {
  const Shape s = box({4, 4, 4});
  for (const Operation op : {Operation::gather, Operation::scatter})
    EXPECT_NEAR(seconds(s, "direct", over(op, s, 64_MiB, 21), kQuick) / (double(1 << 26) * 63 / 64 / (6 * kW)), 1,
                0.02);
}

TEST(Paths, SendRecvGoesOverDisjointOnes) {
  const auto time = [](const Shape& s, int from, int to, int paths = 0) {
    Request r = over(Operation::send_recv, s, 16_MiB);
    r.pairs = {{from, to}};
    r.paths = paths;
    const auto schedule = schedule_of("direct", r);
    EXPECT_NO_THROW(prove(s, r, *schedule));
    return run_schedule(s, schedule).time.seconds() * 1e6;
  };
  const double v = double(1 << 24) / kW * 1e6;
  const Shape mesh = box({4, 4}, false), cube = box({4, 4, 4}, false), torus = box({4, 4, 4}), ring = box({8});
  EXPECT_NEAR(time(mesh, 0, 15), 192.41, 0.005);
  EXPECT_NEAR(time(mesh, 0, 15, 1), v + 6, 1e-3);
  EXPECT_NEAR(time(mesh, 15, 0), v / 2 + 6, 1e-3);
  EXPECT_NEAR(time(mesh, 0, 3), v + 3, 1e-3);  // along one edge there is one shortest way
  EXPECT_NEAR(time(cube, 0, 63), v / 3 + 9, 1e-3);
  EXPECT_NEAR(time(cube, 0, 63, 2), v / 2 + 9, 1e-3);
  EXPECT_NEAR(time(torus, 0, 42), v / 6 + 6, 1e-3);  // (2,2,2): both ways round each dimension
  EXPECT_NEAR(time(torus, 0, 10), v / 4 + 4, 1e-3);  // (0,2,2)
  EXPECT_NEAR(time(torus, 0, 63), v / 3 + 3, 1e-3);  // (3,3,3) is one hop back along each
  EXPECT_NEAR(time(ring, 1, 5), v / 2 + 4, 1e-3);
  EXPECT_NEAR(time(ring, 1, 4), v + 3, 1e-3);
  const Shape twisted = twisted_shape({4, 4, 8});
  EXPECT_LT(time(twisted, 0, static_cast<int>(index(twisted.peer({}, along(0, 2).with(1, 2))))), v / 3);
}

TEST(Paths, PermutationsOverSeveralAxesAreProven) {
  for (const Shape& s : {box({4, 4}), box({4, 4}, false), box({3, 4, 2}), twisted_shape({3, 3, 6})})
    for (const int paths : {0, 1, 2})
      for (const int shift : {1, 5, 7}) {
        Request r = over(Operation::collective_permute, s, Bytes(100'003));
        r.paths = paths;
        r.chunks = 2;
        const int n = r.row->size();
        for (int p = 0; p < n; ++p) r.pairs.emplace_back(p, (p + shift) % n);
        const auto schedule = schedule_of("direct", r);
        ASSERT_NO_THROW(prove(s, r, *schedule));
        const Ran ran = run_schedule(s, schedule);
        EXPECT_GE(ran.time, lower_bound(freeze(grid(s, kIci)), r));
        EXPECT_EQ(run_schedule(s, schedule, kIci, {}, 3).time, ran.time);
      }
}

TEST(Direct, DoesEverythingButBroadcastsAndIsProven) {
  const std::vector<Shape> shapes{box({2}),
                                  box({5}),
                                  box({6}, false),
                                  box({4, 4}),
                                  box({3, 5}, false),
                                  grid_shape({4, 3, 2}, {true, false, false}),
                                  twisted_shape({3, 3, 6})};
  for (const Shape& s : shapes)
    for (const Operation op : {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce,
                               Operation::all_to_all, Operation::gather, Operation::scatter})
      for (const int chunks : {1, 2}) {
        Request r = over(op, s, Bytes(1'000'003), 1);
        r.chunks = chunks;
        SCOPED_TRACE(std::string(title(op)) + " " + std::to_string(s.chips()));
        const auto schedule = schedule_of("direct", r);
        ASSERT_NO_THROW(prove(s, r, *schedule));
        const Ran ran = run_schedule(s, schedule);
        EXPECT_GE(ran.time, lower_bound(freeze(grid(s, kIci)), r));
        EXPECT_EQ(run_schedule(s, schedule, kIci, {}, 3).time, ran.time);
      }
}

// Every pair has a link of its own: all shards at once, an AllReduce in two steps.
TEST(Direct, UsesAllLinksOfFullyConnectedChips) {
  for (const int k : {2, 3, 5, 8}) {
    Switched gpus(fully_connected(grid_shape({k}, {false}), kIci));
    gpus.wiring.kind = Wiring::Kind::direct;
    gpus.wiring.link = kIci;
    const double v = 1 << 26;
    for (const auto& [op, bytes, hops] : {std::tuple{Operation::all_gather, v / k, 1},
                                          {Operation::reduce_scatter, v / k, 1},
                                          {Operation::all_reduce, 2 * v / k, 2},
                                          {Operation::all_to_all, v / k / k, 1},
                                          {Operation::gather, v / k, 1},
                                          {Operation::scatter, v / k, 1}}) {
      const Request r = gpus.over_all(op, 64_MiB, 1);
      EXPECT_NO_THROW(prove(gpus.shape, r, *schedule_of("direct", r)));
      EXPECT_NEAR(gpus.seconds("direct", r), bytes / kW + hops * 1e-6, 1e-9) << title(op) << k;
      EXPECT_NEAR(choose_algorithm("direct", r).closed_form(r).seconds(gpus.wiring), bytes / kW + hops * 1e-6, 1e-9);
    }
  }
}

// Two nodes of two, four hops of 1 us apart by way of a spine: what goes within a node is there long before.
TEST(Direct, BetweenNodesTheNicsAndTheirHopsDecide) {
  Wiring w = wired(Wiring::Kind::switched, {450_GBps, 500_ns}, LinkModel{50_GBps, 1_us}, 2);
  w.farthest = 4;
  Request r{
      .operation = Operation::all_to_all, .row = row_over(box({4}, false), {0}, RowOrder::rows), .bytes = 16_MiB};
  r.wiring = w;
  const double v = 1 << 24;
  EXPECT_NEAR(choose_algorithm("direct", r).closed_form(r).seconds(w), 2 * v / 16 / 50e9 + 4e-6, 1e-12);
  r.operation = Operation::send_recv;
  r.pairs = {{0, 1}, {1, 2}};
  EXPECT_NEAR(choose_algorithm("direct", r).closed_form(r).seconds(w), v / 50e9 + 4e-6, 1e-12);
}

TEST(Direct, SharesTheOneLinkToASwitch) {
  Switched node(switched(grid_shape({8}, {false}), kIci, false));
  node.wiring.kind = Wiring::Kind::switched;
  node.wiring.link = kIci;
  const double v = 1 << 26;
  EXPECT_NEAR(node.seconds("direct", node.over_all(Operation::all_gather, 64_MiB, 1)), v * 7 / 8 / kW + 2e-6, 1e-9);
  EXPECT_NEAR(node.seconds("direct", node.over_all(Operation::all_to_all, 64_MiB, 1)), v * 7 / 64 / kW + 2e-6, 1e-9);
}

TEST(Direct, FoldsWhereAllChipsAreAlike) {
  for (const Shape& s : {box({4, 4}), box({3, 5}), box({4, 4, 4}), twisted_shape({3, 3, 6})})
    for (const Operation op : {Operation::all_to_all, Operation::all_gather, Operation::all_reduce}) {
      const auto schedule = schedule_of("direct", over(op, s, 1_MiB));
      EXPECT_EQ(run_schedule(s.fold(), schedule).time, run_schedule(s, schedule).time) << title(op);
    }
}

// Whole blocks, a way each: along every dimension as much goes one way round as the other, and that is half of what
// the distances add up to: of n places on a ring, floor(n^2 / 4) in all.
TEST(LargeRows, LoadAllLinksAlikeWithWholeBlocks) {
  for (const std::vector<int>& size :
       std::vector<std::vector<int>>{{8}, {7}, {4, 6}, {4, 5}, {3, 5, 6}, {8, 8, 8}, {7, 7, 7}, {16, 20, 28}}) {
    const Shape s = box(size);
    const RowPtr row = over(Operation::all_to_all, s, 1_B).row;
    const FarFirst ways(row, {}, FarFirst::Lanes::one_a_port);
    ASSERT_EQ(ways.lanes(), 2 * s.dimensions);
    std::array<double, 2 * kMaxDimensions> load{};
    int messages = 0;
    std::set<int> targets;
    for (int lane = 0; lane < ways.lanes(); ++lane) {
      int before = 1 << 20;
      for (int i = 0; i < ways.count({}, lane); ++i) {
        const Way w = ways.way({}, i, lane);
        EXPECT_EQ(Fabric::port(w.order, w.offset[w.order] < 0), lane);
        EXPECT_LE(w.offset.hops(), before);
        before = w.offset.hops();
        targets.insert(ways.target({}, w));
        ++messages;
        for (int d = 0; d < s.dimensions; ++d)
          load[static_cast<std::size_t>(Fabric::port(d, w.offset[d] < 0))] +=
              std::abs(w.offset[d]) / static_cast<double>(w.of);
      }
    }
    const auto even = std::count_if(size.begin(), size.end(), [](int n) { return n % 2 == 0; });
    EXPECT_EQ(targets.size(), s.chips() - 1) << size[0];
    EXPECT_EQ(messages, static_cast<int>(s.chips()) - 1 + (even == 1)) << size[0];  // one in halves
    for (std::size_t d = 0; d < size.size(); ++d) {
      const double half = std::floor(size[d] * size[d] / 4.0) * s.chips() / size[d] / 2;
      EXPECT_EQ(load[2 * d], half) << size[0];
      EXPECT_EQ(load[2 * d + 1], half) << size[0];
    }
  }
}

TEST(LargeRows, MeetTheBusiestLink) {
  for (const std::vector<int>& size :
       std::vector<std::vector<int>>{{300}, {16, 32}, {18, 19}, {8, 8, 8}, {4, 8, 16}, {9, 9, 9}, {16, 16, 16}}) {
    const Shape s = box(size);
    const double n = s.chips(), block = 1'000'000;
    double load = 0;
    for (const int a : size) load = std::max(load, std::floor(a * a / 4.0) * n / a / 2);
    const auto schedule =
        schedule_of("direct", over(Operation::all_to_all, s, Bytes(static_cast<std::uint64_t>(block * n * n))));
    EXPECT_EQ(schedule->lanes.size(), 2 * size.size());
    EXPECT_TRUE(schedule->lanes[0].paced);
    EXPECT_NEAR(run_schedule(s.fold(), schedule, kQuick).time.seconds() / (block * load / kW), 1, 0.001) << size[0];
  }
}

// The same lanes on small boxes, for all that is made of them.
TEST(LargeRows, PortByPortIsProven) {
  for (const Shape& s : {box({6}), box({5}), box({6}, false), box({4, 4}), box({4, 5}), box({3, 5}, false),
                         grid_shape({4, 3, 2}, {true, false, false}), twisted_shape({3, 3, 6})})
    for (const Operation op :
         {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce, Operation::all_to_all})
      for (const int chunks : {1, 3}) {
        SCOPED_TRACE(std::string(title(op)) + " " + std::to_string(s.chips()));
        Request r = over(op, s, Bytes(1'000'003));
        r.chunks = chunks;
        Request part = r;
        if (op != Operation::all_to_all) part.operation = Operation::all_gather;
        Schedule exchange = direct_exchange(part, FarFirst::Lanes::one_a_port);
        const int lanes = static_cast<int>(exchange.lanes.size()) / chunks;
        EXPECT_GT(lanes, 1);
        const auto schedule = std::make_shared<const Schedule>(
            op == Operation::all_to_all ? std::move(exchange) : gather_based(op, std::move(exchange), lanes));
        ASSERT_NO_THROW(prove(s, r, *schedule));
        const Ran ran = run_schedule(s, schedule);
        EXPECT_GE(ran.time, lower_bound(freeze(grid(s, kIci)), r));
        EXPECT_EQ(run_schedule(s, schedule, kIci, {}, 3).time, ran.time);
      }
}

TEST(LargeRows, AreProven) {
  for (const Shape& s : {box({17, 16}), grid_shape({16, 17}, {true, false})})
    for (const Operation op : {Operation::all_gather, Operation::reduce_scatter, Operation::all_reduce}) {
      const Request r = over(op, s, 1_MiB);
      const auto schedule = schedule_of("direct", r);
      EXPECT_EQ(schedule->lanes.size(), 4u);
      EXPECT_NO_THROW(prove(s, r, *schedule)) << title(op);
    }
}

// One message after another pays every overhead; posted at once, all pay it together.
TEST(LargeRows, CountTheStepsOfTheirLanes) {
  const Request large = over(Operation::all_to_all, box({7, 7, 7}), 64_MiB);
  EXPECT_EQ(choose_algorithm("direct", large).closed_form(large).steps, 57);  // 342 messages over 6 ports
  const Request small = over(Operation::all_to_all, box({4, 4, 4}), 64_MiB);
  EXPECT_EQ(choose_algorithm("direct", small).closed_form(small).steps, 1);
}

TEST(Direct, RefusesBroadcastsAndTooManyChunks) {
  EXPECT_THROW(choose_algorithm("direct", over(Operation::broadcast, box({4}), 1_MiB)), InputError);
  Request r = over(Operation::gather, box({4}), 16_B);
  r.chunks = 5;
  EXPECT_THROW(choose_algorithm("direct", r), InputError);
  Request large = over(Operation::all_gather, box({17, 17}), 1_GiB);
  large.chunks = 513;  // of four lanes each
  EXPECT_THROW(choose_algorithm("direct", large), InputError);
}

}  // namespace
}  // namespace hopsim::testing
