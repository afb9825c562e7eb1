// Where the nodes and edges of a GraphML text are: Boost's reader knows neither lines nor, before it has built a tree
// of the whole text, how many there are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hopsim {

struct XmlTags {
  std::vector<std::size_t> nodes, edges;  // offsets of their start tags, in order
  bool undirected = false;                // the graph's default for edges
};

// Outside comments and CDATA.
XmlTags find_tags(std::string_view text);

// The value of `name="..."` in the tag that begins at `tag`, as written; empty where there is none.
std::string attribute(std::string_view text, std::size_t tag, std::string_view name);

// "LINE:COLUMN" from 1.
std::string line_and_column(std::string_view text, std::size_t offset);

}  // namespace hopsim
