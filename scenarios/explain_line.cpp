#include "scenarios/explain_line.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace hopsim {
namespace {

using Names = std::vector<std::string>;

constexpr std::uint32_t kAxisWithoutMesh = 4;

}  // namespace

void add_name(Names& names, const std::string& name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

Mesh mesh_of(const Statement& s) {
  Names names;
  for_each_array(s, [&](const ArrayRef& a) {
    for (const Dimension& d : a.dimensions)
      for (const std::string& axis : d.axes) add_name(names, axis);
    for (const std::string& axis : a.unreduced) add_name(names, axis);
  });
  if (const auto* c = std::get_if<Collective>(&s))
    for (const std::string& axis : c->axes) add_name(names, axis);
  std::sort(names.begin(), names.end());
  std::vector<Mesh::Axis> axes;
  for (const std::string& name : names) axes.emplace_back(name, kAxisWithoutMesh);
  return Mesh(std::move(axes));
}

std::vector<std::string> dimensions_of(const Statement& s) {
  Names names;
  for_each_array(s, [&](const ArrayRef& a) {
    for (const Dimension& d : a.dimensions)
      if (!d.ellipsis()) add_name(names, d.name);
  });
  return names;
}

}  // namespace hopsim
