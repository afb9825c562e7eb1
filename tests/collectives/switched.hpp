// Switched machines for tests: a topology, frozen, with what algorithms may know of it.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tests/support/runs.hpp"
#include "topologies/networks.hpp"

namespace hopsim::testing {

inline Wiring wired(Wiring::Kind kind, const LinkModel& link, std::optional<LinkModel> nic = {}, int local = 0) {
  Wiring w;
  w.kind = kind;
  w.link = link;
  w.nic = nic;
  w.local = local;
  return w;
}

struct Switched {
  explicit Switched(Topology t) : topology(std::move(t)), fabric(freeze(topology)), shape(topology.shape) {}

  Ran run(std::shared_ptr<const Schedule> schedule, std::uint64_t shuffle = 0) const {
    EventEngine engine(fabric, {});
    if (shuffle) engine.shuffle_instants(shuffle);
    Machine machine(fabric, engine, {});
    Program program;
    program.push_back({.work = CollectiveTask{std::move(schedule)}, .after = {}});
    machine.run(program);
    return {machine.totals()[0].end, engine.totals()};
  }
  double seconds(std::string_view algorithm, const Request& r) const {
    return run(schedule_of(algorithm, r)).time.seconds();
  }
  // Over all chips, in the order of their numbers.
  Request over_all(Operation op, Bytes bytes, int chunks = 0) const {
    std::vector<int> dims;
    for (int d = 0; d < shape.dimensions; ++d) dims.push_back(d);
    return {.operation = op,
            .row = row_over(shape, dims, RowOrder::rows),
            .bytes = bytes,
            .chunks = chunks,
            .wiring = wiring};
  }
  Request over_groups(Operation op, Bytes bytes, const std::vector<std::vector<std::uint32_t>>& numbers,
                      int chunks = 0) const {
    std::vector<std::vector<ChipId>> groups;
    for (const auto& g : numbers) {
      groups.emplace_back();
      for (const auto c : g) groups.back().push_back(ChipId{c});
    }
    Request r{
        .operation = op, .row = row_of_groups(shape, groups), .bytes = bytes, .chunks = chunks, .wiring = wiring};
    r.wiring.local = 0;
    return r;
  }

  Topology topology;
  Fabric fabric;
  Shape shape;
  Wiring wiring;
};

// GPUs on one switch that reduces.
inline Switched nvls_node(int gpus, const LinkModel& link) {
  Switched s(switched(grid_shape({gpus}, {false}), link, true));
  s.wiring = wired(Wiring::Kind::switched, link);
  s.wiring.nvls = [node = s.shape.chips()](const Coordinates&) { return node; };
  return s;
}

// Nodes of GPUs with a NIC each, all NICs on one ideal switch.
inline Switched nvls_nodes(int nodes, int gpus, const LinkModel& link, const LinkModel& nic) {
  Switched s(cluster(switched(grid_shape({gpus}, {false}), link, true), nodes, {.nic = nic}));
  s.wiring = wired(Wiring::Kind::switched, link, nic, gpus);
  s.wiring.nvls = [chips = s.shape.chips()](const Coordinates& at) {
    return chips + static_cast<std::uint32_t>(at[0]);
  };
  return s;
}

}  // namespace hopsim::testing
