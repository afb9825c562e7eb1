#include "collectives/algorithm.hpp"

#include <algorithm>

namespace hopsim {
namespace {

double over(double bytes, const LinkModel& link) {
  return bytes > 0 ? bytes / static_cast<double>(link.bandwidth.bytes_per_second()) : 0;
}

}  // namespace

double ClosedForm::transfer_seconds(const Wiring& w) const {
  const double links = over(link_bytes, w.link);
  if (!w.nic) return links;
  const double nics = over(nic_bytes, *w.nic);
  return links_then_nics ? links + nics : std::max(links, nics);
}

double ClosedForm::latency_seconds(const Wiring& w) const {
  return hops * w.link.latency.seconds() + (w.nic ? nic_hops * w.nic->latency.seconds() : 0);
}

}  // namespace hopsim
