#include "tools/collective_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "scenarios/build_plan.hpp"
#include "scenarios/fields.hpp"
#include "scenarios/made_values.hpp"
#include "scenarios/program.hpp"
#include "tools/prepare.hpp"
#include "tools/size_list.hpp"

namespace hopsim {
namespace {

constexpr const char* kDefaultSizes = "1KiB..1GiB*4";

// `0,1` or `data,model` as the list it would be in a file.
YamlValue list_or_scalar(const std::string& text, const std::string& flag) {
  const FilePlace start = place_in_flag(flag);
  if (text.find_first_of(",[") == std::string::npos) return made_scalar(text, start);
  if (text.front() == '[') return parse_document(text, flag).root;
  YamlValue list = made_value(YamlValue::Kind::sequence, start);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    FilePlace place = start;
    place.column += static_cast<int>(begin);
    list.items.push_back(made_scalar(text.substr(begin, comma - begin), place));
    begin = comma + 1;
  }
  return list;
}

// --- operations ---

bool takes_root(std::string_view operation) {
  return operation == "broadcast" || operation == "reduce" || operation == "gather" || operation == "scatter";
}

std::vector<std::string> operations_of(const CollectiveArguments& arguments) {
  std::vector<std::string> operations;
  for (const std::string& name : arguments.operations) {
    const auto operation = collective_named(name);
    if (!operation) {
      const std::string near(nearest(name, collective_operations()));
      throw InputError("unknown operation" + (near.empty() ? "" : " (did you mean " + near + "?)"),
                       quoted_for_message(name), joined(collective_operations()) + ", psum, psum_scatter, ppermute");
    }
    operations.push_back(*operation);
  }
  if (arguments.root && std::none_of(operations.begin(), operations.end(), takes_root))
    throw InputError("--root is of broadcast, reduce, gather and scatter", operations.front());
  return operations;
}

YamlValue step(const CollectiveArguments& a, const std::string& operation, const Placed<Bytes>& bytes) {
  const FilePlace place = place_in_flag("collective " + operation);
  YamlValue options = made_value(YamlValue::Kind::map, place);
  add_entry(options, "bytes", made_scalar(std::to_string(bytes.value.count()) + " B", bytes.place));
  if (a.axis) add_entry(options, "axis", list_or_scalar(*a.axis, "--axis"));
  if (a.algorithm) add_entry(options, "algorithm", made_scalar(*a.algorithm, place_in_flag("--algorithm")));
  if (a.chunks) add_entry(options, "chunks", made_scalar(*a.chunks, place_in_flag("--chunks")));
  if (a.schedule) add_entry(options, "schedule", made_scalar(*a.schedule, place_in_flag("--schedule")));
  if (a.root && takes_root(operation)) add_entry(options, "root", list_or_scalar(*a.root, "--root"));
  if (operation == "collective_permute") add_entry(options, "shift", made_scalar("1", place));
  YamlValue step = made_value(YamlValue::Kind::map, place);
  add_entry(step, operation, std::move(options));
  return step;
}

// --- the machine ---

void check_flags(const CollectiveArguments& a) {
  if (a.flags.machine.empty())
    throw InputError("collective: --machine is required", "", "tpu_v5e:8x4, torus:8x8,bw=45GB/s,lat=1us, ...");
  check_machine_sets(a.flags.sets);
}

Document with_program(const Document& base, YamlValue step) {
  Document document = base;
  YamlValue program = made_value(YamlValue::Kind::sequence, step.place);
  program.items.push_back(std::move(step));
  add_entry(document.root, "program", std::move(program));
  return document;
}

std::vector<Placed<Bytes>> sizes_of(const CollectiveArguments& a, const std::optional<MeasuredTimes>& measured) {
  if (a.bytes || !measured) return parse_sizes(a.bytes.value_or(kDefaultSizes), "--bytes");
  std::vector<Placed<Bytes>> sizes;
  for (const Bytes b : measured->sizes()) sizes.push_back({b, place_in_flag(*a.measured)});
  return sizes;
}

}  // namespace

CollectiveRows plan_rows(const CollectiveArguments& arguments) {
  check_flags(arguments);
  const std::vector<std::string> operations = operations_of(arguments);
  std::optional<MeasuredTimes> measured;
  if (arguments.measured) measured = MeasuredTimes::read(*arguments.measured);
  const std::vector<Placed<Bytes>> sizes = sizes_of(arguments, measured);
  Document base = empty_document("hopsim collective");
  apply_flags(base, arguments.flags);

  CollectiveRows all;
  std::size_t beside = 0;
  for (const std::string& operation : operations)
    for (const Placed<Bytes>& bytes : sizes) {
      const Scenario scenario = load_scenario(with_program(base, step(arguments, operation, bytes)));
      if (all.rows.empty()) all.machine = build_machine(scenario.machine);
      CollectiveRow row{.plan = build_plan(scenario, all.machine), .measured = {}};
      if (measured) row.measured = measured->find(*operation_named(operation), bytes.value);
      beside += row.measured.has_value();
      all.rows.push_back(std::move(row));
    }
  all.warnings = all.machine.warnings;
  if (measured && beside == 0) all.warnings.push_back(*arguments.measured + " has none of these sizes");
  return all;
}

}  // namespace hopsim
