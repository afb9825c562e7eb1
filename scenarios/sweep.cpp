#include "scenarios/sweep.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "scenarios/fields.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/set.hpp"
#include "scenarios/sweep_values.hpp"
#include "sim/quantities.hpp"

namespace hopsim {
namespace {

constexpr const char* kExample = "dotted keys, such as machine.slice: [4x4x4, 4x4x8]";

void check_path(const SweepKey& key) {
  const std::string& path = key.path;
  if (path.empty() || path.starts_with('.') || path.ends_with('.') || path.find("..") != std::string::npos)
    throw PlacedError(key.place, "an empty name in a key of a sweep", quoted_for_message(path), kExample);
  if (path == "sweep" || path.starts_with("sweep."))
    throw PlacedError(key.place, "a sweep cannot vary itself", path, kExample);
}

SweepKey key_of(const YamlValue& item) {
  SweepKey key{item.key, item.key_place, {}};
  check_path(key);
  key.values = sweep_values(item);
  return key;
}

class SweepReader {
 public:
  SweepSpec read(const YamlValue& sweep) {
    expect_map(sweep);
    spec_.place = sweep.place;
    for (const YamlValue& item : sweep.items) {
      if (item.key == "where") {
        spec_.where = load_where(item);
      } else if (item.key == "zip") {
        read_zip(item);
      } else {
        spec_.axes.push_back({{key_of(item)}});
      }
    }
    for (const YamlValue* group : named_) join(*group);
    if (spec_.axes.empty()) throw PlacedError(sweep.place, "an empty sweep", "no key", kExample);
    check_order();
    return std::move(spec_);
  }

 private:
  static constexpr const char* kZip =
      "a group {machine.slice: [4x4, 8x8], machine.chip: [...]}, names of keys listed beside it, or a list of either";

  void read_zip(const YamlValue& zip) {
    if (zip.is_map()) return add_group(zip);
    expect_list(zip, kZip);
    if (zip.items.empty()) throw PlacedError(zip.place, "zip has no keys", "[]", kZip);
    if (std::all_of(zip.items.begin(), zip.items.end(), [](const YamlValue& v) { return v.is_scalar(); })) {
      named_.push_back(&zip);
      return;
    }
    for (const YamlValue& group : zip.items) {
      if (group.is_map()) {
        add_group(group);
      } else {
        expect_list(group, kZip);
        named_.push_back(&group);
      }
    }
  }

  void add_group(const YamlValue& group) {
    if (group.items.empty()) throw PlacedError(group.place, "zip has no keys", "{}", kZip);
    SweepAxis axis;
    for (const YamlValue& item : group.items) axis.keys.push_back(key_of(item));
    check_sizes(axis);
    spec_.axes.push_back(std::move(axis));
  }

  static void check_sizes(const SweepAxis& axis) {
    for (const SweepKey& key : axis.keys)
      if (key.values.size() != axis.size())
        throw PlacedError(key.place, "keys that move together need as many values each",
                          key.path + " with " + std::to_string(key.values.size()),
                          std::to_string(axis.size()) + ", as " + axis.keys.front().path + " has");
  }

  // Makes one axis of those whose keys the list names, where the first of them stands.
  void join(const YamlValue& names) {
    std::vector<std::size_t> members;
    for (const YamlValue& name : names.items) {
      const std::string& path = text_of(name, kZip);
      const auto axis = std::find_if(spec_.axes.begin(), spec_.axes.end(), [&](const SweepAxis& a) {
        return a.keys.size() == 1 && a.keys.front().path == path;
      });
      if (axis == spec_.axes.end())
        throw PlacedError(name.place, "zip names no key of the sweep, or one that moves with others already",
                          quoted_for_message(path), single_keys());
      const auto at = static_cast<std::size_t>(axis - spec_.axes.begin());
      if (std::find(members.begin(), members.end(), at) != members.end())
        throw PlacedError(name.place, "a key given twice", path, "each key once");
      members.push_back(at);
    }
    if (members.size() < 2) throw PlacedError(names.place, "zip needs two keys to move together", "", kZip);
    SweepAxis joined;
    for (const std::size_t at : members) joined.keys.push_back(std::move(spec_.axes[at].keys.front()));
    check_sizes(joined);
    std::sort(members.begin(), members.end());
    spec_.axes[members.front()] = std::move(joined);
    for (std::size_t m = members.size(); --m > 0;)
      spec_.axes.erase(spec_.axes.begin() + static_cast<std::ptrdiff_t>(members[m]));
  }

  std::string single_keys() const {
    std::string keys;
    for (const SweepAxis& axis : spec_.axes)
      if (axis.keys.size() == 1) keys += (keys.empty() ? "" : ", ") + axis.keys.front().path;
    return keys;
  }

  // Values are put in by this order: none may overwrite an earlier one.
  void check_order() const {
    std::map<std::string, FilePlace> earlier;
    for (const SweepAxis& axis : spec_.axes)
      for (const SweepKey& key : axis.keys) {
        const auto [at, fresh] = earlier.emplace(key.path, key.place);
        if (!fresh)
          throw PlacedError(key.place,
                            "a key given twice, first at line " + std::to_string(at->second.line) + ", column " +
                                std::to_string(at->second.column),
                            key.path, "each key once");
        const auto below = earlier.lower_bound(key.path + ".");
        if (below != earlier.end() && below->first.starts_with(key.path + "."))
          throw PlacedError(key.place, "the key overwrites " + below->first, key.path, "the outer key first");
      }
  }

