// The hardware catalogue: one YAML file a chip (catalogue/*.yaml), compiled into the program, with a source beside
// every number.
//
// A file has the name, description, vendor and kind of fabric, then the numbers every chip has (`kCommon` in
// catalogue.cpp: the keys a scenario's `overrides` take), then those of its kind of fabric. Each number is
// `key: {value: 820 GB/s, source: "..."}`; what nobody published is left out. Reading is strict: an unknown, missing
// or repeated key, a number without unit or source is an InputError with FILE:LINE:COLUMN.
//
// To add a chip: one file, one line in CMakeLists.txt. To add a kind of fabric (a switched node, say): a struct of
// its own keys, an alternative of `ChipModel::fabric`, and a row of fields in catalogue.cpp.
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
};

// One number as it was written, for whoever shows the catalogue.
struct CatalogueNumber {
  std::string key;  // as in `overrides`: "hbm_bandwidth", "peak_flops.bf16"
  std::string text;
  std::string source;
};

// Rates are per chip; link, DCN and PCIe bandwidth one way. A default-constructed model is a machine without a chip:
// no overheads, efficiency 1, no compute.
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
  std::optional<Sourced<Bandwidth>> dcn_bandwidth;   // between slices
  std::optional<Sourced<Bandwidth>> pcie_bandwidth;  // to the host

  std::variant<TorusFabric> fabric;
  std::vector<CatalogueNumber> numbers;  // all of the above, in the order of the file
};

// Embedded by CMake, in the order of the catalogue.
std::span<const EmbeddedFile> catalogue_files();

std::vector<std::string> catalogue_names();

// Throws InputError for an unknown name, with the valid ones and the nearest.
ChipModel find_chip(std::string_view name);

// Reads one file of the catalogue; `file` is its name in errors.
ChipModel parse_chip(std::string_view file, const std::string& text);

// Sets one of the numbers every chip has from text, as `overrides` do. `key` may be "peak_flops.DTYPE"; plain
// "peak_flops" replaces the rates of all dtypes by one. Throws InputError for an unknown key or a bad value.
void set_number(ChipModel& chip, std::string_view key, std::string_view text, const std::string& source);

// Datasheet values only: efficiencies 1, no overheads; hop latency stays.
void make_ideal(ChipModel& chip);

// Throws InputError, naming the dtypes there are, where no rate is known.
FlopRate peak_flops(const ChipModel& chip, std::string_view dtype);

// Throws InputError if the chip's fabric is of another kind.
const TorusFabric& torus_fabric(const ChipModel& chip);

std::uint32_t pod_chips(const ChipModel& chip);

// For each dimension of the slice, whether its ends are joined. Throws InputError for a slice of more dimensions than
// the chip has.
std::vector<bool> wraparound(const ChipModel& chip, const std::vector<int>& slice);

}  // namespace hopsim
