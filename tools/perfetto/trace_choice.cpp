#include "tools/perfetto/trace_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "scenarios/estimate.hpp"
#include "sim/error.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

using perfetto::Detail;
using perfetto::Window;

constexpr double kAtEdges = 4;           // slices of a chip that a window cuts
constexpr std::uint64_t kFarBeyond = 2;  // times the limit: where an estimate was too low, messages end

// Messages stand closer in some stretches than in others, and runs may be shorter than closed forms say (an AllToAll
// of 1024 chips by a fifth).
constexpr double kDenser = 1.5;
constexpr double kRoom = 0.99;  // of a limit, for a window whose ends are rounded

// ---- counting

// How many chips take part in a task's collective; a schedule has its chips.
class Participants {
 public:
  explicit Participants(const Shape& shape) : shape_(shape) {}

  std::uint64_t of(const Task& task) {
    const CollectiveTask* c = collective_of(task);
    if (!c || !c->takes_part) return shape_.chips();
    const auto [known, fresh] = known_.try_emplace(c->schedule.get(), 0);
    if (fresh)
      for (std::uint32_t chip = 0; chip < shape_.chips(); ++chip)
        known->second += c->takes_part(shape_.at(ChipId{chip})) ? 1 : 0;
    return known->second;
  }

 private:
  const Shape& shape_;
  std::map<const Schedule*, std::uint64_t> known_;
};

// Of a product in chunks: whether there may be time between them. One that feeds a collective waits for nothing.
bool has_gaps(const PlannedStep& s, const CollectiveMatmulTask& task) {
  const bool bound_by_compute = s.compute && s.compute->time() >= s.closed_form;
  return task.feed == CollectiveMatmulTask::Feed::from_arrivals && !bound_by_compute;
}

// Chunks of products beside each chip's own: those of their collectives that come in or go out.
std::uint64_t chunks(const MachineModel& machine, const Plan& plan, bool only_with_gaps) {
  Plan products;
  for (std::size_t t = 0; t < plan.program.size(); ++t) {
    const auto* task = std::get_if<CollectiveMatmulTask>(&plan.program[t].work);
    if (!task || (only_with_gaps && !has_gaps(plan.steps[t], *task))) continue;
    products.program.push_back({.work = *task, .after = {}});
    products.steps.push_back(plan.steps[t]);
  }
  return products.program.empty() ? 0 : estimate(machine, products, false).messages;
}

Time expected_time(const Plan& plan) {
  std::vector<Time> ends;
  Time last;
  for (std::size_t t = 0; t < plan.program.size(); ++t) {
    Time begin;
    for (const std::uint32_t before : plan.program[t].after) begin = std::max(begin, ends[before]);
    ends.push_back(later(begin, plan.steps[t].closed_form));
    last = std::max(last, ends.back());
  }
  return last;
}

// ---- choosing

// At most about.
double share_of(const Window& window, Time run) {
  if (window.whole()) return 1;
  const double all = run.seconds();
  if (all == 0) return 1;
  const double shown = std::min(window.end.seconds(), all) - window.begin.seconds();
  return std::clamp(kDenser * shown / all, 0.0, 1.0);
}

std::string time_flag(double seconds) {
  std::string text = format_seconds(seconds);
  std::erase(text, ' ');
  return text;
}

class Choosing {
 public:
  Choosing(const TraceRequest& request, const TraceSizes& sizes)
      : request_(request), sizes_(sizes), share_(share(request.window)), chips_(sizes.chips) {
    if (!request.chips.empty())
      chips_ = static_cast<std::uint32_t>(std::count(request.chips.begin(), request.chips.end(), true));
  }

  TraceChoice choice() const {
    const Detail finest = request_.detail.value_or(Detail::hops);
    for (Detail d = finest;; d = coarser(d)) {
      if (fits(slices(d, chips_))) return chosen(d, chips_, request_.chips);
      if (request_.detail) refuse(d);
      if (d == Detail::steps) break;
    }
    const std::uint32_t fitting = chips_that_fit(Detail::steps);
    if (!request_.chips.empty() || fitting == 0) refuse(Detail::steps);
    std::vector<bool> first(sizes_.chips);
    std::fill_n(first.begin(), fitting, true);
    return chosen(Detail::steps, fitting, first);
  }

 private:
  static Detail coarser(Detail d) { return static_cast<Detail>(static_cast<int>(d) - 1); }
  double share(const Window& w) const { return share_of(w.up_to(request_.last), sizes_.time); }
  bool fits(std::uint64_t slices) const { return !request_.limit || slices <= *request_.limit; }

  double slices_of_chip(Detail d, double share) const {
    return static_cast<double>(sizes_.at(d)) * share / std::max(1u, sizes_.chips) + (share < 1 ? kAtEdges : 0);
  }

  std::uint64_t slices(Detail d, std::uint32_t chips) const { return slices(d, chips, share_); }
  std::uint64_t slices(Detail d, std::uint32_t chips, double share) const {
    if (chips == sizes_.chips && share == 1) return sizes_.at(d);
    return static_cast<std::uint64_t>(std::ceil(slices_of_chip(d, share) * chips));
  }

