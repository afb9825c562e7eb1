// A machine as it is simulated: the chip's numbers, the fabric, the logical mesh laid over it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/machine_graph.hpp"
#include "scenarios/machine_spec.hpp"
#include "sharding/array.hpp"
#include "sim/engine.hpp"
#include "sim/fabric.hpp"
#include "topologies/catalogue.hpp"
#include "topologies/link_model.hpp"

namespace hopsim {

enum class Wires {
  grid,      // rings to tori, twisted or damaged ones too, and slices of them over DCN
  switched,  // a link a chip, into a switch
  direct,    // links to several others: fully connected, DGX-1, any graph of a file
};

struct MachineModel {
  ChipModel chip;
  std::string name;  // "tpu_v5e", or the kind of topology; of a graph its file
  Shape shape;
  LinkModel
      link;  // of one ICI link or NVLink as the catalogue counts it, of a graph the slowest; efficiency taken off
  std::optional<LinkModel> nic;  // between domains: a GPU's NIC, a TPU's share of DCN; efficiency taken off
  std::uint32_t domain = 0;      // chips of one node, rack or slice, consecutive in number
  bool nvls = false;             // whether each domain's switch reduces and multicasts
  Wires wires = Wires::grid;
  std::shared_ptr<const MachineGraph> graph;
  Overheads overheads;
  std::vector<Ratio> speeds;                 // of compute, by chip; empty: all 1
  Mesh mesh;                                 // named axes
  std::vector<std::vector<int>> dimensions;  // of the shape, by axis of the mesh, outermost first
  bool row_by_row = false;                   // how an axis over several dimensions runs: else as a ring
  std::vector<std::string> warnings;

  const Fabric& fabric() const { return graph->fabric(); }  // of a plain box built at first use
  std::uint32_t domains() const { return shape.logical_chips() / domain; }
};

// Throws PlacedError for a chip, slice, topology, mesh, wrap, override or fault that does not fit. Reads the file of
// `topology: {graphml: FILE}`, from the folder of the scenario.
MachineModel build_machine(const MachineSpec&);

}  // namespace hopsim