  SweepSpec spec_;
  std::vector<const YamlValue*> named_;  // groups of names, joined when all keys are there
};

Document without(Document document, std::string_view key) {
  std::erase_if(document.root.items, [&](const YamlValue& v) { return v.key == key; });
  return document;
}

SweepSpec sweep_of(const Document& document) {
  if (const YamlValue* sweep = document.root.find("sweep")) return load_sweep(*sweep);
  throw PlacedError(document.root.place, "the scenario has no sweep", "", "sweep: {machine.slice: [4x4x4, 4x4x8]}");
}

[[noreturn]] void refuse_size(const SweepSpec& spec, std::size_t most) {
  std::string sizes;
  Uint128 points = 1;
  for (const SweepAxis& axis : spec.axes) {
    sizes += (sizes.empty() ? "" : " x ") + std::to_string(axis.size());
    points = std::min<Uint128>(points * axis.size(), Uint128{1} << 64);
  }
  if (points <= kMostCountedPoints) sizes += " = " + std::to_string(static_cast<std::uint64_t>(points));
  std::string valid = "at most " + std::to_string(most) + " points: larger steps, or zip";
  if (points <= kMostCountedPoints) valid += "; or --yes, which runs them all";
  throw PlacedError(spec.place, "a sweep of too many points", sizes, valid);
}

bool same_place(const FilePlace& a, const FilePlace& b) { return a.str() == b.str(); }

}  // namespace

SweepSpec load_sweep(const YamlValue& sweep) { return SweepReader().read(sweep); }

Sweep::Sweep(Document document, std::size_t most, const std::function<void()>& meanwhile)
    : spec_(sweep_of(document)) {
  count(std::min(most, kMostCountedPoints));
  base_ = without(std::move(document), "sweep");
  for (std::size_t a = 0; a < spec_.axes.size(); ++a)
    for (std::size_t k = 0; k < spec_.axes[a].keys.size(); ++k) keys_.push_back({a, k});
  check_keys();
  keep_points(meanwhile);
}

void Sweep::count(std::size_t most) {
  strides_.resize(spec_.axes.size());
  for (std::size_t a = spec_.axes.size(); a-- > 0;) {
    strides_[a] = grid_;
    grid_ *= spec_.axes[a].size();  // both factors are small
    if (grid_ > most) refuse_size(spec_, most);
  }
}

std::vector<const SweepKey*> Sweep::keys() const {
  std::vector<const SweepKey*> keys;
  for (const KeyAt& at : keys_) keys.push_back(&spec_.axes[at.axis].keys[at.key]);
  return keys;
}

std::size_t Sweep::index(std::size_t grid_point, std::size_t axis) const {
  return grid_point / strides_[axis] % spec_.axes[axis].size();
}

const YamlValue& Sweep::value(std::size_t point, std::size_t key) const {
  const KeyAt at = keys_[key];
  return spec_.axes[at.axis].keys[at.key].values[index(grid_point(point), at.axis)];
}

Document Sweep::grid_document(std::size_t grid_point) const {
  Document document = base_;
  for (std::size_t a = 0; a < spec_.axes.size(); ++a)
    for (const SweepKey& key : spec_.axes[a].keys)
      set_value(document, key.path, key.values[index(grid_point, a)], key.place);
  return document;
}

Document Sweep::document(std::size_t point) const {
  Document document = grid_document(grid_point(point));
  return expects(point) ? document : without(std::move(document), "expect");
}

bool Sweep::expects(std::size_t point) const {
  const auto keys = this->keys();
  const auto of_expect = [](const SweepKey* k) { return k->path == "expect" || k->path.starts_with("expect."); };
  if (std::any_of(keys.begin(), keys.end(), of_expect)) return true;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const YamlValue* base = value_at(base_, keys[k]->path);
    if (base == nullptr || !same_value(*base, value(point, k))) return false;
  }
  return true;
}

// A key that no scenario has fails at every point; told at once, and as itself. What a point's values make wrong is
// that point's.
void Sweep::check_keys() const {
  const YamlValue* dims = base_.root.find("dims");
  for (const SweepKey* key : keys()) {
    if (!key->path.starts_with("dims.")) continue;
    Names known;
    if (dims != nullptr)
      for (const YamlValue& dim : dims->items) known.push_back(dim.key);
    const std::string name = key->path.substr(5);
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse_name(key->place, "dimension of dims", name, known);
  }
  const Document first = grid_document(0);
  try {
    load_scenario(first);
  } catch (const PlacedError& e) {
    for (const SweepKey* key : keys())
      if (same_place(e.place(), key->place)) throw;
  }
}

void Sweep::keep_points(const std::function<void()>& meanwhile) {
  if (spec_.where.empty()) return;
  for (std::size_t point = 0; point < grid_; ++point) {
    if (meanwhile && point % 1024 == 0) meanwhile();
    const Document document = grid_document(point);
    const auto fails = [&](const Comparison& c) { return !holds(c, document); };
    if (std::any_of(spec_.where.begin(), spec_.where.end(), fails)) continue;
    kept_.push_back(static_cast<std::uint32_t>(point));
  }
  if (kept_.empty())
    throw PlacedError(spec_.where.front().place, "where leaves no point of " + std::to_string(grid_), "",
                      "conditions that some point meets");
}

}  // namespace hopsim
