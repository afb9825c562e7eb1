// `machine:` of a scenario, and the machine spec of the command line, as text says it. Whether the chip exists and
// the mesh fits the slice is for whoever builds the machine; the places are there for its errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/document.hpp"
#include "sim/quantities.hpp"
#include "sim/units.hpp"

namespace hopsim {

enum class TopologyKind { ring, line, mesh, torus, twisted_torus, fully_connected, switched };
std::string_view name(TopologyKind);  // "switch" for switched

struct TopologySpec {
  FilePlace place;
  TopologyKind kind = TopologyKind::torus;
  Placed<std::vector<int>> shape;                 // empty with graphml
  std::optional<Placed<std::vector<bool>>> wrap;  // as many as the shape has dimensions
  std::optional<Placed<bool>> nvls;               // of a switch: it reduces and multicasts
  std::optional<Placed<std::string>> graphml;     // a file, as written
};

struct LinkSpec {
  Placed<Bandwidth> bandwidth;
  Placed<Time> latency;
};

// One axis of the logical mesh: a size, or the dimensions it takes ("x", "y", ...) in order.
struct MeshAxis {
  Placed<std::string> name;
  FilePlace place;  // of the value
  std::optional<std::int64_t> size;
  std::vector<Placed<std::string>> dimensions;
};

// A checked key and its text, for the catalogue to apply. A peak by dtype has the key "peak_flops.bf16".
struct Override {
  std::string key;
  std::string text;
  FilePlace place;
};

// A chip by its number, or by its coordinates.
struct ChipRef {
  std::vector<int> coordinates;  // empty: by number
  std::int64_t number = 0;
  FilePlace place;

  bool by_number() const { return coordinates.empty(); }
};

struct Fault {
  FilePlace place;
  std::vector<ChipRef> link;  // both ends, or empty
  std::optional<ChipRef> chip;
  bool down = false;
  bool one_way = false;
  std::optional<Ratio> bandwidth_share;
  std::optional<Placed<Bandwidth>> bandwidth;
  std::optional<Ratio> speed;  // of the chip
};

struct Jitter {
  Placed<Time> delay;
  std::uint64_t seed = 1;
};

struct MachineSpec {
  FilePlace place;
  // Either chip and slice, or topology and, unless a graph brings its own, link.
  std::optional<Placed<std::string>> chip;
  Placed<std::vector<int>> slice;
  std::optional<Placed<std::vector<bool>>> wrap;  // overrides the chip's rule; as long as the slice
  std::optional<Placed<bool>> twist;
  std::optional<Placed<int>> slices;  // joined over DCN
  std::optional<TopologySpec> topology;
  std::optional<LinkSpec> link;

  std::vector<MeshAxis> mesh;  // in the order of the file; empty: the dimensions themselves
  FilePlace mesh_place;
  std::optional<Placed<std::string>> layout;  // ring, rows: of an axis on a 2x2 block
  bool ideal = false;
  std::vector<Override> overrides;  // in the order of the file
  std::vector<Fault> faults;
  std::optional<Placed<std::string>> routing;  // dimension_ordered, rotations, minimal, table
  std::optional<Jitter> jitter;

  const std::vector<int>& shape() const { return topology ? topology->shape.value : slice.value; }
};

MachineSpec load_machine(const YamlValue&);
ChipRef load_chip_ref(const YamlValue&);  // 5, or [0, 1]

// `tpu_v5e:8x4`, `torus:8x8,bw=45GB/s,lat=1us`, `graphml:FILE`: the same as a map, so that `--set machine...` works
// on it. Places name the flag and count within the spec.
YamlValue machine_from_spec(std::string_view spec, const std::string& flag = "--machine");

// Puts a machine in place of the document's.
void replace_machine(Document&, YamlValue machine);

// "8x4" as sizes. Throws InputError.
std::vector<int> parse_shape(std::string_view text);

}  // namespace hopsim
