#include "tools/report/player_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "collectives/contents.hpp"
#include "sharding/notation.hpp"
#include "sim/error.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMostPieceColumns = 32;

// --- rows ---

struct Actor {
  std::string name;
  bool chip = true;
  std::uint32_t group = 0;
};

class Actors {
 public:
  Actors(const Fabric& fabric, const Contents& contents, const std::vector<bool>& shown) : fabric_(fabric) {
    std::vector<Holder> members;
    for (const Holder& m : contents.members())
      if (shown[m.chip]) members.push_back(m);
    std::map<std::uint32_t, std::uint32_t> group_of;  // by the chip that names the row
    for (const Holder& m : members) group_of.try_emplace(m.row, static_cast<std::uint32_t>(group_of.size()));
    std::sort(members.begin(), members.end(), [&](const Holder& a, const Holder& b) {
      return std::pair(group_of[a.row], a.position) < std::pair(group_of[b.row], b.position);
    });
    groups_.resize(group_of.size());
    for (const Holder& m : members) {
      groups_[group_of[m.row]].push_back(static_cast<std::uint32_t>(actors_.size()));
      chips_[m.chip] = static_cast<std::uint32_t>(actors_.size());
      actors_.push_back({fabric.chip_name(ChipId{m.chip}), true, group_of[m.row]});
    }
  }

  // Of both ends of a message, one of which is a chip that is shown.
  std::pair<std::uint32_t, std::uint32_t> ends(const PlayedMessage& m) {
    const bool from_chip = m.from < fabric_.chips();
    const std::uint32_t group = actors_[chips_.at(from_chip ? m.from : m.to)].group;
    return {number(m.from, group), number(m.to, group)};
  }

  Json actors() const {
    Json all = Json::array();
    for (const Actor& a : actors_) all.push_back({{"name", a.name}, {"chip", a.chip}, {"group", a.group}});
    return all;
  }
  Json groups() const { return groups_; }

 private:
  std::uint32_t number(std::uint32_t node, std::uint32_t group) {
    if (node < fabric_.chips()) return chips_.at(node);
    const auto [found, added] = switches_.try_emplace({node, group}, static_cast<std::uint32_t>(actors_.size()));
    if (added) actors_.push_back({fabric_.chip_name(ChipId{node}), false, group});
    return found->second;
  }

  const Fabric& fabric_;
  std::vector<Actor> actors_;
  std::vector<std::vector<std::uint32_t>> groups_;
  std::map<std::uint32_t, std::uint32_t> chips_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> switches_;  // by node, then group
};

// --- atoms ---

struct Atoms {
  std::vector<int> origin, shard, piece;
  std::string kind = "shard";
  int columns = 0, pieces = 0;
};

// The position of whom `holds` is true, by atom; the same in every row, or InputError.
template <class Holds>
std::vector<int> positions(const Contents& contents, const Schedule& s, const Holds& holds) {
  std::vector<int> of(s.atoms, -1);
  for (const Holder& m : contents.members())
    for (std::uint32_t a = 0; a < s.atoms; ++a) {
      if (!holds(m, a)) continue;
      if (of[a] >= 0 && of[a] != m.position) throw InputError("groups cut their data in different ways");
      of[a] = m.position;
    }
  return of;
}

std::vector<int> columns_of(const Contents& contents, const Schedule& s, const Request& r, Atoms& atoms) {
  switch (r.operation) {
    case Operation::broadcast:
    case Operation::reduce: {
      atoms.kind = "piece";
      const std::uint32_t each = (s.atoms + kMostPieceColumns - 1) / kMostPieceColumns;
      atoms.columns = static_cast<int>((s.atoms + each - 1) / each);
      std::vector<int> column(s.atoms);
      for (std::uint32_t a = 0; a < s.atoms; ++a) column[a] = static_cast<int>(a / each);
      return column;
    }
    case Operation::all_to_all: {
      atoms.kind = "block";
      std::vector<int> target(s.atoms);
      for (std::uint32_t a = 0; a < s.atoms; ++a) target[a] = contents.target(a);
      return target;
    }
    case Operation::collective_permute:
    case Operation::send_recv:
      atoms.kind = "array";
      atoms.columns = 2;
      return atoms.origin;
    default:
      return positions(contents, s, [&](const Holder& m, std::uint32_t a) { return contents.owns(m, a); });
  }
}

Atoms atoms_of(const Contents& contents, const Schedule& s, const Request& r) {
  Atoms atoms{.origin = std::vector<int>(s.atoms, -1), .shard = {}, .piece = {}, .columns = r.row->size()};
  if (!is_sum(r.operation))
    atoms.origin = positions(contents, s, [&](const Holder& m, std::uint32_t a) { return contents.starts(m, a); });
  atoms.shard = columns_of(contents, s, r, atoms);
  std::map<std::pair<int, int>, int> count;  // by origin and shard
  for (std::uint32_t a = 0; a < s.atoms; ++a) {
    int& n = count[{atoms.origin[a], atoms.shard[a]}];
    atoms.piece.push_back(n++);
    atoms.pieces = std::max(atoms.pieces, n);
  }
  return atoms;
}

