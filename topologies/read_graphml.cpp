#include "topologies/graphml.hpp"

#include <algorithm>
#include <boost/graph/graphml.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <istream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/error.hpp"
#include "sim/units.hpp"
#include "topologies/grid.hpp"
#include "topologies/reach.hpp"
#include "topologies/xml_tags.hpp"

namespace hopsim {
namespace {

constexpr std::size_t kMostBytes = 32'000'000, kMostNodes = 32'767, kMostEdges = 100'000;
constexpr std::uint64_t kMostWeight = 1'000'000;

using Properties = std::map<std::string, std::string, std::less<>>;

struct FileEdge {
  std::size_t from, to;  // vertices of the file
  Properties properties;
};

// Takes down what the reader finds, in the order of the file.
class Collector final : public boost::mutate_graph {
 public:
  explicit Collector(bool directed) : directed_(directed) {}
  std::vector<Properties> nodes;
  std::vector<FileEdge> edges;

  bool is_directed() const override { return directed_; }
  boost::any do_add_vertex() override {
    nodes.emplace_back();
    return nodes.size() - 1;
  }
  std::pair<boost::any, bool> do_add_edge(boost::any source, boost::any target) override {
    edges.push_back({boost::any_cast<std::size_t>(source), boost::any_cast<std::size_t>(target), {}});
    return {edges.size() - 1, true};
  }
  void set_graph_property(const std::string&, const std::string&, const std::string&) override {}
  void set_vertex_property(const std::string& name, boost::any node, const std::string& value,
                           const std::string&) override {
    nodes[boost::any_cast<std::size_t>(node)][name] = value;
  }
  void set_edge_property(const std::string& name, boost::any edge, const std::string& value,
                         const std::string&) override {
    edges[boost::any_cast<std::size_t>(edge)].properties[name] = value;
  }

 private:
  bool directed_;
};

std::string read_text(std::istream& in, const std::string& file) {
  std::string text;
  std::vector<char> block(1 << 16);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMostBytes) throw InputError(file + ": the file is too large", "", "up to 32 MB");
  }
  return text;
}

class Reader {
 public:
  Reader(std::istream& in, const std::string& file)
      : file_(file), text_(read_text(in, file)), tags_(find_tags(text_)), found_(!tags_.undirected) {}

