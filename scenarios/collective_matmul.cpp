#include "scenarios/collective_matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/wiring.hpp"
#include "sim/error.hpp"

namespace hopsim {
namespace {

constexpr int kMostOwnChunks = 64;
constexpr std::uint64_t kMostMessages = 500'000;  // of a trial with more than one chunk

bool same(const ArrayRef& a, const ArrayRef& b) { return sharding_text(a) == sharding_text(b); }

std::string after_sign(const std::string& line) { return line.substr(line.find(" = ") + 3); }

// "C[M, N] = AllGather_X(A[M_X, K]) * B[K, N]", "C[M_X, N] = ReduceScatter_X,M(A[M, K_X] * B[K_X, N])".
std::string text_of(const OverlappedPair& p) {
  const std::string collective = line(StrategyStep(p.collective)), product = line(StrategyStep(p.product));
  if (!p.gathers()) {
    std::string text = collective;
    const std::string partial = sharding_text(p.product.output);
    const std::size_t at = text.rfind(partial);
    return at == std::string::npos ? text : text.replace(at, partial.size(), after_sign(product));
  }
  const auto operand = [&](const ArrayRef& a) {
    return same(a, p.collective.output) ? after_sign(collective) : sharding_text(a);
  };
  return sharding_text(p.product.output) + " = " + operand(p.product.lhs) + " * " + operand(p.product.rhs);
}

// What is cut into chunks, on one chip: a shard of what is gathered or scattered; of a sum all dimensions but the
// last.
struct Rows {
  std::vector<std::string> dimensions;
  std::uint64_t count = 1;
};

Rows rows_of(const OverlappedPair& p, const Mesh& mesh) {
  const ArrayRef& shard = p.gathers() ? p.collective.input : p.collective.output;
  const ArrayRef& whole = p.gathers() ? p.collective.output : p.collective.input;
  const std::vector<std::uint64_t> local = layout(shard, {}, mesh).local_shape;
  Rows rows;
  for (std::size_t d = 0; d < local.size(); ++d) {
    const std::string& name = shard.dimensions[d].name;
    if (shard.dimensions[d].axes.size() > whole.dimensions[d].axes.size()) return {{name}, local[d]};
    if (d + 1 == local.size()) break;
    rows.dimensions.push_back(name);
    rows.count *= local[d];
  }
  return rows;
}

void check_chunks(int chunks, const Rows& rows) {
  if (static_cast<std::uint64_t>(chunks) <= rows.count) return;
  throw InputError(fmt::format("more chunks than a shard has rows along {}", fmt::join(rows.dimensions, ", ")),
                   std::to_string(chunks), fmt::format("1 to {}", rows.count));
}

// Every chunk comes in once, or goes out once, but the chip's own. What a product is made for, or of.
bool passes_all_once(const Request& r, const Schedule& schedule, bool arrivals) {
  std::vector<int> passed(schedule.atoms);
  for (int position = 0; position < r.size(); ++position) {
    const Coordinates at = r.row->at(position);
    std::fill(passed.begin(), passed.end(), 0);
    for (const Lane& lane : schedule.lanes)
      for (const Lane::Placed& p : lane.phases)
        for (int i = 0, n = p.phase->length(at); i < n; ++i) {
          const Passage passage = p.phase->passage(at, i);
          const End& end = arrivals ? passage.in : passage.out;
          if (!end) continue;
          if (schedule.expand || end.chunk.first + end.chunk.count > schedule.atoms) return false;
          for (std::uint32_t a = 0; a < end.chunk.count; ++a) ++passed[end.chunk.first + a];
        }
    for (const Part& part : schedule.parts) {
      const auto own = part.first + part.member(at, position) * part.per_member;
      for (std::uint32_t a = 0; a < part.per_member; ++a) ++passed[own + a];
    }
    if (std::any_of(passed.begin(), passed.end(), [](int n) { return n != 1; })) return false;
  }
  return true;
}

bool has_any(const ArrayRef& a, const std::vector<std::string>& dimensions) {
  return std::any_of(a.dimensions.begin(), a.dimensions.end(), [&](const Dimension& d) {
    return std::find(dimensions.begin(), dimensions.end(), d.name) != dimensions.end();
  });
}

// Arrays that are not cut into chunks are read for every chunk, the output read and written.
ChunkedProduct chunked(const OverlappedPair& p, const std::vector<std::string>& cut, const StepPlanner& planner) {
  const MachineModel& machine = planner.machine();
  Bytes moving = p.product.bytes, again;
  for (const ArrayRef* a : {&p.product.lhs, &p.product.rhs, &p.product.output}) {
    if (has_any(*a, cut)) continue;
    const Bytes bytes = layout(*a, {}, machine.mesh, p.product.dtype).bytes_per_chip;
    moving = Bytes(moving.count() - std::min(moving.count(), bytes.count()));
    again += a == &p.product.output ? bytes + bytes : bytes;
  }
  const ComputeCost cost = planner.compute_cost(p.product.flops, moving, p.product.dtype);
  ChunkedProduct product{cost.flops, cost.hbm, planner.compute_cost({}, again, p.product.dtype).hbm};
  if (!machine.speeds.empty()) product.speeds = std::make_shared<const std::vector<Ratio>>(machine.speeds);
  return product;
}

Time share(Time whole, std::uint64_t part, std::uint64_t all) {
  return Time::picoseconds(static_cast<std::uint64_t>((Uint128{whole.ps()} * part + (all - 1)) / all));
}

// Of a product's work, `part` of `all` rows.
PlannedTask<ComputeTask> piece(PlannedTask<ComputeTask> task, const ChunkedProduct& product, std::uint64_t part,
                               std::uint64_t all) {
  if (product.speeds) {
    std::vector<Time> times;
    for (std::uint32_t c = 0; c < product.speeds->size(); ++c)
      times.push_back(product.of_chunk(part, all, ChipId{c}));
    task.task.busy_of = std::make_shared<const std::vector<Time>>(std::move(times));
  }
  PlannedStep& s = task.step;
  s.flops = Flops(s.flops.count() * part / all);
  s.seconds_at_peak *= static_cast<double>(part) / static_cast<double>(all);
  s.compute = ComputeCost{share(product.flops, part, all), later(share(product.memory, part, all), product.again)};
  task.task.busy = s.closed_form = s.lower_bound = s.compute->time();
  return task;
}

void delay(ComputeTask& task, Time overhead) {
  task.busy = later(task.busy, overhead);
  if (!task.busy_of) return;
  auto times = *task.busy_of;
  for (Time& t : times) t = later(t, overhead);
  task.busy_of = std::make_shared<const std::vector<Time>>(std::move(times));
}

}  // namespace

bool can_overlap(const OverlappedPair& p) {
  if (!moves_data(p.collective)) return false;
  switch (p.collective.kind) {
    case CollectiveKind::all_gather:
      return same(p.collective.output, p.product.lhs) || same(p.collective.output, p.product.rhs);
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_reduce:
      return same(p.collective.input, p.product.output);
    default:
      return false;
  }
}

// The planner's choice for it, but a ring on switches, where the direct way sends everything at once.
PlannedTask<CollectiveTask> CollectiveMatmuls::collective(const ResolvedCollective& c,
                                                          CollectiveOptions options) const {
  Request request = planner_.request(c);
  options = planned_options(options, request);
  if (options.algorithm == "best") options.algorithm = "auto";
  if (options.algorithm == "auto" && c.kind != CollectiveKind::all_reduce) {
    request.wiring = wiring_of(planner_.machine(), *request.row);
    if (request.wiring.kind != Wiring::Kind::grid) options.algorithm = "ring";
  }
  return planner_.collective(c, options);
}

PlannedWork CollectiveMatmuls::fused(const OverlappedPair& p, const CollectiveOptions& options) const {
  using Feed = CollectiveMatmulTask::Feed;
  PlannedTask<CollectiveTask> moved = collective(p.collective, options);
  const PlannedTask<ComputeTask> product = planner_.product(p.product);
  if (!passes_all_once(*moved.step.collective, *moved.task.schedule, p.gathers()))
    throw InputError(fmt::format("{} does not pass every chunk through every chip once, so no product can follow it",
                                 moved.step.algorithm),
                     {}, "ring, bidirectional_ring, line, nd_ring");
  PlannedStep step = std::move(moved.step);
  step.kind = "collective_matmul";
  step.text = text_of(p);
  step.closed_form = std::max(step.closed_form, product.step.closed_form);
  step.lower_bound = std::max(step.lower_bound, product.step.lower_bound);
  step.flops = product.step.flops;
  step.seconds_at_peak = product.step.seconds_at_peak;
  step.compute = product.step.compute;
  if (p.gathers()) {
    step.local_shape = product.step.local_shape;
    step.output = product.step.output;
  }
  Uint128 bytes = 0;  // rounded down, as chunks' bytes are rounded up
  for (const Part& part : moved.task.schedule->parts)
    bytes += Uint128{part.atom.bytes.count()} * part.per_member *
             static_cast<std::uint64_t>(step.collective->size()) / part.atom.pieces;
  return {std::move(step),
          CollectiveMatmulTask{std::move(moved.task), p.gathers() ? Feed::from_arrivals : Feed::to_departures,
                               chunked(p, rows_of(p, planner_.machine().mesh).dimensions, planner_),
                               Bytes(static_cast<std::uint64_t>(bytes))}};
}

// Products in a row; behind each its AllReduce, which waits for the one before, as on one stream.
std::vector<PlannedWork> CollectiveMatmuls::reduced_in_chunks(const OverlappedPair& p,
                                                              const CollectiveOptions& options) const {
  const auto chunks = static_cast<std::uint64_t>(options.chunks.value_or(1));
  const Rows rows = rows_of(p, planner_.machine().mesh);
  const PlannedTask<ComputeTask> product = planner_.product(p.product);
  const ChunkedProduct chunks_of = chunked(p, rows.dimensions, planner_);
  CollectiveOptions whole = options;
  whole.chunks.reset();
  std::vector<PlannedWork> work;
  for (std::uint64_t k = 0; k < chunks; ++k) {
    const std::uint64_t part = rows.count * (k + 1) / chunks - rows.count * k / chunks;
    PlannedTask<ComputeTask> multiply = piece(product, chunks_of, part, rows.count);
    if (k > 0) delay(multiply.task, planner_.machine().overheads.loop);
    ResolvedCollective chunk = p.collective;
    chunk.bytes =
        Bytes(static_cast<std::uint64_t>((Uint128{chunk.bytes.count()} * part + (rows.count - 1)) / rows.count));
    PlannedTask<CollectiveTask> sum = collective(chunk, whole);
    if (chunks > 1) {
      multiply.step.piece = sum.step.piece = fmt::format("{} of {}", k + 1, chunks);
    }
    const auto n = static_cast<std::uint32_t>(work.size());
    work.push_back({std::move(multiply.step), std::move(multiply.task),
                    k == 0 ? std::vector<std::uint32_t>{} : std::vector{n - 2}});
    work.push_back({std::move(sum.step), std::move(sum.task), k == 0 ? std::vector{n} : std::vector{n, n - 1}});
  }
  return work;
}

std::vector<PlannedWork> CollectiveMatmuls::overlapped(const OverlappedPair& p,
                                                       const CollectiveOptions& options) const {
  const auto with = [&](int chunks) {
    CollectiveOptions o = options;
    o.chunks = chunks;
    return p.collective.kind == CollectiveKind::all_reduce ? reduced_in_chunks(p, o) : std::vector{fused(p, o)};
  };
  const Rows rows = rows_of(p, planner_.machine().mesh);
  if (options.chunks) {
    check_chunks(*options.chunks, rows);
    return with(*options.chunks);
  }
  std::vector<PlannedWork> best = with(1);
  Time least = time(best);
  const int most = static_cast<int>(std::min<std::uint64_t>(kMostOwnChunks, rows.count));
  for (int chunks = 2; chunks <= most; chunks *= 2) {
    std::vector<PlannedWork> next = with(chunks);
    if (messages(next) > kMostMessages) break;
    const Time taken = time(next);
    if (taken >= least) break;
    least = taken;
    best = std::move(next);
  }
  return best;
}

std::vector<PlannedWork> CollectiveMatmuls::in_turn(const OverlappedPair& p, const CollectiveOptions& options) const {
  PlannedTask<ComputeTask> product = planner_.product(p.product);
  PlannedTask<CollectiveTask> moved =
      planner_.collective(p.collective, planned_options(options, planner_.request(p.collective)));
  PlannedWork multiply{std::move(product.step), std::move(product.task)};
  PlannedWork move{std::move(moved.step), std::move(moved.task)};
  (p.gathers() ? multiply : move).after = {0};
  std::vector<PlannedWork> work;
  if (p.gathers())
    work = {std::move(move), std::move(multiply)};
  else
    work = {std::move(multiply), std::move(move)};
  return work;
}

bool CollectiveMatmuls::folds(const std::vector<PlannedWork>& work) const {
  return trials_.folds() &&
         std::all_of(work.begin(), work.end(), [&](const PlannedWork& w) { return trials_.folds(w.step); });
}

Time CollectiveMatmuls::time(const std::vector<PlannedWork>& work) const {
  Program program;
  for (const PlannedWork& w : work) program.push_back({w.task, w.after});
  return trials_.run(program, folds(work)).end;
}

// A trial's, as many a chip as the first one sends.
std::uint64_t CollectiveMatmuls::messages(const std::vector<PlannedWork>& work) const {
  const Shape& shape = planner_.machine().shape;
  const Coordinates first = shape.at(ChipId{0});
  std::uint64_t sum = 0;
  for (const PlannedWork& w : work) {
    const Task task{w.task, {}};
    if (const CollectiveTask* c = collective_of(task))
      for (const Lane& lane : c->schedule->lanes)
        for (const Lane::Placed& p : lane.phases) sum += static_cast<std::uint64_t>(p.phase->length(first));
  }
  return folds(work) ? sum : sum * shape.chips();
}

std::vector<StrategyPair> pairs_of(const Strategy& s) {
  std::vector<StrategyPair> pairs;
  for (std::size_t p = 0; p < s.steps.size(); ++p) {
    const auto* product = std::get_if<LocalProduct>(&s.steps[p]);
    if (product == nullptr) continue;
    const auto add = [&](std::size_t c) {
      const auto* collective = std::get_if<ResolvedCollective>(&s.steps[c]);
      if (collective != nullptr && can_overlap({*product, *collective})) pairs.push_back({p, c});
    };
    if (p > 0) add(p - 1);
    if (p + 1 < s.steps.size()) add(p + 1);
  }
  return pairs;
}

}  // namespace hopsim
