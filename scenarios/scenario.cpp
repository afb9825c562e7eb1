#include "scenarios/scenario.hpp"

#include <filesystem>

#include "scenarios/fields.hpp"
#include "scenarios/sweep.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

constexpr std::uint64_t kMaxDimension = std::uint64_t{1} << 40;

std::vector<NamedSize> dims_of(const YamlValue& value) {
  expect_map(value);
  std::vector<NamedSize> dims;
  for (const YamlValue& dim : value.items) {
    check_identifier(dim.key, "a dimension", dim.key_place);
    const auto size = parsed(dim, [](std::string_view text) { return parse_count(text, 1, kMaxDimension); });
    dims.push_back({dim.key, size.value, dim.key_place});
  }
  return dims;
}

std::string default_name(const std::string& file) {
  return file == "<stdin>" ? "stdin" : std::filesystem::path(file).stem().string();
}

}  // namespace

Scenario load_scenario(const Document& document) {
  const MapReader reader(document.root, "a scenario",
                         {"name", "machine", "dims", "dtype", "program", "expect", "sweep"});
  Scenario scenario;
  scenario.file = document.name;
  const YamlValue* name = reader.find("name");
  scenario.name = name != nullptr ? text_of(*name) : default_name(document.name);
  scenario.machine = load_machine(reader.require("machine"));
  if (const YamlValue* v = reader.find("dims")) scenario.dims = dims_of(*v);
  if (const YamlValue* v = reader.find("dtype")) scenario.dtype = load_dtype(*v);
  scenario.program = load_program(reader.require("program"));
  if (const YamlValue* v = reader.find("expect")) {
    scenario.expect = load_expectations(*v, scenario.program.size());
  }
  if (const YamlValue* v = reader.find("sweep")) {
    load_sweep(*v);
    scenario.sweep = *v;
  }
  return scenario;
}

}  // namespace hopsim
