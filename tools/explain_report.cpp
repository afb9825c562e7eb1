#include "tools/explain_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenarios/explain_json.hpp"
#include "scenarios/explain_notes.hpp"
#include "sim/units.hpp"
#include "tools/report.hpp"
#include "tools/table.hpp"

namespace hopsim {
namespace {

using enum Table::Align;

constexpr std::uint64_t kMaxShownShards = 64;
constexpr int kMaxOthers = 4;

std::string indented(const std::string& text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += "  " + text.substr(begin, end - begin) + '\n';
    begin = end + 1;
  }
  return out;
}

// 17,511; below a thousand four digits: 259.2.
std::string threshold_number(double value) {
  if (value < 1000 || value > 1e15) return fmt::format("{:.4g}", value);
  std::string digits = fmt::format("{:.0f}", value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string threshold_text(const Threshold& t) {
  if (t.above) return t.variable + " > " + threshold_number(*t.above);
  if (t.below) return t.variable + " < " + threshold_number(*t.below);
  const std::string whatever = t.variable.empty() ? "" : ", whatever " + t.variable;
  return (t.always ? "always" : "never") + whatever;
}

std::string operation_text(const ResolvedCollective& c, CollectiveKind kind) {
  return std::string(name(kind)) + "_" + axes_text(c.axes);
}

// Whether strategy t moves no more than s does, and multiplies no more, and one of both less.
bool does_less(const Strategy& t, const Strategy& s) {
  std::vector<const ResolvedCollective*> of_s = moves_of(s);
  const std::vector<const ResolvedCollective*> of_t = moves_of(t);
  bool less = of_t.size() < of_s.size();
  for (const ResolvedCollective* c : of_t) {
    const auto same = std::find_if(of_s.begin(), of_s.end(), [&](const ResolvedCollective* other) {
      const auto has = [&](const std::string& axis) {
        return std::find(other->axes.begin(), other->axes.end(), axis) != other->axes.end();
      };
      return other->kind == c->kind && other->input.name == c->input.name &&
             std::all_of(c->axes.begin(), c->axes.end(), has);
    });
    if (same == of_s.end()) return false;
    less = less || c->axes.size() < (*same)->axes.size();
    of_s.erase(same);
  }
  const LocalProduct *product_t = product_of(t), *product_s = product_of(s);
  if (product_t == nullptr || product_s == nullptr) return less;
  if (product_t->flops.count() > product_s->flops.count()) return false;
  return less || product_t->flops.count() < product_s->flops.count();
}

// The chosen one, and the book's, but for those that only do more than another of them.
bool is_told(const Explanation& e, std::size_t i) {
  const Strategy& s = e.strategies[i].costed.strategy;
  if (e.chosen == i) return true;
  if (!s.plain) return e.kind != ExplainedKind::matmul;
  return std::none_of(e.strategies.begin(), e.strategies.end(), [&](const ExplainedStrategy& other) {
    const Strategy& t = other.costed.strategy;
    return t.plain && t.as_asked == s.as_asked && does_less(t, s);
  });
}

// ---- parts of an answer

std::string case_text(const Explanation& e) {
  std::string text = fmt::format("{}case {}: ", e.free_operands ? "as written, " : "", e.product_case->number);
  for (std::size_t i = 0; i < e.product_case->reasons.size(); ++i)
    text += (i > 0 ? "; " : "") + e.product_case->reasons[i];
  if (e.free_operands)
    text += "\nbut here the operands may be laid out in any way, and so may what is ? of the output";
  else if (!e.product_case->legal)
    text += "\nillegal as it stands: one of the two must be gathered first";
  text += '\n';
  if (!e.local_product.empty()) text += "each chip multiplies what it has: " + e.local_product + '\n';
  return text;
}

// " (8 MiB)", where sizes are known.
std::string array_size(const CommunicationNote& c, const Explanation& e) {
  return e.sized() ? " (" + format_bytes(c.step.bytes) + ")" : "";
}

std::string wire_size(const CommunicationNote& c, const Explanation& e) {
  if (!e.sized()) return {};
  std::string text = c.book_seconds ? " = " + format_seconds(*c.book_seconds) : "";
  text += " (" + format_bytes(Bytes(static_cast<std::uint64_t>(c.wire_bytes)));
  if (c.closed_form)
    text += fmt::format("); {} by {}, {} and hops", format_time(*c.closed_form), c.algorithm, c.schedule);
  return c.closed_form ? text : text + ")";
}

std::string communication_line(const CommunicationNote& c, const Explanation& e) {
  if (c.step.kind == CollectiveKind::slice)
    return operation_text(c.step, c.step.kind) + " of " + sharding_text(c.step.input) + ": free\n";
  return fmt::format("{} of an array of {} bytes{}: {}{}\n", operation_text(c.step, c.step.kind), c.array_bytes,
                     array_size(c, e), c.wire_cost, wire_size(c, e));
}

std::string instead_of_reducing(const CommunicationNote& c) {
  ResolvedCollective scatter = c.step;
  scatter.kind = CollectiveKind::reduce_scatter;
  return fmt::format("or {}: {}, half of it, where the output may be split\n", operation_text(scatter, scatter.kind),
                     wire_text(scatter, c.rule));
}

std::string communication_text(const Explanation& e) {
  std::string text;
  for (std::size_t i = 0; i < e.strategies.size(); ++i) {
    const ExplainedStrategy& s = e.strategies[i];
    const Strategy& strategy = s.costed.strategy;
    if (!strategy.as_asked || !is_told(e, i) || s.communication.empty()) continue;
    text += indented(strategy.name + ":");
    for (const CommunicationNote& c : s.communication) {
      text += indented("  " + communication_line(c, e));
      if (c.step.kind == CollectiveKind::all_reduce && e.product_case)
        text += indented("  " + instead_of_reducing(c));
    }
  }
  return text.empty() ? std::string(e.product_case ? "nothing is communicated\n" : "") : "communication\n" + text;
}

// What the letters of the formulas are on this machine.
std::string legend(const Explanation& e, const MachineModel* m) {
  bool moves = false;
  for (std::size_t i = 0; i < e.strategies.size(); ++i)
    moves = moves || (is_told(e, i) && !moves_of(e.strategies[i].costed.strategy).empty());
  if (!moves) return {};
  if (m == nullptr) return "W: bytes a second of both links of an axis together; latency is left out\n";
  const std::uint64_t link = m->link.bandwidth.bytes_per_second();
  if (m->wires == Wires::grid)
    return fmt::format("W = {}, both links of an axis; latency is left out\n", format_bandwidth(Bandwidth(2 * link)));
  return fmt::format("W = {}, a link one way; latency is left out\n", format_bandwidth(Bandwidth(link)));
}

std::string arrays_text(const Explanation& e) {
  Table table({{"array", left},
               {"in JAX", left},
               {"dtype", left},
               {"a chip holds", left},
               {"bytes a chip"},
               {"in all"},
               {"copies"},
               {"", left}});
  for (const ExplainedArray& a : e.arrays) {
    const std::string dtype(name(a.array.dtype.value_or(DType::bf16)));
    const std::string spec = a.partition_spec.empty() ? "-" : a.partition_spec;
    if (!a.layout) {
      table.add(
          {a.sharding, spec, dtype, a.local_shape, a.bytes, "-", a.copies ? std::to_string(*a.copies) : "-", ""});
      continue;
    }
    table.add({a.sharding, spec, dtype, shape_text(a.layout->local_shape), format_bytes(a.layout->bytes_per_chip),
               format_bytes(a.layout->total_bytes), std::to_string(a.layout->copies),
               a.layout->padded ? "padded: it does not divide evenly" : ""});
  }
  return '\n' + table.text();
}

// ---- strategies

bool computes(const Explanation& e) {
  return e.kind == ExplainedKind::matmul || e.kind == ExplainedKind::elementwise;
}

std::vector<Table::Column> columns(const Explanation& e) {
  std::vector<Table::Column> all{{"  strategy", left}, {"steps"}, {"comm"}};
  if (computes(e)) all.insert(all.end(), {{"FLOPs"}, {"HBM"}, {"math"}, {"bound"}});
  all.insert(all.end(), {{"time"}, {"closed form"}, {"bytes a chip"}, {"output", left}});
  return all;
}

std::vector<std::string> cells(const ExplainedStrategy& s, const Explanation& e, bool chosen) {
  const CostedStrategy& c = s.costed;
  std::vector<std::string> row{(chosen ? "* " : "  ") + c.strategy.name,
                               std::to_string(std::max<std::size_t>(c.strategy.steps.size(), 1)),
                               format_time(c.comm)};
  if (computes(e))
    row.insert(row.end(), {format_time(c.flops), format_time(c.hbm),
                           format_time(c.math) + (c.hbm > c.flops ? " (HBM)" : " (FLOPs)"), format_time(c.bound())});
  row.insert(row.end(), {format_time(c.time), format_time(c.closed_form), format_bytes(c.strategy.bytes_per_chip),
                         sharding_text(c.strategy.output) + (c.fits ? "" : "  does not fit")});
  return row;
}

// Those that are told of, and the fastest others.
std::string table_of(const Explanation& e, bool as_asked) {
  Table table(columns(e));
  int shown = 0, left_out = 0, others = 0;
  for (std::size_t i = 0; i < e.strategies.size(); ++i) {
    const ExplainedStrategy& s = e.strategies[i];
    if (s.costed.strategy.as_asked != as_asked) continue;
    const bool told = is_told(e, i);
    if (!told && (!as_asked || ++others > kMaxOthers)) {
      ++left_out;
      continue;
    }
    table.add(cells(s, e, e.chosen == i));
    ++shown;
  }
  if (shown == 0) return {};
  return (as_asked ? "\n" : "\nif the output may be sharded otherwise\n") + table.text() +
         (left_out > 0 ? fmt::format("  and {} more (--json has them)\n", left_out) : "");
}

std::string names_of(const Explanation& e, bool as_asked) {
  std::string text;
  for (std::size_t i = 0; i < e.strategies.size(); ++i) {
    const Strategy& s = e.strategies[i].costed.strategy;
    if (s.as_asked == as_asked && is_told(e, i)) text += s.name + '\n' + indented(lines_of(s));
  }
  if (text.empty()) return {};
  return (as_asked ? "\nstrategies\n" : "\nif the output may be sharded otherwise\n") + indented(text);
}

std::string strategies_text(const Explanation& e) {
  if (e.kind == ExplainedKind::array) return {};
  if (!e.timed()) return e.kind == ExplainedKind::elementwise ? "" : names_of(e, true) + names_of(e, false);
  std::string text = table_of(e, true) + table_of(e, false);
  const Strategy& chosen = e.shown()->costed.strategy;
  if (e.kind != ExplainedKind::elementwise && !chosen.steps.empty())
    text += "\n" + chosen.name + "\n" + indented(lines_of(chosen));
  if (e.kind == ExplainedKind::collective && e.strategies.size() == 1 && e.shown()->costed.comm > Time{})
    text += "no other way on this mesh is faster\n";
  if (e.kind == ExplainedKind::collective && e.shown()->lower_bound.value_or(Time{}) > Time{})
    text += fmt::format("no schedule of it can take less than {}\n", format_time(*e.shown()->lower_bound));
  return text;
}

std::string bound_text(const ComputeBound& b) {
  const char* against = b.against_memory ? "rather than by memory" : "rather than by communication";
  std::string text = fmt::format("bound by computation {} when {}", against, b.condition);
  const char* here = b.against_memory ? ": " : " on the book's rings; on this machine ";
  if (b.main && b.main->has_value()) {
    text += here + threshold_text(*b.main);
  } else if (b.main) {
    text += std::string(here) + (b.main->always ? "always" : "never") + ", at these sizes";
  }
  std::string others;
  for (const Threshold& t : b.all)
    if (t.has_value() && !(b.main && t.variable == b.main->variable))
      others += (others.empty() ? "" : ", ") + threshold_text(t);
  return text + (others.empty() ? "" : " (or, the rest as it is, " + others + ")") + '\n';
}

std::string rate_legend(const Explanation& e, const MachineModel* m) {
  const LocalProduct* p = product_of(e.shown()->costed.strategy);
  if (m == nullptr || p == nullptr || m->chip.peak_flops.empty()) return "C: FLOPs a second of a chip\n";
  const FlopRate rate = scaled(peak_flops(m->chip, name(p->dtype)), m->chip.flops_efficiency.value);
  return fmt::format("C = {} of a chip in {}\n", format_flop_rate(rate), name(p->dtype));
}

std::string bounds_text(const Explanation& e, const MachineModel* m) {
  std::string text;
  for (std::size_t i = 0; i < e.strategies.size(); ++i) {
    const ExplainedStrategy& s = e.strategies[i];
    const Strategy& strategy = s.costed.strategy;
    if (!s.compute_bound || !strategy.as_asked || !is_told(e, i)) continue;
    text += "  " + strategy.name + ": " + bound_text(*s.compute_bound);
  }
  return text.empty() ? text : "\n" + rate_legend(e, m) + text;
}

// ---- the rest

std::string shards_text(const Explanation& e) {
  if (!e.only || !e.sized()) return {};
  std::string text = "\n";
  for (const HeldShard& shard : shards_of(*e.only, e.mesh, kMaxShownShards)) {
    std::string at, ranges;
    for (std::size_t a = 0; a < shard.at.size(); ++a)
      at += fmt::format("{}{}={}", a ? ", " : "", e.mesh.axes()[a].first, shard.at[a]);
    for (const IndexRange& r : shard.ranges)
      ranges += (ranges.empty() ? "" : ", ") + (r.begin == r.end ? "padding" : fmt::format("{}:{}", r.begin, r.end));
    text += fmt::format("  ({}) holds [{}]\n", at, ranges);
  }
  if (e.mesh.chips() > kMaxShownShards)
    text += fmt::format("  and {} chips more\n", e.mesh.chips() - kMaxShownShards);
  return text;
}

std::string missing_text(const Explanation& e) {
  if (e.timed()) return {};
  if (e.kind == ExplainedKind::array && e.sized()) return {};
  std::string flags = e.has_machine                    ? ""
                      : e.kind == ExplainedKind::array ? (e.has_mesh ? "" : "--mesh X=4")
                                                       : "--machine SPEC";
  std::string dims;
  for (const std::string& d : e.missing_sizes)
    if (d != "...") dims += (dims.empty() ? "--dims " : ",") + d + "=SIZE";
  if (!dims.empty()) flags += (flags.empty() ? "" : " and ") + dims;
  return fmt::format("\nin symbols; for {}: {}\n", e.kind == ExplainedKind::array ? "sizes" : "times", flags);
}

std::string answer(const Explanation& e, const MachineModel* m) {
  std::string text = e.line + '\n';
  if (e.product_case) text += case_text(e);
  text +=
      communication_text(e) + legend(e, m) + arrays_text(e) + strategies_text(e) + bounds_text(e, m) + shards_text(e);
  if (e.verified) text += "proven: every chip ends with its block of the true result\n";
  return text;
}

std::string backward_text(const Explanation& e, const MachineModel* m) {
  if (e.backward.empty()) return {};
  std::string text = "\nbackward\n";
  for (const Explanation& product : e.backward) text += '\n' + indented(answer(product, m));
  if (e.duality.empty()) return text;
  text += "\neach communication forward has its transpose backward\n";
  for (const DualityNote& d : e.duality) text += "  " + d.forward + "  <->  " + d.backward + '\n';
  return text;
}

}  // namespace

std::string report(const Explanation& e, const MachineModel* m) {
  const std::string machine = m != nullptr ? describe(*m) + '\n' : "";
  return machine + answer(e, m) + backward_text(e, m) + missing_text(e);
}

}  // namespace hopsim