  Topology read() {
    require_size();
    parse();
    number_nodes();
    for (std::size_t e = 0; e < found_.edges.size(); ++e) add_links(e);
    try {
      require_connected(topology_);
    } catch (const InputError& error) {
      throw InputError(file_ + ": " + error.what());
    }
    return std::move(topology_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& got = {},
                           const std::string& valid = {}) const {
    throw InputError(file_ + ": " + problem, got, valid);
  }
  std::string place(const std::vector<std::size_t>& tags, std::size_t i) const {
    return file_ + ":" + (i < tags.size() ? line_and_column(text_, tags[i]) : "1:1") + ": ";
  }
  template <class Parse>
  auto with_place(const std::vector<std::size_t>& tags, std::size_t i, const std::string& what, Parse value) const {
    try {
      return value();
    } catch (const InputError& error) {
      throw InputError(place(tags, i) + what + ": " + error.what());
    }
  }

  void require_size() const {
    if (tags_.nodes.size() > kMostNodes)
      refuse("too many chips and switches", std::to_string(tags_.nodes.size()),
             "up to " + std::to_string(kMostNodes));
    if (tags_.edges.size() > kMostEdges)
      refuse("too many edges", std::to_string(tags_.edges.size()), "up to " + std::to_string(kMostEdges));
  }

  void parse() {
    std::istringstream in(text_);
    try {
      boost::read_graphml(in, found_, 0);
    } catch (const boost::property_tree::xml_parser_error& error) {
      throw InputError(file_ + ":" + std::to_string(std::max(error.line(), 1ul)) + ":1: no XML: " + error.message());
    } catch (const boost::directed_graph_error&) {
      refuse("the file mixes directed and undirected edges", "", "one kind of edge");
    } catch (const boost::undirected_graph_error&) {
      refuse("the file mixes directed and undirected edges", "", "one kind of edge");
    } catch (const std::exception& error) {
      refuse(std::string("no GraphML: ") + error.what());
    }
  }

  const std::string* property(const Properties& all, std::string_view name) const {
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
  }
  bool flag(std::size_t node, std::string_view name, bool otherwise) const {
    const std::string* text = property(found_.nodes[node], name);
    if (!text) return otherwise;
    if (*text != "true" && *text != "false" && *text != "1" && *text != "0")
      throw InputError(place(tags_.nodes, node) + std::string(name) + " is yes or no", *text, "true, false");
    return *text == "true" || *text == "1";
  }

  // Chips first, then switches that reduce, then the others.
  void number_nodes() {
    std::vector<int> kind;
    for (std::size_t n = 0; n < found_.nodes.size(); ++n) {
      const std::string* type = property(found_.nodes[n], "type");
      if (type && *type != "chip" && *type != "switch")
        throw InputError(place(tags_.nodes, n) + "unknown type of vertex", *type, "chip, switch");
      kind.push_back(!type || *type == "chip" ? 0 : flag(n, "reduces", false) ? 1 : 2);
    }
    const auto chips = std::count(kind.begin(), kind.end(), 0);
    if (chips == 0) refuse("the graph has no chips", std::to_string(kind.size()) + " switches", "at least 1 chip");
    topology_.shape = grid_shape({static_cast<int>(chips)}, {false});
    topology_.shape.switches = static_cast<std::uint32_t>(std::count(kind.begin(), kind.end(), 1));
    topology_.domain = topology_.shape.chips();
    number_.resize(kind.size());
    for (int k = 0; k <= 2; ++k)
      for (std::size_t n = 0; n < kind.size(); ++n)
        if (kind[n] == k)
          number_[n] = static_cast<std::uint32_t>(add_vertex(node_properties(n, k > 0), topology_.graph));
  }
  NodeProperties node_properties(std::size_t n, bool is_switch) const {
    const std::string* name = property(found_.nodes[n], "name");
    return {.is_switch = is_switch, .forwards = flag(n, "forwards", true), .name = name ? *name : id(n)};
  }
  std::string id(std::size_t n) const { return n < tags_.nodes.size() ? attribute(text_, tags_.nodes[n], "id") : ""; }
  std::string name(const FileEdge& e) const { return "the link from " + id(e.from) + " to " + id(e.to); }

  template <class Parse>
  auto quantity(std::size_t e, const std::string& key, const std::string& example, Parse value) const {
    const FileEdge& edge = found_.edges[e];
    const std::string* text = property(edge.properties, key);
    if (!text) throw InputError(place(tags_.edges, e) + name(edge) + " has no " + key, "", example);
    return with_place(tags_.edges, e, name(edge) + ": " + key, [&] { return value(*text); });
  }

  void add_links(std::size_t e) {
    const FileEdge& edge = found_.edges[e];
    if (edge.from == edge.to)
      throw InputError(place(tags_.edges, e) + "a link leads from a node to itself", id(edge.from));
    LinkProperties p{quantity(e, "bandwidth", "45 GB/s", parse_bandwidth),
                     quantity(e, "latency", "1 us", [](const std::string& text) { return parse_time(text); })};
    if (property(edge.properties, "weight"))
      p.weight = static_cast<std::uint32_t>(
          quantity(e, "weight", "1", [](const std::string& text) { return parse_count(text, 1, kMostWeight); }));
    add_link(e, number_[edge.from], number_[edge.to], p);
    if (!found_.is_directed()) add_link(e, number_[edge.to], number_[edge.from], p);
  }
  void add_link(std::size_t e, std::uint32_t from, std::uint32_t to, const LinkProperties& p) {
    if (!pairs_.insert(std::uint64_t{from} << 32 | to).second)
      throw InputError(place(tags_.edges, e) + name(found_.edges[e]) + " is there already", "",
                       "one link each way between two nodes, of all its lanes' bandwidth");
    add_edge(from, to, p, topology_.graph);
  }

  std::string file_, text_;
  XmlTags tags_;
  Collector found_;
  std::vector<std::uint32_t> number_;  // in the topology, by vertex of the file
  std::set<std::uint64_t> pairs_;
  Topology topology_;
};

}  // namespace

Topology read_graphml(std::istream& in, const std::string& file) { return Reader(in, file).read(); }

}  // namespace hopsim
