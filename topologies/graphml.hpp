// Fabrics to and from GraphML and DOT files (Boost.Graph).
//
// GraphML: a vertex is a chip unless its `type` is "switch" (the other type: "chip"). An edge has a `bandwidth` and a
// `latency`, quantities with units as in scenario files ("45 GB/s", "1 us"). Edges of an undirected graph are links
// both ways. Chips are numbered in the order of the file. What a file may say besides: a vertex's `name` (else its id
// is its name), `forwards` ("false": messages of others do not pass through it), `reduces` ("true": a switch that
// takes part in collectives); an edge's `weight` (routes take the way of least weight; 1). Other keys are ignored.
//
// A grid that is written and read is a network of the same links: GraphML does not say where chips are.
#pragma once

#include <iosfwd>
#include <string>

#include "topologies/link_graph.hpp"

namespace hopsim {

// Throws InputError with FILE:LINE:COLUMN of the edge or vertex: no or bad bandwidth or latency, a loop, two links
// between the same nodes, no chips, parts without a way between them (naming one chip of each); and, before it is
// parsed, for a file larger than 32 MB, of more than 32,767 chips and switches or 100,000 edges. Boost takes about
// 11 KB and 40 us an edge.
Topology read_graphml(std::istream&, const std::string& file);

void write_graphml(std::ostream&, const Topology&);

// Links both ways between the same nodes are drawn as one where they are alike.
void write_dot(std::ostream&, const Topology&);

}  // namespace hopsim
