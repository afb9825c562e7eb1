#include "tools/report/stretches.hpp"

#include <algorithm>
#include <tuple>

namespace hopsim {
namespace {

constexpr std::size_t kOpen = 4;  // the last few of a link may still grow: steps that run at once take turns
constexpr std::size_t kLeast = 64, kMost = 4096;

bool grow(DrawnStretch& s, const DrawnStretch& by, Time gap) {
  if (s.step != by.step || by.start > s.end + gap || s.start > by.end + gap) return false;
  s.start = std::min(s.start, by.start);
  s.end = std::max(s.end, by.end);
  return true;
}

void sort_by_start(std::vector<DrawnStretch>& all) {
  std::sort(all.begin(), all.end(), [](const DrawnStretch& a, const DrawnStretch& b) {
    return std::tie(a.start, a.end, a.step) < std::tie(b.start, b.end, b.step);
  });
}

}  // namespace

void close_gaps(std::vector<DrawnStretch>& all, Time gap) {
  std::sort(all.begin(), all.end(), [](const DrawnStretch& a, const DrawnStretch& b) {
    return std::tie(a.step, a.start) < std::tie(b.step, b.start);
  });
  std::vector<DrawnStretch> closed;
  for (const DrawnStretch& s : all)
    if (closed.empty() || !grow(closed.back(), s, gap)) closed.push_back(s);
  sort_by_start(closed);
  all = std::move(closed);
}

void join_short(std::vector<DrawnStretch>& all, Time least) {
  std::vector<DrawnStretch> joined;
  for (const DrawnStretch& s : all) {
    if (joined.empty() || std::max(joined.back().end, s.end) - joined.back().start >= least) {
      joined.push_back(s);
      continue;
    }
    DrawnStretch& last = joined.back();
    last.end = std::max(last.end, s.end);
    if (last.step != s.step) last.step = kSeveralSteps;
  }
  all = std::move(joined);
}

LinkStretches::LinkStretches(const Fabric& fabric, std::size_t most_in_all)
    : most_(std::clamp(most_in_all / std::max<std::size_t>(1, fabric.links.size()), kLeast, kMost)),
      links_(fabric.links.size()) {}

void LinkStretches::hop(const HopRecord& h) {
  Busy& link = links_[index(h.link)];
  const DrawnStretch busy{h.start, h.end, h.task};
  const std::size_t n = link.stretches.size();
  for (std::size_t i = n; i-- > (n > kOpen ? n - kOpen : 0);)
    if (grow(link.stretches[i], busy, link.gap)) return;
  link.stretches.push_back(busy);
  if (link.stretches.size() > most_) thin(link);
}

// To half of what is allowed, lest the next hop does it again.
void LinkStretches::thin(Busy& link) const {
  Time end;
  for (const DrawnStretch& s : link.stretches) end = std::max(end, s.end);
  Time gap = std::max(2 * link.gap, Time::picoseconds(end.ps() / most_ + 1));
  for (;; gap = 2 * gap) {
    close_gaps(link.stretches, gap);
    if (link.stretches.size() > most_ / 2) join_short(link.stretches, gap);
    if (link.stretches.size() <= most_ / 2) break;
  }
  link.gap = gap;
}

std::vector<DrawnStretch> LinkStretches::of(LinkId link) const {
  std::vector<DrawnStretch> all = links_[index(link)].stretches;
  close_gaps(all, Time{});
  return all;
}

}  // namespace hopsim
