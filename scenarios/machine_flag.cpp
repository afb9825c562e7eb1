// The machine spec of the command line, `NAME:SHAPE[,KEY=VALUE...]` or `graphml:FILE`, as the map a scenario would
// have.
#include <memory>
#include <utility>

#include "scenarios/fields.hpp"
#include "scenarios/machine_spec.hpp"
#include "scenarios/made_values.hpp"

namespace hopsim {
namespace {

constexpr const char* kExamples = "tpu_v5e:8x4, h100_sxm:2x8, torus:8x8,bw=45GB/s,lat=1us, graphml:FILE, ...";

class SpecReader {
 public:
  SpecReader(std::string_view spec, const std::string& flag)
      : spec_(spec), file_(std::make_shared<const std::string>(flag)) {}

  YamlValue read() const {
    const std::size_t colon = spec_.find(':');
    const std::string head(spec_.substr(0, colon));
    if (colon == std::string_view::npos || colon == 0) {
      throw PlacedError(place(0), "a machine needs a name and a shape", quoted_for_message(std::string(spec_)),
                        kExamples);
    }
    if (head == "graphml") return graph(colon);
    const std::size_t comma = std::min(spec_.find(',', colon), spec_.size());
    const YamlValue shape = scalar(colon + 1, comma);
    YamlValue machine = map(0);
    if (!is_topology(head)) {
      if (comma != spec_.size()) {
        throw PlacedError(place(comma + 1), "a chip takes no options", std::string(spec_.substr(comma + 1)),
                          "--set machine.KEY=VALUE; or a topology, such as torus:8x8,bw=45GB/s,lat=1us");
      }
      add_entry(machine, "chip", scalar(0, colon));
      add_entry(machine, "slice", shape);
      return machine;
    }
    YamlValue topology = map(0);
    add_entry(topology, "kind", scalar(0, colon));
    add_entry(topology, "shape", shape);
    add_entry(machine, "topology", std::move(topology));
    add_entry(machine, "link", link(comma));
    return machine;
  }

 private:
  FilePlace place(std::size_t offset) const { return {file_, 1, 1 + static_cast<int>(offset)}; }

  static bool is_topology(std::string_view name) {
    for (int kind = 0; kind <= static_cast<int>(TopologyKind::switched); ++kind) {
      if (hopsim::name(static_cast<TopologyKind>(kind)) == name) return true;
    }
    return false;
  }

  YamlValue graph(std::size_t colon) const {
    YamlValue machine = map(0), topology = map(0);
    add_entry(topology, "graphml", scalar(colon + 1, spec_.size()));
    topology.items.back().key_place = place(0);
    add_entry(machine, "topology", std::move(topology));
    return machine;
  }

  // The options after `comma`; what is missing of them the loader will say.
  YamlValue link(std::size_t comma) const {
    YamlValue link = map(comma);
    while (comma < spec_.size()) {
      const std::size_t begin = comma + 1, next = std::min(spec_.find(',', begin), spec_.size());
      const std::string_view option = spec_.substr(begin, next - begin);
      const std::size_t equals = std::min(option.find('='), option.size());
      const std::string key(option.substr(0, equals));
      if (key != "bw" && key != "lat") refuse_name(place(begin), "option of a topology", key, {"bw", "lat"});
      if (equals == option.size()) throw PlacedError(place(begin), key + " needs a value", "", key + "=...");
      const std::string full = key == "bw" ? "bandwidth" : "latency";
      if (link.find(full) != nullptr) throw PlacedError(place(begin), "an option given twice", key, "each once");
      YamlValue value = scalar(begin + equals + 1, next);
      add_entry(link, full, std::move(value));
      link.items.back().key_place = place(begin);
      comma = next;
    }
    for (const auto& [key, flag] : {std::pair{"bandwidth", "bw=45GB/s"}, std::pair{"latency", "lat=1us"}}) {
      if (link.find(key) == nullptr) {
        throw PlacedError(place(spec_.size()), std::string("a topology needs a link ") + key, "",
                          "as in SPEC," + std::string(flag));
      }
    }
    return link;
  }

  YamlValue map(std::size_t offset) const { return made_value(YamlValue::Kind::map, place(offset)); }

  YamlValue scalar(std::size_t begin, std::size_t end) const {
    return made_scalar(std::string(spec_.substr(begin, end - begin)), place(begin));
  }

  std::string_view spec_;
  std::shared_ptr<const std::string> file_;
};

}  // namespace

YamlValue machine_from_spec(std::string_view spec, const std::string& flag) { return SpecReader(spec, flag).read(); }

}  // namespace hopsim