  std::uint32_t chips_that_fit(Detail d) const {
    const double most = std::floor(static_cast<double>(*request_.limit) / slices_of_chip(d, share_));
    return static_cast<std::uint32_t>(std::min<double>(chips_, most));
  }

  TraceChoice chosen(Detail d, std::uint32_t chips, const std::vector<bool>& which) const {
    TraceChoice c{{d, request_.window, which}, chips, slices(d, chips), {}};
    if (request_.limit) c.scope.most = kFarBeyond * *request_.limit;
    if (chips < chips_)
      c.left_out = fmt::format(
          "messages, and all of the {}, are left out; --trace-chips for others, --trace-limit none for all",
          chips_ - chips == 1 ? "other chip" : fmt::format("{} other chips", chips_ - chips));
    else if (d != request_.detail.value_or(Detail::hops))
      c.left_out = fmt::format(
          "{} ({}) would be more than the limit of {}; for them: --trace-detail hops with "
          "--trace-chips, --trace-window or --trace-limit none",
          d == Detail::steps ? "messages and hops" : "hops", amount(slices(Detail::hops, chips), "slice"),
          limit_text());
    return c;
  }

  std::string limit_text() const {
    const std::uint64_t n = *request_.limit;
    return n % 1'000'000 == 0 ? fmt::format("{}M", n / 1'000'000) : std::to_string(n);
  }

  [[noreturn]] void refuse(Detail d) const {
    std::vector<std::string> options;
    for (Detail other = d; other != Detail::steps;) {
      other = coarser(other);
      if (fits(slices(other, chips_)))
        options.push_back(
            fmt::format("--trace-detail {} ({})", name_of(other), amount(slices(other, chips_), "slice")));
    }
    if (const std::uint32_t n = chips_that_fit(d); n > 0 && n < chips_)
      options.push_back(n == 1 ? "--trace-chips 0" : fmt::format("--trace-chips 0-{}", n - 1));
    if (const std::string window = window_that_fits(d); !window.empty())
      options.push_back("--trace-window " + window);
    options.push_back("--trace-limit none");
    throw InputError(
        fmt::format("a trace of {} would be too large, {}", scope_text(d), amount(slices(d, chips_), "slice")),
        "--trace-limit " + limit_text(), fmt::format("{}", fmt::join(options, ", ")));
  }

  std::string scope_text(Detail d) const {
    return fmt::format("{} of {} chip{}",
                       d == Detail::steps      ? "the steps"
                       : d == Detail::messages ? "the messages"
                                               : "all hops",
                       chips_, chips_ == 1 ? "" : "s");
  }

  // From where the one that was asked for begins. Empty where none is long enough to tell its ends apart.
  std::string window_that_fits(Detail d) const {
    const double inside = kRoom * static_cast<double>(*request_.limit) - kAtEdges * chips_;
    const double all = slices_of_chip(d, 1) * chips_;
    const double length = sizes_.time.seconds() * inside / all / kDenser, begin = request_.window.begin.seconds();
    if (all == 0 || length < Time::picoseconds(1).seconds()) return {};
    const std::string text = (begin > 0 ? time_flag(begin) : std::string{}) + ".." + time_flag(begin + length);
    return accepted(text, d) ? text : std::string{};
  }

  bool accepted(const std::string& window, Detail d) const try {
    return fits(slices(d, chips_, share(parse_trace_window(window))));
  } catch (const InputError&) {
    return false;
  }

  const TraceRequest& request_;
  const TraceSizes& sizes_;
  const double share_;
  std::uint32_t chips_;
};

}  // namespace

std::uint64_t TraceSizes::at(Detail d) const {
  return d == Detail::steps ? steps : d == Detail::messages ? messages : hops;
}

TraceSizes trace_sizes(const MachineModel& machine, const Plan& plan) {
  const Estimate e = estimate(machine, plan, false);
  TraceSizes sizes{.chips = machine.shape.chips(), .time = expected_time(plan)};
  Participants participants(machine.shape);
  for (const Task& task : plan.program) {
    const std::uint64_t chips = participants.of(task);
    sizes.steps += chips;
    if (collective_of(task)) sizes.steps += chips;  // exposed
    if (std::holds_alternative<ComputeTask>(task.work) || std::holds_alternative<CollectiveMatmulTask>(task.work))
      sizes.steps += chips;
  }
  const std::uint64_t all_chunks = sizes.steps + chunks(machine, plan, false);
  sizes.steps += chunks(machine, plan, true);
  sizes.messages = all_chunks + 2 * e.messages;
  sizes.hops = all_chunks + e.hops + e.messages;
  return sizes;
}

TraceChoice choose_trace(const TraceRequest& request, const TraceSizes& sizes) {
  return Choosing(request, sizes).choice();
}

}  // namespace hopsim
