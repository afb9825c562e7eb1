#include "sim/fabric.hpp"

#include <algorithm>

namespace hopsim {

std::uint32_t Fabric::table_hops(ChipId from, ChipId to, std::uint32_t route) const {
  std::uint32_t n = 0;
  for (std::uint32_t at = index(from); at != index(to); ++n) at = links[index(next_link(at, index(to), route))].to;
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
  const Link& l = links[index(link)];
  if (grid()) {
    const auto port = index(link) / chips();
    return std::string{"xyzw"[port / 2], port % 2 ? '-' : '+'};
  }
  return (l.to < chips() ? "to chip " + std::to_string(l.to) : "to switch " + std::to_string(l.to - chips()));
}

std::string Fabric::link_name(LinkId link) const {
  const Link& l = links[index(link)];
  if (l.from < chips()) return chip_name(ChipId(l.from)) + " " + port_name(link);
  return "switch " + std::to_string(l.from - chips()) + " " + port_name(link);
}

std::uint32_t Fabric::existing_links() const {
  return static_cast<std::uint32_t>(
      std::count_if(links.begin(), links.end(), [](const Link& l) { return l.exists(); }));
}

}  // namespace hopsim
