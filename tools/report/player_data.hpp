// What the chunk player plays: every message of a collective step, as it was simulated.
//
// A recorder keeps the messages of the steps worth showing; once the run is over, each of them becomes a Player
// object of tools/report/README.md. The page knows nothing of algorithms: it starts from what every chip holds
// (collectives/ contents.hpp), hands over message by message, and checks what the operation promises of the end.
//
//   {step          index of the step in the run, from 0
//    line, title "AllReduce over X", text, operation, algorithm, bytes, start_s, time_s
//    complete      false: the run was stopped before its end
//    actors        [{name "(0,1)", chip, group}]   rows: the chips, group by group, in the order of the group; then
//                                                  switches that take part, once for every group they serve
//    groups        [[actor, ...]]                  chips only; a chip's place here is its position
//    root          position, of broadcast, reduce, gather, scatter
//    pairs         [[from, to]] positions, of collective_permute and send_recv
//    sums          true: at the start every chip holds its own contribution to every atom, a number to be summed;
//                  false: `origin` holds the atom, nobody else
//    slots         {kind, count, pieces}  kind: what columns are
//                     "shard"  column s is shard s, the one that position s brings or ends with
//                     "piece"  a share of the one array of a broadcast or reduce
//                     "block"  AllToAll: the block from o to d is in column d on o, and in column o on d
//                     "array"  two columns: the chip's own array, and the one it gets
//                  pieces: into how many atoms each is cut, at most
//    atoms         {origin, shard, piece}   columns, by atom: position it starts at (-1: of a sum); column, of a
//    block
//                                           the position it is for, of an array its origin; piece within that
//    times_s       instants, ascending, from the start of the step
//    chunks        [{bytes, atoms: [first, count, first, count, ...]}]
//    messages      {from, to, op, chunk, hops, posted, start, delivered, taken, after}}   columns, in the order taken
//                  from, to   actors
//                  op         0: the receiver copies, 1: it adds to what it holds
//                  posted, start (on its first link), delivered, taken (by the receiver's program): index times_s
//                  after      it carries what its sender held when so many of the messages had been taken
//
// Cost: 80 bytes a message while the run lasts; limits below keep pages small.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "scenarios/results.hpp"
#include "sim/recorder.hpp"
#include "tools/report/player_replay.hpp"

namespace hopsim {

class PlayerRecorder final : public Recorder {
 public:
  static constexpr std::uint32_t kMostChips = 64;        // in one player
  static constexpr std::uint32_t kMostMachine = 1024;    // chips
  static constexpr std::size_t kMostSteps = 12;          // with a player, in a run
  static constexpr std::size_t kMostMessages = 200'000;  // of one step
  static constexpr std::size_t kMostOfAll = 400'000;     // of all steps that are shown
  static constexpr std::size_t kMostMoves = 1'000'000;   // of one step: atoms, over all messages
  static constexpr std::size_t kMostCells = 4'000'000;   // of one step: atoms x actors

  // Both outlive it.
  PlayerRecorder(const MachineModel&, const Plan&);

  bool wanted() const { return !recorded_.empty(); }  // else there is nothing to record
  void hop(const HopRecord&) override;
  void compute(ChipId, std::uint32_t, Time, Time) override {}
  void task(ChipId, std::uint32_t task, Time start, Time end) override;

  // Of the run that has just been recorded, in the order of its steps. Adds to the notes.
  nlohmann::ordered_json players(const RunResult&);
  const std::vector<std::string>& notes() const { return notes_; }  // which steps have none, and why

 private:
  struct Recorded {
    std::uint32_t step = 0;
    std::vector<bool> shown;  // by chip
    std::vector<PlayedMessage> parts;
    std::vector<Time> starts;  // by actor
    bool too_many = false;
  };

  void choose_steps();
  std::string refusal(std::uint32_t step, std::vector<bool>& shown);
  std::string name(std::uint32_t step) const;

  const MachineModel& machine_;
  const Plan& plan_;
  std::vector<Recorded> recorded_;
  std::vector<std::int32_t> of_task_;                // index of recorded_, -1: none
  std::unordered_map<std::uint64_t, Time> started_;  // messages of several hops that are under way
  std::vector<std::string> notes_;
};

}  // namespace hopsim
