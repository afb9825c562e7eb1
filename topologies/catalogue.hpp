// The hardware catalogue: one YAML file a chip (catalogue/*.yaml), compiled into the program, with a source beside
// every number.
//
// A file has the name, description, vendor and kind of fabric (torus, switched, fully_connected, hybrid_cube_mesh),
// then the numbers every chip has, then those of its kind of fabric (catalogue_fields.cpp; there it also says which
// of them a scenario's `overrides` take). Each number is `key: {value: 820 GB/s, source: "..."}`; what nobody
// published is left out, or an estimate that says so. Reading is strict: an unknown, missing or repeated key, a
// number without unit or source is an InputError with FILE:LINE:COLUMN.
//
// To add a chip: one file, one line in CMakeLists.txt. To add a kind of fabric: a struct of its own keys, an
// alternative of `ChipModel::fabric`, and a row of fields in catalogue_fields.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/embedded_file.hpp"
#include "sim/quantities.hpp"
#include "sim/units.hpp"
#include "topologies/cluster_network.hpp"

namespace hopsim {

template <class T>
struct Sourced {
  T value{};
  std::string source;
};

// Which dimensions of a slice get their ends joined. A dimension of 2 or less never does: its chips are neighbours
// already, and have one link each way.
struct WrapRule {
  enum class Kind : std::uint8_t {
    full_axis,    // `full_axis_16`: the dimensions of exactly `length` chips
    whole_cubes,  // `cubes_of_4`: all of them, if each is a multiple of `length`, else none
  };
  Kind kind = Kind::full_axis;
  int length = 0;
};

// Chips wired to their neighbours in 2 or 3 dimensions: every TPU.
struct TorusFabric {
  Sourced<int> links_per_chip;  // to neighbours, each a link out and a link in
  Sourced<int> dimensions;
  Sourced<std::vector<int>> pod_shape;  // the largest slice
  Sourced<WrapRule> wraparound;
  Sourced<int> chips_per_host;
  // Between slices: of one chip, its share of its host's network.
  std::optional<Sourced<Bandwidth>> dcn_bandwidth;
  std::optional<Sourced<Time>> dcn_latency;  // of one hop: chip to network, network to chip
};

// GPUs in domains (nodes, racks) of fast links, joined by a NIC a GPU.
struct GpuFabric {
  enum class Wiring : std::uint8_t {
    switched,          // all on one crossbar: NVSwitch. A link is all NVLinks of a GPU together
    fully_connected,   // a link to every other of the domain; a link is one pair's
    hybrid_cube_mesh,  // DGX-1: 6 NVLinks to 4 neighbours; a link is one NVLink
  };
  Wiring wiring = Wiring::switched;
  Sourced<int> links_per_chip;   // as the vendor counts them, each both ways
  Sourced<int> gpus_per_domain;  // the most there are
  Sourced<bool> nvls;            // whether switches reduce and multicast
  Sourced<Bandwidth> nic_bandwidth;
  Sourced<Time> nic_latency;  // of every hop of the network
  Sourced<Ratio> nic_efficiency;
  Sourced<ClusterNetwork::Kind> network;
  Sourced<int> pod_domains;                 // domains under one set of leaves; 0: all
  Sourced<int> spines;                      // 0: the network has none
  Sourced<Bandwidth> leaf_spine_bandwidth;  // between one leaf and one spine, all cables together
};

// One number as it was written, for whoever shows the catalogue.
struct CatalogueNumber {
  std::string key;  // as in `overrides`: "hbm_bandwidth", "peak_flops.bf16"
  std::string text;
  std::string source;
};

// Rates are per chip; link, NIC, DCN and PCIe bandwidth one way. A default-constructed model is a machine without a
// chip: no overheads, efficiency 1, no compute.
struct ChipModel {
  std::string name, description, vendor;

  std::map<std::string, Sourced<FlopRate>, std::less<>> peak_flops;  // by dtype, read by peak_flops() below
  Sourced<Ratio> flops_efficiency;                                   // share of the peak a large matmul reaches
  Sourced<Bandwidth> hbm_bandwidth;
  Sourced<Bytes> hbm_capacity;
  Sourced<Bandwidth> link_bandwidth;  // line rate of one link
  Sourced<Ratio> link_efficiency;     // share of the line rate that is payload
  Sourced<Time> hop_latency;
  Sourced<Time> launch_overhead;                     // before a collective's first message
  Sourced<Time> step_overhead;                       // before each message; occupies nothing
  Sourced<Time> chunk_overhead;                      // of the sender's channel, each chunk
  Sourced<Time> loop_overhead;                       // of the compute unit, each chunk of a collective matmul but
                                                     // the chip's own; 0 where the file has none
  Sourced<Ratio> comm_compute_share{{0, 1}, {}};     // of the compute unit, while a collective runs; 0 likewise
  std::optional<Sourced<Bandwidth>> pcie_bandwidth;  // to the host

  std::variant<TorusFabric, GpuFabric> fabric;
  std::vector<CatalogueNumber> numbers;  // all of the above, in the order of the file
};

// Embedded by CMake, in the order of the catalogue.
std::span<const EmbeddedFile> catalogue_files();

std::vector<std::string> catalogue_names();

// Throws InputError for an unknown name, with the valid ones and the nearest.
ChipModel find_chip(std::string_view name);

// Reads one file of the catalogue; `file` is its name in errors.
ChipModel parse_chip(std::string_view file, const std::string& text);

// Sets one of the numbers that `overrides` take from text. `key` may be "peak_flops.DTYPE"; plain "peak_flops"
// replaces the rates of all dtypes by one. Throws InputError for a key this kind of chip does not have or a bad
// value.
void set_number(ChipModel& chip, std::string_view key, std::string_view text, const std::string& source);

// The keys set_number takes for some kind of chip, "peak_flops" first; and whether it would take this text.
std::vector<std::string_view> number_keys();
void check_number(std::string_view key, std::string_view text);

// Datasheet values only: efficiencies 1, no overheads; hop latency stays.
void make_ideal(ChipModel& chip);

// Throws InputError, naming the dtypes there are, where no rate is known.
FlopRate peak_flops(const ChipModel& chip, std::string_view dtype);

// Throws InputError if the chip's fabric is of another kind.
const TorusFabric& torus_fabric(const ChipModel& chip);

// Null for a TPU, and for a machine without a chip.
const GpuFabric* gpu_fabric(const ChipModel& chip);

std::string_view name(GpuFabric::Wiring);     // as the catalogue has it: "switched"
std::string_view name(ClusterNetwork::Kind);  // "one_switch", "rails", "leaf_spine"

std::uint32_t pod_chips(const ChipModel& chip);

// For each dimension of the slice, whether its ends are joined. Throws InputError for a slice of more dimensions than
// the chip has.
std::vector<bool> wraparound(const ChipModel& chip, const std::vector<int>& slice);

}  // namespace hopsim
