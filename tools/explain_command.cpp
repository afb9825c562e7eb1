#include "tools/explain_command.hpp"

#include <spdlog/logger.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "scenarios/explain.hpp"
#include "scenarios/explain_json.hpp"
#include "scenarios/fields.hpp"
#include "scenarios/machine_spec.hpp"
#include "scenarios/made_values.hpp"
#include "scenarios/program.hpp"
#include "scenarios/set.hpp"
#include "sim/units.hpp"
#include "tools/explain_report.hpp"
#include "tools/prepare.hpp"
#include "tools/result_files.hpp"

namespace hopsim {
namespace {

constexpr std::uint64_t kMaxDimension = std::uint64_t{1} << 40;
constexpr std::uint64_t kMaxMeshChips = std::uint64_t{1} << 20;

// ---- NAME=COUNT,NAME=COUNT

struct NamedCount {
  Placed<std::string> name;
  Placed<std::uint64_t> count;
};

std::string trimmed(std::string_view text, std::size_t& begin) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  begin += first;
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

NamedCount named_count(std::string_view text, std::size_t begin, const std::string& flag, std::uint64_t most) {
  const std::size_t equals = text.find('=');
  std::size_t name_at = begin, count_at = begin + equals + 1;
  const std::string name = trimmed(text.substr(0, equals), name_at);
  if (equals == std::string_view::npos || name.empty())
    throw PlacedError(place_in_flag(flag, name_at), "expected NAME=SIZE", quoted_for_message(std::string(text)),
                      flag == "--mesh" ? "X=4,Y=4" : "I=1024,J=2048");
  check_identifier(name, flag == "--mesh" ? "an axis" : "a dimension", place_in_flag(flag, name_at));
  const std::string count = trimmed(text.substr(equals + 1), count_at);
  try {
    return {{name, place_in_flag(flag, name_at)}, {parse_count(count, 1, most), place_in_flag(flag, count_at)}};
  } catch (const InputError& e) {
    throw PlacedError(place_in_flag(flag, count_at), InputError(name + ": " + e.what()));
  }
}

std::vector<NamedCount> named_counts(const std::string& text, const std::string& flag, std::uint64_t most) {
  std::vector<NamedCount> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    NamedCount next = named_count(std::string_view(text).substr(begin, comma - begin), begin, flag, most);
    for (const NamedCount& other : all)
      if (other.name.value == next.name.value)
        throw PlacedError(next.name.place, next.name.value + " is given twice", "", "each once");
    all.push_back(std::move(next));
    begin = comma + 1;
  }
  return all;
}

// ---- the machine

// As `machine.mesh` of a file.
YamlValue mesh_value(const std::vector<NamedCount>& axes) {
  YamlValue mesh = made_value(YamlValue::Kind::map, place_in_flag("--mesh"));
  for (const NamedCount& axis : axes) {
    add_entry(mesh, axis.name.value, made_scalar(std::to_string(axis.count.value), axis.count.place));
    mesh.items.back().key_place = axis.name.place;
  }
  return mesh;
}

std::optional<MachineModel> machine_of(const ExplainArguments& a) {
  if (a.machine.empty()) {
    if (!a.sets.empty()) throw InputError("explain: --set needs --machine", a.sets.front());
    return std::nullopt;
  }
  check_machine_sets(a.sets);
  CommonFlags flags;
  flags.machine = a.machine;
  flags.sets = a.sets;
  flags.ideal = a.ideal;
  Document document = empty_document("hopsim explain");
  apply_flags(document, flags);
  if (a.mesh)
    set_value(document, "machine.mesh", mesh_value(named_counts(*a.mesh, "--mesh", kMaxMeshChips)),
              place_in_flag("--mesh"));
  return build_machine(load_machine(*document.root.find("machine")));
}

Mesh mesh_of(const std::string& text) {
  std::vector<Mesh::Axis> axes;
  std::uint64_t chips = 1;
  for (const NamedCount& axis : named_counts(text, "--mesh", kMaxMeshChips)) {
    chips *= axis.count.value;
    if (chips > kMaxMeshChips)
      throw PlacedError(axis.count.place, "the mesh has too many chips", "",
                        "up to " + std::to_string(kMaxMeshChips));
    axes.emplace_back(axis.name.value, static_cast<std::uint32_t>(axis.count.value));
  }
  return Mesh(std::move(axes));
}

// ---- the question

template <class Parse>
auto flag_value(const std::string& flag, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const PlacedError&) {
    throw;
  } catch (const InputError& e) {
    throw PlacedError(place_in_flag(flag), e);
  }
}

DType dtype_of(const std::string& text) {
  const auto dtype = dtype_named(text);
  if (!dtype) throw InputError("unknown element type", quoted_for_message(text), dtype_names());
  return *dtype;
}

// Runs something that reads the line.
template <class Read>
auto reading_line(Read read) {
  try {
    return read();
  } catch (const NotationError& e) {
    throw PlacedError(place_in_flag("EXPR", static_cast<std::size_t>(std::max(e.column(), 1) - 1)), e);
  }
}

Sizes sizes_of(const std::string& text, const ExplainQuestion& q) {
  const std::vector<std::string> known = reading_line([&] { return explained_dimensions(q); });
  Sizes sizes;
  for (const NamedCount& d : named_counts(text, "--dims", kMaxDimension)) {
    if (std::find(known.begin(), known.end(), d.name.value) == known.end())
      throw PlacedError(d.name.place, "no array of the line has this dimension", d.name.value,
                        joined(Names(known.begin(), known.end())));
    sizes.emplace(d.name.value, d.count.value);
  }
  return sizes;
}

ExplainQuestion question_of(const ExplainArguments& a, const MachineModel* machine) {
  ExplainQuestion q{.line = a.line, .machine = machine};
  if (machine == nullptr && a.mesh) q.mesh = mesh_of(*a.mesh);
  if (a.dtype) q.dtype = flag_value("--dtype", *a.dtype, dtype_of);
  if (a.memory)
    q.memory = flag_value("--memory", *a.memory, [](const std::string& t) { return parse_bytes(t, Bare::allowed); });
  if (a.dims) q.sizes = sizes_of(*a.dims, q);
  q.book = a.schedule == "book";
  q.backward = a.backward;
  q.best = a.best;
  q.verify = a.verify;
  return q;
}

}  // namespace

int explain_command(const ExplainArguments& a, const Streams& streams) {
  const std::optional<MachineModel> machine = machine_of(a);
  const MachineModel* m = machine ? &*machine : nullptr;
  ResultFiles files(a.json);
  const ExplainQuestion question = question_of(a, m);
  const Explanation e = reading_line([&] { return explain(question); });
  if (machine)
    for (const std::string& warning : machine->warnings) streams.log->warn(warning);
  for (const std::string& warning : e.warnings) streams.log->warn(warning);
  if (!a.json.empty()) files.write(to_json(e, m), {}, streams.out);
  if (!a.quiet && !files.own_standard_output()) streams.out << report(e, m) << std::flush;
  return 0;
}

}  // namespace hopsim
