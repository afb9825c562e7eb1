// Writes a run as a native Perfetto trace (protobuf TrackEvents), as it happens, in constant memory.
//
// Tracks: see track_tree.hpp. Categories: "step", "collective", "compute", "link", "receive", "exposed", "critical".
// A message is a slice on every link it passes, joined by flow arrows, and an instant where it is delivered, named by
// what the receiver does with it ("received", "reduced"). Slices on a link are named by the step of the program they
// belong to.
//
// Counters: link utilisation and bytes in flight, of every chip and of all, exact up to a number of changes and means
// beyond it (see fabric_load.hpp). They are written at the end, a sample where the value changes.
//
// Arguments: on a link bytes, step (line of the program, from 1), phase, passage, lane (place in the schedule), chunk
// and chunk_atoms, wait_ps (from posted to start), and for messages of several hops hop, from_chip and to_chip; on a
// step its number, algorithm and bytes; on a compute slice its step; on the critical path, whose slices are named by
// what was waited for, step, chip or link, and the step that held the link (held_by).
//
// Times: Perfetto has no unit below the nanosecond. Begins and ends are rounded down, both, so that what abuts still
// abuts and nothing overlaps; the exact picoseconds are the arguments start_ps and end_ps of every slice. They are
// nearly free: trace_processor keeps equal argument sets once, and where chips do the same the sets stay equal; where
// all times differ, so do the waits, and exact times add 1 % to its memory and a fifth to the compressed file.
//
// Every slice is two packets, END right behind BEGIN although its time lies ahead: trace_processor sorts by time,
// stably, and takes the END of a slice before the BEGIN of the next only if they stand in this order.
//
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
#include <vector>

#include "sim/critical_path.hpp"
#include "sim/fabric.hpp"
#include "sim/recorder.hpp"
#include "tools/output_file.hpp"
#include "tools/perfetto/encoder.hpp"
#include "tools/perfetto/fabric_load.hpp"
#include "tools/perfetto/track_tree.hpp"

namespace hopsim::perfetto {

// What a trace tells about a step of the program.
struct TraceStep {
  std::string label;      // "AllGather_Y(A[E_Y, F])"
  std::string algorithm;  // empty: none
  Bytes bytes;            // 0: none
  bool collective = false;
};

// What was written. trace_processor counts instants among the slices.
struct TraceCounts {
  std::uint64_t slices = 0, instants = 0, flows = 0, counters = 0;
};

class TraceWriter final : public Recorder {
 public:
  // One TraceStep a task, in order; a task beyond them is named by its number. The fabric outlives the writer.
  TraceWriter(const std::filesystem::path&, const Fabric&, std::vector<TraceStep>);

  void hop(const HopRecord&) override;
  void compute(ChipId, std::uint32_t task, Time start, Time end) override;
  void task(ChipId, std::uint32_t task, Time start, Time end) override;

  // After the run, in order of time.
  void exposed(ChipId, Time start, Time end);  // communication without compute
  void critical(const PathSegment&);

  void finish();  // the file appears; nothing may be recorded after it
  const TraceCounts& counts() const { return counts_; }

 private:
  enum class Category : std::uint64_t { step = 1, collective, compute, link, receive, exposed, critical };

  void start_sequence();
  void intern_events();
  struct Nothing {
    void operator()() const {}
  };
  template <class Often = Nothing, class Seldom = Nothing>
  void event(std::uint64_t time, std::uint64_t type, std::uint64_t track, Often = {}, Seldom = {});
  template <class Arguments, class Flow = Nothing>
  void slice(std::uint64_t track, Span, Category, std::uint64_t name, Arguments, Flow = {});
  void receive(const HopRecord&);
  void curves();
  void curves_of(std::optional<std::uint32_t> node, const NodeLoad&);
  void utilisation(std::uint64_t track, const NodeLoad&);
  void in_flight(std::uint64_t track, const NodeLoad&);
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
  TrackTree tracks_;
  FabricLoad load_;
  TraceCounts counts_;
};

}  // namespace hopsim::perfetto
