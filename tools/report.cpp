#include "tools/report.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/units.hpp"
#include "tools/step_tables.hpp"

namespace hopsim {
namespace {

constexpr std::size_t kMostOthers = 4;  // ways a line did not take; the JSON has all

std::string wrap_text(const Shape& s, const char* names) {
  std::string wrapped;
  for (int d = 0; d < s.dimensions; ++d)
    if (s.wrap[d] || s.twisted(d))
      wrapped += (wrapped.empty() ? "" : ", ") + std::string{names[d]} + (s.twisted(d) ? " with a twist" : "");
  return wrapped.empty() ? "no wraparound" : "wraps around in " + wrapped;
}

// "wraps around in x", "2 slices, no wraparound", "4 nodes of 8".
std::string wiring_text(const MachineModel& m) {
  const bool several = m.domains() > 1;
  if (m.wires == Wires::grid)
    return several ? fmt::format("{} slices, {}", m.domains(), wrap_text(m.shape, "sxyz"))
                   : wrap_text(m.shape, "xyzw");
  if (several) return fmt::format("{} nodes of {}", m.domains(), m.domain);
  return m.wires == Wires::switched ? "on one switch" : "wired directly";
}

// Of a line's steps that thought the same once.
std::string considered(const RunResult& r) {
  std::string text;
  std::set<std::string> told;
  for (const StepResult& s : r.steps)
    if (const std::string line = considered_line(s.step); !line.empty())
      if (std::string of = fmt::format("step {} {}", s.step.line, line); told.insert(of).second) text += of;
  return text;
}

std::string way(const ConsideredStrategy& s) {
  return fmt::format("{} {}{}", s.name, format_time(s.time), s.fits ? "" : " (does not fit the memory)");
}

// "step 1: case 4, repaired: gather B over X 10 us (or: gather A over X 12 us)".
std::string strategies_line(const PlannedStep& step) {
  if (step.strategies.empty()) return {};
  std::string taken, others;
  std::size_t more = 0;
  for (const ConsideredStrategy& s : step.strategies)
    if (s.name == step.strategy)
      taken = way(s);
    else if (++more <= kMostOthers)
      others += (others.empty() ? "" : "; ") + way(s);
  if (more > kMostOthers) others += fmt::format("; and {} more", more - kMostOthers);
  const int number = step.product_case;
  const std::string of = number ? fmt::format("case {}{}: ", number, number == 4 ? ", repaired" : "") : "";
  return fmt::format("step {}: {}{}{}\n", step.line, of, taken, others.empty() ? "" : " (or: " + others + ")");
}

// "step 1: bound by HBM: 48 us of memory against 36 us of FLOPs", of like ones how many.
std::string memory_bound(const RunResult& r) {
  std::map<std::string, std::size_t> like;
  std::vector<std::string> order;
  for (const StepResult& s : r.steps)
    if (const auto& c = s.step.compute; c && c->flops > Time{} && c->hbm > c->flops) {
      const std::string line = fmt::format("step {}: bound by HBM: {} of memory against {} of FLOPs", s.step.line,
                                           format_time(c->hbm), format_time(c->flops));
      if (++like[line] == 1) order.push_back(line);
    }
  std::string text;
  for (const std::string& line : order)
    text += like[line] == 1 ? line + "\n" : fmt::format("{}, {} products\n", line, like[line]);
  return text;
}

std::string planned(const RunResult& r) {
  std::string text;
  for (const StepGroup& group : grouped(r)) text += strategies_line(group.steps.front()->step);
  return text + memory_bound(r);
}

double gb(Bytes b) { return static_cast<double>(b.count()) / 1e9; }

// "partial: ...; of 12 steps 3 had ended and 8 had not begun".
std::string partial(const RunResult& r) {
  if (!r.partial()) return {};
  std::size_t ended = 0, idle = 0;
  for (const StepResult& s : r.steps) {
    ended += s.finished;
    idle += !s.started;
  }
  return fmt::format("{}; of {} step{} {} had ended, {} had not begun\n", stopped_text(r), r.steps.size(),
                     r.steps.size() == 1 ? "" : "s", ended, idle);
}

std::string totals(const RunResult& r, Bytes capacity) {
  std::string text = partial(r);
  text += fmt::format("{} {}: compute {}, communication {} ({} exposed, {:.1f} % hidden)",
                      r.partial() ? "so far" : "total", format_time(r.time), format_time(r.compute),
                      format_time(r.comm), format_time(r.exposed_comm), r.overlap() * 100);
  if (r.sum() > r.bound() && !r.partial())
    text += fmt::format("; time/max {}, time/sum {}", ratio(r.time, r.bound()), ratio(r.time, r.sum()));
  text += "\n";
  if (r.mfu) text += fmt::format("model FLOPs utilisation {:.1f} %\n", *r.mfu * 100);
  if (r.peak_bytes_per_chip.count() > capacity.count() / 100 && capacity > Bytes{})
    text += fmt::format("memory {:.4g} GB a chip, of {:.4g} GB\n", gb(r.peak_bytes_per_chip), gb(capacity));
  if (!r.busiest.empty())
    text += fmt::format("busiest link {}, busy {:.1f} % of the time; {:.1f} % over all links\n",
                        r.busiest.front().link, r.busiest.front().utilization * 100, r.mean_utilization * 100);
  if (r.verified) text += "data flow proven: every chip ends with every contribution exactly once\n";
  if (r.lines_proven)
    text += fmt::format("values proven of {} planned line{}: every chip ends with its block of the true result\n",
                        r.lines_proven, r.lines_proven == 1 ? "" : "s");
  return text;
}

std::string quantity(const ExpectResult& e, double v) {
  return e.is_time ? format_seconds(v) : fmt::format("{:.6g}", v);
}

}  // namespace

std::string expectation_line(const ExpectResult& e) {
  const std::string of = e.step ? fmt::format("step {} {}", e.step, e.what) : e.what;
  const std::string from = e.source.empty() ? "" : " (" + e.source + ")";
  if (!e.evaluated)
    return fmt::format("  not evaluated  {}: {} {}; the run was stopped before{}\n", of, quantity(e, e.expected),
                       e.measured ? "measured" : "expected", from);
  if (e.measured)
    return fmt::format("  measured  {}: {} here, {} measured, {:+.1f} %{}\n", of, quantity(e, e.value),
                       quantity(e, e.expected), e.error() * 100, from);
  return fmt::format("  {}  {}: {}, expected {}, {:+.3f} % (within {:g} %){}\n",
                     e.pass() ? "as expected" : "NOT AS EXPECTED", of, quantity(e, e.value), quantity(e, e.expected),
                     e.error() * 100, e.within * 100, from);
}

std::string considered_line(const PlannedStep& step) {
  std::string text;
  for (const Cost& c : step.considered)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", c.algorithm->name, format_time(c.time));
  if (text.empty()) return text;
  return fmt::format("{} {}: {}\n", step.tried ? "best by trying" : "auto by the cost model", step.algorithm, text);
}

std::string shape_text(const Shape& s) {
  std::string text;
  for (int d = 0; d < s.dimensions; ++d) text += (d ? "x" : "") + std::to_string(s.size[d]);
  return text;
}

std::string time_so_far(const StepResult& s) {
  if (!s.started) return "-";
  return (s.finished ? "" : "> ") + format_time(s.time());
}

std::string stopped_text(const RunResult& r) {
  return fmt::format("partial: stopped after {} events at {} ({})", r.stopped->events, format_time(r.stopped->time),
                     r.stopped->reason == Stop::time ? "--max-time" : "--max-events");
}

std::string ratio(Time time, Time yardstick) {
  return yardstick == Time{} ? "-" : fmt::format("{:.3f}", time.seconds() / yardstick.seconds());
}

std::string rate(double bytes_per_second) {
  return bytes_per_second > 0 ? format_bytes_per_second(bytes_per_second) : "-";
}

std::string describe(const MachineModel& m) {
  std::string mesh;
  for (const auto& [axis, size] : m.mesh.axes())
    mesh += fmt::format("{}{}: {}", mesh.empty() ? "" : ", ", axis, size);
  std::string text = fmt::format("{} {} ({} chips, {}), mesh {{{}}}, {} a link, {} a hop", m.name,
                                 shape_text(m.shape), m.shape.logical_chips(), wiring_text(m), mesh,
                                 format_bandwidth(m.link.bandwidth), format_time(m.link.latency));
  if (m.nic)
    text += fmt::format("; {} a NIC, {} a hop", format_bandwidth(m.nic->bandwidth), format_time(m.nic->latency));
  const auto overhead = [&text](const char* name, Time t) {
    if (t > Time{}) text += fmt::format(", {} {}", name, format_time(t));
  };
  overhead("launch overhead", m.overheads.launch);
  overhead("step overhead", m.overheads.step);
  overhead("chunk overhead", m.overheads.chunk);
  return text;
}

std::string report(const RunResult& r, const MachineModel& machine) {
  std::string text = r.scenario + ": " + describe(machine) + (r.engine == "simgrid" ? ", on SimGrid" : "") + "\n" +
                     steps_table(r) + planned(r) + considered(r) + overlap_table(r) +
                     totals(r, machine.chip.hbm_capacity.value) + path_text(r, machine);
  for (const ExpectResult& e : r.expect) text += expectation_line(e);
  return text;
}

}  // namespace hopsim
