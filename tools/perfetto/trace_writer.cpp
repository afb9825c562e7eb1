#include "tools/perfetto/trace_writer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/perfetto/fields.hpp"
#include "tools/perfetto/span.hpp"
#include "tools/perfetto/trace_strings.hpp"

namespace hopsim::perfetto {

namespace {

constexpr std::size_t kBlock = 256 << 10;  // written at once

// Flow ids are the file's; 0 is not one.
constexpr std::uint64_t flow_of(const HopRecord& h) { return h.message + 1; }

std::vector<StepArrows::Step> waits(const std::vector<TraceStep>& steps) {
  std::vector<StepArrows::Step> all;
  for (const TraceStep& s : steps) all.push_back({s.after, s.takes_part});
  return all;
}

}  // namespace

TraceWriter::TraceWriter(const std::filesystem::path& path, const Fabric& fabric, std::vector<TraceStep> steps,
                         TraceScope scope)
    : fabric_(fabric),
      file_(path),
      steps_(std::move(steps)),
      scope_(std::move(scope)),
      whole_(scope_.whole()),
      arrows_(waits(steps_), fabric),
      tracks_(fabric, out_, scope_.detail),
      load_(fabric, scope_) {
  if (scope_.detail == Detail::steps) computing_.resize(fabric.chips());
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

bool TraceWriter::shows(std::uint32_t node, const HopRecord& h) const {
  if (node < fabric_.chips()) return scope_.shows(ChipId(node));
  return scope_.shows(h.from) || scope_.shows(h.to);
}

bool TraceWriter::shows(ChipId chip, Time start, Time end) const {
  return scope_.shows(chip) && scope_.window.touches(start, end);
}

bool TraceWriter::shows_receipt(const HopRecord& h) const {
  return h.last && shows(index(h.to), h) && scope_.window.has(h.delivered);
}

void TraceWriter::stop_at(Time last) {
  last_ = last;
  scope_.window = scope_.window.up_to(last);
  load_.stop_at(last);
}

bool TraceWriter::full(Time now) {
  if (counts_.slices + counts_.instants < scope_.most) return false;
  if (!stopped_) stopped_ = now;
  return true;
}

void TraceWriter::hop(const HopRecord& h) {
  load_.hop(h);
  of_all_ += (h.start <= last_ ? 1 : 0) + (h.last && h.delivered <= last_ ? 1 : 0);
  if (scope_.detail == Detail::steps || full(h.start)) return;
  if (scope_.detail == Detail::messages) return message(h);
  if (!whole_) return part(h);
  link_slice(h, true);
  if (h.hop > 0) ++counts_.flows;  // an arrow from the hop before
  if (h.last) receive(h, true);
}

// Of a message of which something may be hidden.
void TraceWriter::part(const HopRecord& h) {
  const bool shown = shows(fabric_.links[index(h.link)].from, h) && scope_.window.touches(h.start, h.end);
  const bool receipt = shows_receipt(h), before = h.hop > 0 && begun_.contains(h.message);
  const bool goes_on = h.last ? receipt : h.start < scope_.window.end;
  if (shown) link_slice(h, before || goes_on);
  if (shown && before) ++counts_.flows;
  if (receipt) receive(h, shown || before);
  if (h.last && before) begun_.erase(h.message);
  if (!h.last && shown) begun_.insert(h.message);
}

// Of messages of several hops.
void TraceWriter::about_way(const HopRecord& h, std::uint64_t count_name, std::uint32_t count) {
  if (h.hop == 0 && h.last) return;
  argument(count_name, count);
  argument(arg("from_chip"), index(h.from));
  argument(arg("to_chip"), index(h.to));
}

void TraceWriter::link_slice(const HopRecord& h, bool flow) {
  const Span when = scope_.window.cut(h.start, h.end);
  slice(
      tracks_.link(h.link, when), when, Category::link, task_name(h.task, name("send")),
      [&] {
        about_message(h, h.start);
        exact(h.start, h.end);
        about_way(h, arg("hop"), h.hop);
        argument(arg("chunk"), h.chunk.first);
      },
      [&] {
        if (flow) out_.fixed64(event::kFlow, flow_of(h));
      });
}

void TraceWriter::message(const HopRecord& h) {
  FirstLink first{h.link, h.start};
  if (!h.last) {
    if (shows(index(h.from), h)) under_way_.try_emplace(h.message, UnderWay{first, h}).first->second.latest = h;
    return;
  }
  if (h.hop > 0)
    if (const auto known = under_way_.find(h.message); known != under_way_.end()) {
      first = known->second.first;
      under_way_.erase(known);
    }
  const bool receipt = shows_receipt(h), shown = message_slice(h, first, receipt);
  if (receipt) receive(h, shown);
}

// Whether it is shown.
bool TraceWriter::message_slice(const HopRecord& h, const FirstLink& first, bool flow) {
  if (!shows(index(h.from), h) || !scope_.window.touches(first.start, h.delivered)) return false;
  const Span when = scope_.window.cut(first.start, h.delivered);
  slice(
      tracks_.link(first.link, when), when, Category::message, task_name(h.task, name("send")),
      [&] {
        about_message(h, first.start);
        exact(first.start, h.delivered);
        about_way(h, arg("hops"), h.hop + 1);
        argument(arg("chunk"), h.chunk.first);
      },
      [&] {
        if (flow) out_.fixed64(event::kFlow, flow_of(h));
      });
  return true;
}

// Of a run that was stopped: as far as they came.
void TraceWriter::unfinished_messages() {
  std::vector<UnderWay> rest;
  for (const auto& [message, sent] : under_way_) rest.push_back(sent);
  std::sort(rest.begin(), rest.end(), [](const UnderWay& a, const UnderWay& b) {
    return a.first.start != b.first.start ? a.first.start < b.first.start : a.latest.message < b.latest.message;
  });
  for (const UnderWay& sent : rest) message_slice(sent.latest, sent.first, false);
}

void TraceWriter::about_message(const HopRecord& h, Time start) {
  argument(arg("bytes"), h.bytes.count());
  argument(arg("step"), h.task + 1);
  argument(arg("phase"), h.phase);
  argument(arg("passage"), h.passage);
  argument(arg("lane"), h.lane);
  argument(arg("chunk_atoms"), h.chunk.count);
  argument(arg("wait_ps"), (start - h.posted).ps());
}

void TraceWriter::receive(const HopRecord& h, bool flow) {
  event(
      nanoseconds(h.delivered), event::kInstant, tracks_.received(h.link),
      [&] {
        out_.varint(event::kCategory, static_cast<std::uint64_t>(Category::receive));
        out_.varint(event::kName, h.op == Op::reduce ? name("reduced") : name("received"));
      },
      [&] {
        if (flow) out_.fixed64(event::kLastFlow, flow_of(h));
      });
  ++counts_.instants;
  if (flow) ++counts_.flows;
}

void TraceWriter::compute(ChipId chip, std::uint32_t task, Time start, Time end) {
  of_all_ += start <= last_ ? 1 : 0;
  if (!shows(chip, start, end) || full(start)) return;
  if (scope_.detail != Detail::steps) return computed(chip, task, start, end);
  Computing& latest = computing_[index(chip)];
  if (latest.task == task && latest.end == start) {
    latest.end = end;
    return;
  }
  if (latest.task != kNoTask) computed(chip, latest.task, latest.start, latest.end);
  latest = {task, start, end};
}

void TraceWriter::computed(ChipId chip, std::uint32_t task, Time start, Time end) {
  const Span when = scope_.window.cut(start, end);
  slice(tracks_.compute(chip, when), when, Category::compute, task_name(task, name("compute")), [&] {
    argument(arg("step"), task + 1);
    exact(start, end);
  });
}

void TraceWriter::task(ChipId chip, std::uint32_t task, Time start, Time end) {
  static const TraceStep kNameless;
  ++of_all_;
  if (!shows(chip, start, end)) return;
  const TraceStep& step = task < steps_.size() ? steps_[task] : kNameless;
  const Span when = scope_.window.cut(start, end);
  const StepArrows::Ends& arrows = arrows_.written(task, chip, end < scope_.window.end);
  const std::uint64_t track = step.collective ? tracks_.collectives(chip, when) : tracks_.steps(chip, when);
  slice(
      track, when, step.collective ? Category::collective : Category::step, task_name(task, name("step")),
      [&] {
        argument(arg("step"), task + 1);
        if (step.bytes > Bytes{}) argument(arg("bytes"), step.bytes.count());
        if (!step.algorithm.empty()) {
          out_.message(event::kAnnotation, [&] {
            out_.varint(annotation::kName, arg("algorithm"));
            out_.varint(annotation::kInternedString, task + 1);
          });
        }
        exact(start, end);
      },
      [&] {
        for (const std::uint64_t id : arrows.flows) out_.fixed64(event::kFlow, id);
        for (const std::uint64_t id : arrows.last) out_.fixed64(event::kLastFlow, id);
      });
  counts_.flows += arrows.arrows;
}

void TraceWriter::exposed(ChipId chip, Time start, Time end) {
  of_all_ += start <= last_ ? 1 : 0;
  if (!shows(chip, start, end)) return;
  const Span when = scope_.window.cut(start, end);
  slice(tracks_.exposed(chip, when), when, Category::exposed, name("exposed"), [&] { exact(start, end); });
}

void TraceWriter::critical(const PathSegment& s) {
  ++of_all_;
  if (!scope_.window.touches(s.start, s.end)) return;
  const Span when = scope_.window.cut(s.start, s.end);
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
  for (std::uint32_t node = 0; node < fabric_.nodes; ++node)
    if (const NodeLoad* load = load_.node(node);
        load && (node < fabric_.chips() || scope_.chips.empty() || tracks_.has(node)))
      curves_of(node, *load);
}

void TraceWriter::curves_of(std::optional<std::uint32_t> node, const NodeLoad& load) {
  utilisation(node, load);
  in_flight(node, load);
}

// In percent to two places: sums of means carry rounding errors, which would be told as changes.
void TraceWriter::utilisation(std::optional<std::uint32_t> node, const NodeLoad& load) {
  double last = 0;
  std::uint64_t track = 0;
  load.busy_links.each([&](std::uint64_t time, double busy) {
    const double percent = std::round(busy / load.links * 1e4) / 100 + 0.0;  // no -0
    if (percent == last) return;
    last = percent;
    if (track == 0) track = tracks_.counter(node, Curve::link_utilisation, load.busy_links.stretch());
    sample(time, track, [&] { out_.real(event::kDoubleValue, percent); });
  });
}

void TraceWriter::in_flight(std::optional<std::uint32_t> node, const NodeLoad& load) {
  std::uint64_t last = 0, track = 0;
  load.bytes_in_flight.each([&](std::uint64_t time, double sum) {
    const auto bytes = static_cast<std::uint64_t>(std::max(std::llround(sum), 0LL));
    if (bytes == last) return;
    last = bytes;
    if (track == 0) track = tracks_.counter(node, Curve::bytes_in_flight, load.bytes_in_flight.stretch());
    sample(time, track, [&] { out_.varint(event::kValue, bytes); });
  });
}

template <class Encode>
void TraceWriter::sample(std::uint64_t time, std::uint64_t track, Encode encode_value) {
  event(time, event::kCounter, track, encode_value);
  ++counts_.counters;
}

void TraceWriter::finish() {
  for (std::uint32_t chip = 0; chip < computing_.size(); ++chip)
    if (const Computing& c = computing_[chip]; c.task != kNoTask) computed(ChipId(chip), c.task, c.start, c.end);
  unfinished_messages();
  load_.close();
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
