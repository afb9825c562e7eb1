// What a run's messages meant: when each was taken in by its receiver, and what was sent on before that.
//
// A message that has been delivered waits until the receiving lane comes to the passage that takes it (a partner may
// be a round ahead); only then it counts. Of several that a passage waits for, each counts as it comes. Recorders
// hear of postings and deliveries; the schedule says which passage takes what, so lanes are walked once more along
// those times. Tokens to oneself are no messages, and are followed here.
//
// Cost: the messages, and log of them to bring them in order.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/coordinates.hpp"
#include "sim/recorder.hpp"
#include "sim/schedule.hpp"

namespace hopsim {

struct PlayedMessage {
  std::uint32_t from = 0, to = 0;  // nodes
  std::uint32_t lane = 0, phase = 0, passage = 0;
  Op op = Op::copy;
  Chunk chunk{};
  std::uint32_t hops = 0;
  Bytes bytes;
  Time posted, start, delivered, taken;
  // It carries what its sender held when `after` of all messages, in the order of the list, had been taken in.
  std::uint32_t after = 0;
};

struct Replayed {
  std::vector<PlayedMessage> messages;  // in the order they are taken in
  bool complete = true;                 // else some were never taken: the run was stopped
};

// Of all messages, or of those of some groups: lanes wait for ever for others. `parts` are whole messages or, where
// the fabric splits each over several routes, parts of such. `starts`: of the task, by actor; later actors start at
// 0.
Replayed replay(const Shape&, const Schedule&, std::vector<PlayedMessage> parts, const std::vector<Time>& starts);

}  // namespace hopsim
