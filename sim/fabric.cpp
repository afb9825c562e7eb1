#include "sim/fabric.hpp"

#include <algorithm>

namespace hopsim {

bool Fabric::whole_way(ChipId from, Offset rest, std::uint32_t order) const {
  int d = static_cast<int>(order);
  for (std::uint32_t at = index(from); !rest.zero();) {
    while (rest[d] == 0) d = d + 1 == kMaxDimensions ? 0 : d + 1;
    const Link& link = links[index(grid_link(port(d, rest[d] < 0), at))];
    if (!link.exists()) return false;
    rest = rest.with(d, rest[d] + (rest[d] < 0 ? 1 : -1));
    at = link.to;
  }
  return true;
}

std::uint32_t Fabric::table_hops(ChipId from, ChipId to, std::uint32_t table) const {
  std::uint32_t n = 0;
  for (std::uint32_t at = index(from); at != index(to); ++n) at = links[index(next_link(at, index(to), table))].to;
  return n;
}

std::string Fabric::chip_name(ChipId chip) const {
  if (index(chip) >= chips()) return "switch " + std::to_string(index(chip) - chips());
  const Coordinates at = shape.at(chip);
  std::string name = "(";
  for (int d = 0; d < shape.dimensions; ++d) name += (d ? "," : "") + std::to_string(at[d]);
  return name + ")";
}

std::string Fabric::port_name(LinkId link) const {
  if (has_port(link)) {
    const auto port = index(link) / chips();
    return std::string{"xyzw"[port / 2], port % 2 ? '-' : '+'};
  }
  const Link& l = links[index(link)];
  return (l.to < chips() ? "to chip " + std::to_string(l.to) : "to switch " + std::to_string(l.to - chips()));
}

std::string Fabric::link_name(LinkId link) const {
  const std::uint32_t from = has_port(link) ? index(link) % chips() : links[index(link)].from;
  return (from < chips() ? chip_name(ChipId(from)) : "switch " + std::to_string(from - chips())) + " " +
         port_name(link);
}

std::uint32_t Fabric::existing_links() const {
  return static_cast<std::uint32_t>(
      std::count_if(links.begin(), links.end(), [](const Link& l) { return l.exists(); }));
}

}  // namespace hopsim
