// What rooted operations share: chains and trees begin at request.root.
#pragma once

#include "collectives/algorithm.hpp"

namespace hopsim {

// A scatter seen backwards: what went out comes in, and stays what it is (nothing is summed).
Schedule gather_of(Schedule scatter);
// Of a broadcast or scatter: the operation itself; a reduce is a broadcast reversed, a gather a scatter reversed.
Schedule turned(Operation, Schedule from_root);
// Pieces for a pipeline of so many stages: many more than stages, each still worth a message, and none so small that
// chunk overheads cost more than filling the pipeline.
int pipeline_chunks(const Wiring&, Bytes, int stages, int most);
// To another member, the shorter way round.
Offset way_to(const Row&, const Coordinates& at, int target);

}  // namespace hopsim