// --- messages ---

class Columns {
 public:
  Columns(const Schedule& s, Time start) : schedule_(s), start_(start) {}

  void add(const PlayedMessage& m, std::pair<std::uint32_t, std::uint32_t> ends, std::uint32_t after) {
    rows_.push_back({ends, chunk(m), m, after});
    for (const Time t : {m.posted, m.start, m.delivered, m.taken}) times_.push_back(t);
  }

  void write(Json& player) {
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    Json times = Json::array();
    for (const Time t : times_) times.push_back(t < start_ ? -(start_ - t).seconds() : (t - start_).seconds());
    player["times_s"] = std::move(times);
    player["chunks"] = std::move(chunks_);
    Json columns = Json::object();
    const auto column = [&](const char* key, const auto& value) {
      std::vector<std::uint32_t> all;
      all.reserve(rows_.size());
      for (const Row& r : rows_) all.push_back(static_cast<std::uint32_t>(value(r)));
      columns[key] = std::move(all);
    };
    column("from", [](const Row& r) { return r.ends.first; });
    column("to", [](const Row& r) { return r.ends.second; });
    column("op", [](const Row& r) { return r.message.op == Op::reduce; });
    column("chunk", [](const Row& r) { return r.chunk; });
    column("hops", [](const Row& r) { return r.message.hops; });
    column("posted", [&](const Row& r) { return number(r.message.posted); });
    column("start", [&](const Row& r) { return number(r.message.start); });
    column("delivered", [&](const Row& r) { return number(r.message.delivered); });
    column("taken", [&](const Row& r) { return number(r.message.taken); });
    column("after", [](const Row& r) { return r.after; });
    player["messages"] = std::move(columns);
  }

 private:
  struct Row {
    std::pair<std::uint32_t, std::uint32_t> ends;
    std::uint32_t chunk;
    PlayedMessage message;
    std::uint32_t after;
  };

  std::size_t number(Time t) const {
    return static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), t) - times_.begin());
  }

  std::uint32_t chunk(const PlayedMessage& m) {
    const std::tuple key(m.chunk.first, m.chunk.count, m.bytes.count());
    const auto [found, added] = known_.try_emplace(key, static_cast<std::uint32_t>(known_.size()));
    if (added) chunks_.push_back({{"bytes", m.bytes.count()}, {"atoms", runs(m.chunk)}});
    return found->second;
  }

  // First and count of every run of atoms.
  std::vector<std::uint32_t> runs(const Chunk& c) const {
    if (!schedule_.expand) return {c.first, c.count};
    std::vector<std::uint32_t> atoms, runs;
    schedule_.expand(c, atoms);
    for (const std::uint32_t a : atoms) {
      if (!runs.empty() && a == runs[runs.size() - 2] + runs.back())
        ++runs.back();
      else
        runs.insert(runs.end(), {a, 1});
    }
    return runs;
  }

  const Schedule& schedule_;
  Time start_;
  std::vector<Row> rows_;
  std::vector<Time> times_;
  Json chunks_ = Json::array();
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> known_;
};

Json head(const StepResult& result, const Request& r) {
  const PlannedStep& step = result.step;
  const std::string axes = step.axes.empty() ? std::string{} : " over " + axes_text(step.axes);
  return {{"line", step.line},
          {"title", std::string(title(r.operation)) + axes},
          {"text", step.text},
          {"operation", name(r.operation)},
          {"algorithm", step.algorithm},
          {"bytes", r.bytes.count()},
          {"start_s", result.start.seconds()},
          {"time_s", result.time().seconds()}};
}

void add_roles(Json& player, const Request& r) {
  if (is_rooted(r.operation)) player["root"] = r.root;
  if (!is_point_to_point(r.operation)) return;
  player["pairs"] = Json::array();
  for (const auto& [from, to] : r.pairs) player["pairs"].push_back({from, to});
}

}  // namespace

Json player_json(const Fabric& fabric, const Schedule& s, const StepResult& result, const std::vector<bool>& shown,
                 const Replayed& played) {
  const Request& r = *result.step.collective;
  const Contents contents(fabric.shape, r, s);
  Actors actors(fabric, contents, shown);
  const Atoms atoms = atoms_of(contents, s, r);
  Columns columns(s, result.start);
  for (const PlayedMessage& m : played.messages) columns.add(m, actors.ends(m), m.after);

  Json player = head(result, r);
  player["complete"] = played.complete && result.finished;
  player["actors"] = actors.actors();
  player["groups"] = actors.groups();
  add_roles(player, r);
  player["sums"] = is_sum(r.operation);
  player["slots"] = {{"kind", atoms.kind}, {"count", atoms.columns}, {"pieces", atoms.pieces}};
  player["atoms"] = {{"origin", atoms.origin}, {"shard", atoms.shard}, {"piece", atoms.piece}};
  columns.write(player);
  return player;
}

}  // namespace hopsim
