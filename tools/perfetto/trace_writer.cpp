#include "tools/perfetto/trace_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "tools/perfetto/fields.hpp"
#include "tools/perfetto/span.hpp"

namespace hopsim::perfetto {

namespace {

constexpr std::size_t kBlock = 256 << 10;  // written at once

// Interned strings are referred to by their place here, from 1.
constexpr std::array<std::string_view, 7> kCategories{"step",    "collective", "compute", "link",
                                                      "receive", "exposed",    "critical"};
constexpr std::array<std::string_view, 6> kEvents{"step", "compute", "send", "received", "reduced", "exposed"};
constexpr std::array<std::string_view, kCauses> kWaitedFor{"compute",  "transfer", "latency",   "waiting for a link",
                                                           "overhead", "launch",   "host load", "other"};
constexpr std::array<std::string_view, 17> kArguments{
    "bytes",     "step",    "phase",     "passage",  "lane",   "chunk", "chunk_atoms", "wait_ps", "hop",
    "from_chip", "to_chip", "algorithm", "start_ps", "end_ps", "chip",  "link",        "held_by"};

template <std::size_t N>
consteval std::uint64_t iid(const std::array<std::string_view, N>& among, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i)
    if (among[i] == text) return i + 1;
  throw "not in the table";
}
consteval std::uint64_t arg(std::string_view name) { return iid(kArguments, name); }
consteval std::uint64_t name(std::string_view event) { return iid(kEvents, event); }

// Events: those above, what is waited for, the steps' labels.
constexpr std::uint64_t kFirstCause = kEvents.size() + 1, kFirstLabel = kFirstCause + kCauses;

void intern(Encoder& out, std::uint32_t table, std::uint64_t id, std::string_view text) {
  out.message(table, [&] {
    out.varint(interned::kId, id);
    out.string(interned::kText, text);
  });
}

template <std::size_t N>
void intern_all(Encoder& out, std::uint32_t table, const std::array<std::string_view, N>& texts) {
  for (std::size_t i = 0; i < N; ++i) intern(out, table, i + 1, texts[i]);
}

// Flow ids are the file's; 0 is not one.
constexpr std::uint64_t flow_of(const HopRecord& h) { return h.message + 1; }

}  // namespace

TraceWriter::TraceWriter(const std::filesystem::path& path, const Fabric& fabric, std::vector<TraceStep> steps)
    : fabric_(fabric), file_(path), steps_(std::move(steps)), tracks_(fabric, out_), load_(fabric) {
  start_sequence();
}

// All on one sequence (trace_processor pays 23 KB for each), with every string interned ahead of the first event.
void TraceWriter::start_sequence() {
  out_.message(kTracePacket, [&] {
    out_.varint(packet::kSequence, 1);
    out_.varint(packet::kSequenceFlags, packet::kStateCleared);
    out_.message(packet::kInternedData, [&] {
      intern_all(out_, interned::kCategories, kCategories);
      intern_all(out_, interned::kAnnotationNames, kArguments);
      intern_events();
    });
  });
}

void TraceWriter::intern_events() {
  intern_all(out_, interned::kEventNames, kEvents);
  for (std::size_t i = 0; i < kCauses; ++i) intern(out_, interned::kEventNames, kFirstCause + i, kWaitedFor[i]);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const TraceStep& s = steps_[i];
    intern(out_, interned::kEventNames, kFirstLabel + i, s.label.empty() ? "step " + std::to_string(i + 1) : s.label);
    if (!s.algorithm.empty()) intern(out_, interned::kAnnotationStrings, i + 1, s.algorithm);
  }
}

void TraceWriter::hop(const HopRecord& h) {
  load_.hop(h);
  const Span when = span(h.start, h.end);
  slice(
      tracks_.link(h.link, when), when, Category::link, task_name(h.task, name("send")),
      [&] {
        argument(arg("bytes"), h.bytes.count());
        argument(arg("step"), h.task + 1);
        argument(arg("phase"), h.phase);
        argument(arg("passage"), h.passage);
        argument(arg("lane"), h.lane);
        argument(arg("chunk_atoms"), h.chunk.count);
        argument(arg("wait_ps"), (h.start - h.posted).ps());
        exact(h.start, h.end);
        if (h.hop > 0 || !h.last) {
          argument(arg("hop"), h.hop);
          argument(arg("from_chip"), index(h.from));
          argument(arg("to_chip"), index(h.to));
        }
        argument(arg("chunk"), h.chunk.first);
      },
      [&] { out_.fixed64(event::kFlow, flow_of(h)); });
  if (h.hop > 0) ++counts_.flows;  // an arrow from the hop before
  if (h.last) receive(h);
}

void TraceWriter::receive(const HopRecord& h) {
  event(
      nanoseconds(h.delivered), event::kInstant, tracks_.received(h.link),
      [&] {
        out_.varint(event::kCategory, static_cast<std::uint64_t>(Category::receive));
        out_.varint(event::kName, h.op == Op::reduce ? name("reduced") : name("received"));
      },
      [&] { out_.fixed64(event::kLastFlow, flow_of(h)); });
  ++counts_.instants;
  ++counts_.flows;
}

void TraceWriter::compute(ChipId chip, std::uint32_t task, Time start, Time end) {
  const Span when = span(start, end);
  slice(tracks_.compute(chip, when), when, Category::compute, task_name(task, name("compute")), [&] {
    argument(arg("step"), task + 1);
    exact(start, end);
  });
}

