// The event queue: a monotone radix heap that hands out whole instants. The events of one time are a set: nothing may
// depend on their order within it (engines order by local keys instead).
//
// A symmetric load has few times and many events at each, so the second and later events of a time are kept beside
// the heap, in a group; the first stays in the heap, so that all-distinct times pay nothing for it. push: amortised
// O(log of the time span); next_instant: O(events handed out). Times must not lie before the last instant handed out.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/quantities.hpp"

namespace hopsim {

class InstantQueue {
 public:
  // `what` is the caller's, below 2^63. Two scalars rather than a struct: a 16-byte struct goes through memory.
  void push(Time time, std::uint64_t what) {
    assert(time.ps() >= last_ && what < kGroup);
    Recent& r = recent(time.ps());
    if (r.time != time.ps()) {  // forgetting a time merely gives it a second group
      r = {time.ps(), kNone};
      insert(time.ps(), what);
      return;
    }
    if (r.group == kNone) {
      r.group = take_group();
      insert(time.ps(), kGroup | r.group);
    }
    groups_[r.group].push_back(what);
  }

  // Everything due at the earliest time, in `out`; false when nothing is left.
  bool next_instant(Time& now, std::vector<std::uint64_t>& out) {
    out.clear();
    if (size_ == 0) return false;
    if (buckets_[0].empty()) refill();
    now = Time::picoseconds(last_);
    if (Recent& r = recent(last_); r.time == last_) r.time = kNever;
    for (const Entry& e : buckets_[0])
      if (!(e.what & kGroup)) out.push_back(e.what);
    for (const Entry& e : buckets_[0])
      if (e.what & kGroup) empty_group(static_cast<std::uint32_t>(e.what), out);
    size_ -= buckets_[0].size();
    buckets_[0].clear();
    return true;
  }

 private:
  static constexpr std::uint64_t kGroup = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  static constexpr std::uint32_t kNone = ~0u;
  struct Entry {
    std::uint64_t time, what;
  };
  struct Recent {
    std::uint64_t time = kNever;
    std::uint32_t group = kNone;
  };

  Recent& recent(std::uint64_t time) { return recent_[(time * 0x9e3779b97f4a7c15u) >> 54]; }  // 2^10 slots
  static int bucket(std::uint64_t time, std::uint64_t last) { return std::bit_width(time ^ last); }
  void insert(std::uint64_t time, std::uint64_t what) {
    buckets_[bucket(time, last_)].push_back({time, what});
    ++size_;
  }
  std::uint32_t take_group() {
    if (free_groups_.empty()) {
      groups_.emplace_back();
      return static_cast<std::uint32_t>(groups_.size() - 1);
    }
    const std::uint32_t g = free_groups_.back();
    free_groups_.pop_back();
    return g;
  }
  void empty_group(std::uint32_t g, std::vector<std::uint64_t>& out) {
    auto& group = groups_[g];
    if (out.size() <= 1) {  // the usual case: hand the group itself over, in its own order
      group.insert(group.begin(), out.begin(), out.end());
      std::swap(out, group);
    } else {
      out.insert(out.end(), group.begin(), group.end());
    }
    group.clear();
    free_groups_.push_back(g);
  }
  void refill() {
    std::size_t i = 1;
    while (buckets_[i].empty()) ++i;
    last_ = kNever;
    for (const Entry& e : buckets_[i]) last_ = std::min(last_, e.time);
    for (const Entry& e : buckets_[i]) buckets_[bucket(e.time, last_)].push_back(e);
    buckets_[i].clear();
  }

  std::array<Recent, 1024> recent_;
  std::vector<std::vector<std::uint64_t>> groups_;
  std::vector<std::uint32_t> free_groups_;
  std::array<std::vector<Entry>, 65> buckets_;
  std::uint64_t last_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace hopsim
