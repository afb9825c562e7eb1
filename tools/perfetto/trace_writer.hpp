// Writes a run as a native Perfetto trace (protobuf TrackEvents), as it happens, in constant memory.
//
// What is shown: trace_scope.hpp. Tracks: track_tree.hpp. Categories: "step", "collective", "compute", "link",
// "receive", "exposed", "critical", "message". Flow arrows lead from each step to those that waited for it on its
// chip (step_arrows.hpp). A message is a slice on every link it passes, or one from its entering the first link to
// its delivery, and an instant where it is delivered, named by what the receiver does with it ("received",
// "reduced"); arrows join them. Slices of messages are named by the step of the program they belong to.
//
// Of what is not shown no arrow begins or ends: a flow id may stand alone where the rest of a way is hidden, of which
// trace_processor makes no flow.
//
// Counters: link utilisation and bytes in flight, of every chip and of all, exact up to a number of changes and means
// beyond it (see fabric_load.hpp). They are written at the end, a sample where the value changes.
//
// Arguments: of a message bytes, step (line of the program, from 1), phase, passage, lane (place in the schedule),
// chunk and chunk_atoms, wait_ps (from posted to start), and of several hops from_chip, to_chip, and hop on a link,
// hops of the whole; on a step its number, algorithm and bytes; on a compute slice its step; on the critical path,
// whose slices are named by what was waited for, step, chip or link, and the step that held the link (held_by).
//
// Times: Perfetto has no unit below the nanosecond. Begins and ends are rounded down, both, so that what abuts still
// abuts and nothing overlaps; the exact picoseconds are the arguments start_ps and end_ps of every slice, also where
// a window cuts it. They are nearly free: trace_processor keeps equal argument sets once, and where chips do the same
// the sets stay equal; where all times differ, so do the waits, and exact times add 1 % to its memory and a fifth to
// the compressed file.
//
// Every slice is two packets, END right behind BEGIN although its time lies ahead: trace_processor sorts by time,
// stably, and takes the END of a slice before the BEGIN of the next only if they stand in this order.
//
// Memory: constant, but for messages on their way over several links, where a whole message is one slice or something
// is hidden, and for arrows of steps that are under way.
// Speed: 1.5 million link slices a second of one core's time, run, encoding and compression together; compression,
// two fifths of it, has a thread of its own (see output_file.hpp). 17 bytes a slice in .pftrace.gz where chips do the
// same, 20 to 45 where times differ. A message is a slice a link, an instant, a flow and its part of the curves. In
// trace_processor it takes 0.4 to 0.8 KB.
// Throws InputError where the file cannot be created (constructor) or written (finish()).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/critical_path.hpp"
#include "sim/fabric.hpp"
#include "sim/recorder.hpp"
#include "tools/output_file.hpp"
#include "tools/perfetto/encoder.hpp"
#include "tools/perfetto/fabric_load.hpp"
#include "tools/perfetto/step_arrows.hpp"
#include "tools/perfetto/trace_scope.hpp"
#include "tools/perfetto/track_tree.hpp"

namespace hopsim::perfetto {

// What a trace tells about a step of the program.
struct TraceStep {
  std::string label;      // "AllGather_Y(A[E_Y, F])"
  std::string algorithm;  // empty: none
  Bytes bytes;            // 0: none
  bool collective = false;
  std::vector<std::uint32_t> after{};     // earlier ones that it waits for
  StepArrows::TakesPart takes_part = {};  // empty: every chip
};

// What was written. trace_processor counts instants among the slices.
struct TraceCounts {
  std::uint64_t slices = 0, instants = 0, flows = 0, counters = 0;
};

class TraceWriter final : public Recorder {
 public:
  // One TraceStep a task, in order; a task beyond them is named by its number. The fabric outlives the writer.
  TraceWriter(const std::filesystem::path&, const Fabric&, std::vector<TraceStep>, TraceScope = {});

  void hop(const HopRecord&) override;
  void compute(ChipId, std::uint32_t task, Time start, Time end) override;
  void task(ChipId, std::uint32_t task, Time start, Time end) override;

  // Before the first record: the run may stop, so arrows are to end where messages do.
  void may_stop() { whole_ = false; }
  // It stops at this instant, if it comes so far: what is recorded from now on, and lies behind it, never happened.
  // REQUIRES: may_stop() was told, nothing that lies behind it has been recorded.
  void stop_at(Time last);

  // After the run, in order of time.
  void exposed(ChipId, Time start, Time end);  // communication without compute
  void critical(const PathSegment&);

  void finish();  // the file appears; nothing may be recorded after it
  const TraceCounts& counts() const { return counts_; }
  // Slices and instants of the trace that a scope without limits had made.
  std::uint64_t of_all() const { return of_all_; }
  std::optional<Time> stopped() const { return stopped_; }  // when messages and computations began to be left out

 private:
  enum class Category : std::uint64_t { step = 1, collective, compute, link, receive, exposed, critical, message };
  struct FirstLink {
    LinkId link = kNoLink;
    Time start;
  };
  struct UnderWay {
    FirstLink first;
    HopRecord latest;
  };
  struct Computing {
    std::uint32_t task = kNoTask;
    Time start, end;
  };
  static constexpr std::uint32_t kNoTask = ~0u;

  void start_sequence();
  void intern_events();
  struct Nothing {
    void operator()() const {}
  };
  template <class Often = Nothing, class Seldom = Nothing>
  void event(std::uint64_t time, std::uint64_t type, std::uint64_t track, Often = {}, Seldom = {});
  template <class Arguments, class Flow = Nothing>
  void slice(std::uint64_t track, Span, Category, std::uint64_t name, Arguments, Flow = {});
  bool shows(std::uint32_t node, const HopRecord&) const;
  bool shows(ChipId, Time start, Time end) const;
  bool shows_receipt(const HopRecord&) const;
  bool full(Time);
  void part(const HopRecord&);
  void about_way(const HopRecord&, std::uint64_t count_name, std::uint32_t count);
  void link_slice(const HopRecord&, bool flow);
  void message(const HopRecord&);
  void computed(ChipId, std::uint32_t task, Time start, Time end);
  bool message_slice(const HopRecord&, const FirstLink&, bool flow);
  void unfinished_messages();
  void about_message(const HopRecord&, Time start);
  void receive(const HopRecord&, bool flow);
  void curves();
  void curves_of(std::optional<std::uint32_t> node, const NodeLoad&);
  void utilisation(std::optional<std::uint32_t> node, const NodeLoad&);
  void in_flight(std::optional<std::uint32_t> node, const NodeLoad&);
  template <class Encode>
  void sample(std::uint64_t time, std::uint64_t track, Encode);
  void argument(std::uint64_t name, std::uint64_t value);
  void exact(Time start, Time end);
  std::uint64_t task_name(std::uint32_t task, std::uint64_t otherwise) const;
  void flush(std::size_t above);

  const Fabric& fabric_;
  OutputFile file_;
  Encoder out_;
  std::vector<TraceStep> steps_;
  TraceScope scope_;
  bool whole_;
  Time last_ = Time::max();
  StepArrows arrows_;
  TrackTree tracks_;
  FabricLoad load_;
  TraceCounts counts_;
  std::uint64_t of_all_ = 0;
  std::optional<Time> stopped_;
  std::vector<Computing> computing_;                       // by chip, at detail `steps`: the latest, which may grow
  std::unordered_set<std::uint64_t> begun_;                // messages whose flow has begun and goes on
  std::unordered_map<std::uint64_t, UnderWay> under_way_;  // over several links, at detail `messages`
};

}  // namespace hopsim::perfetto