void TraceWriter::task(ChipId chip, std::uint32_t task, Time start, Time end) {
  static const TraceStep kNameless;
  const TraceStep& step = task < steps_.size() ? steps_[task] : kNameless;
  const Span when = span(start, end);
  const std::uint64_t track = step.collective ? tracks_.collectives(chip, when) : tracks_.steps(chip, when);
  slice(track, when, step.collective ? Category::collective : Category::step, task_name(task, name("step")), [&] {
    argument(arg("step"), task + 1);
    if (step.bytes > Bytes{}) argument(arg("bytes"), step.bytes.count());
    if (!step.algorithm.empty()) {
      out_.message(event::kAnnotation, [&] {
        out_.varint(annotation::kName, arg("algorithm"));
        out_.varint(annotation::kInternedString, task + 1);
      });
    }
    exact(start, end);
  });
}

void TraceWriter::exposed(ChipId chip, Time start, Time end) {
  const Span when = span(start, end);
  slice(tracks_.exposed(chip, when), when, Category::exposed, name("exposed"), [&] { exact(start, end); });
}

void TraceWriter::critical(const PathSegment& s) {
  const Span when = span(s.start, s.end);
  const std::uint64_t name = kFirstCause + static_cast<std::uint64_t>(s.what);
  slice(tracks_.critical_path(when), when, Category::critical, name, [&] {
    argument(arg("step"), s.task + 1);
    argument(arg("chip"), s.node);
    if (s.link != kNoLink) {
      out_.message(event::kAnnotation, [&] {
        out_.varint(annotation::kName, arg("link"));
        out_.string(annotation::kString, fabric_.link_name(s.link));
      });
    }
    if (s.held_by) argument(arg("held_by"), *s.held_by + 1);
    exact(s.start, s.end);
  });
}

void TraceWriter::curves() {
  curves_of({}, load_.total());
  for (std::uint32_t node = 0; node < load_.nodes().size(); ++node) curves_of(node, load_.nodes()[node]);
}

void TraceWriter::curves_of(std::optional<std::uint32_t> node, const NodeLoad& load) {
  const auto track = [&](Curve curve, const StepFunction& f) { return tracks_.counter(node, curve, f.stretch()); };
  if (!load.busy_links.empty()) utilisation(track(Curve::link_utilisation, load.busy_links), load);
  if (!load.bytes_in_flight.empty()) in_flight(track(Curve::bytes_in_flight, load.bytes_in_flight), load);
}

// In percent to two places: sums of means carry rounding errors, which would be told as changes.
void TraceWriter::utilisation(std::uint64_t track, const NodeLoad& load) {
  double last = 0;
  load.busy_links.each([&](std::uint64_t time, double busy) {
    const double percent = std::round(busy / load.links * 1e4) / 100 + 0.0;  // no -0
    if (percent == last) return;
    last = percent;
    sample(time, track, [&] { out_.real(event::kDoubleValue, percent); });
  });
}

void TraceWriter::in_flight(std::uint64_t track, const NodeLoad& load) {
  std::uint64_t last = 0;
  load.bytes_in_flight.each([&](std::uint64_t time, double sum) {
    const auto bytes = static_cast<std::uint64_t>(std::max(std::llround(sum), 0LL));
    if (bytes == last) return;
    last = bytes;
    sample(time, track, [&] { out_.varint(event::kValue, bytes); });
  });
}

template <class Encode>
void TraceWriter::sample(std::uint64_t time, std::uint64_t track, Encode encode_value) {
  event(time, event::kCounter, track, encode_value);
  ++counts_.counters;
}

void TraceWriter::finish() {
  curves();
  flush(0);
  file_.finish();
}

// What often repeats comes first, what never does last and together: deflate then finds few long matches, which is
// where its time goes.
template <class Often, class Seldom>
void TraceWriter::event(std::uint64_t time, std::uint64_t type, std::uint64_t track, Often often, Seldom seldom) {
  out_.message(kTracePacket, [&] {
    out_.varint(packet::kSequence, 1);
    out_.varint(packet::kSequenceFlags, packet::kNeedsState);
    out_.varint(packet::kTimestamp, time);
    out_.message(packet::kTrackEvent, [&] {
      out_.varint(event::kType, type);
      often();
      out_.varint(event::kTrack, track);
      seldom();
    });
  });
  flush(kBlock);
}

template <class Arguments, class Flow>
void TraceWriter::slice(std::uint64_t track, Span when, Category category, std::uint64_t name, Arguments arguments,
                        Flow flow) {
  event(
      when.begin, event::kBegin, track,
      [&] {
        out_.varint(event::kCategory, static_cast<std::uint64_t>(category));
        out_.varint(event::kName, name);
        arguments();
      },
      flow);
  event(when.end, event::kEnd, track);
  ++counts_.slices;
}

void TraceWriter::argument(std::uint64_t name, std::uint64_t value) {
  out_.pair(event::kAnnotation, annotation::kName, name, annotation::kUnsigned, value);
}

void TraceWriter::exact(Time start, Time end) {
  argument(arg("start_ps"), start.ps());
  argument(arg("end_ps"), end.ps());
}

std::uint64_t TraceWriter::task_name(std::uint32_t task, std::uint64_t otherwise) const {
  return task < steps_.size() ? kFirstLabel + task : otherwise;
}

void TraceWriter::flush(std::size_t above) {
  if (out_.size() <= above) return;
  file_.write(out_.bytes());
  out_.clear();
}

}  // namespace hopsim::perfetto
