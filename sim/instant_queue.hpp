// The event queue: a monotone radix heap that hands out whole instants. The events of one time are a set: nothing may
// depend on their order within it (engines order by local keys instead).
//
// A symmetric load has few times and many events at each, so the second and later events of a time are kept in a
// group. Where times all differ, the next few hundred are sorted at once, which costs less than to pass through the
// last buckets one by one, and lets the caller fetch ahead what they are about. push: amortised O(log of the time
// span); next_instant: O(events handed out). Times must not lie before the last instant handed out.
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
    assert(what < kGroup);
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

  // Everything due at the earliest time, in `out`; false when nothing is left. Of single events, which come in no
  // order that caches know, soon(what, near) is told some time before: twice, the second time `near`.
  template <class Soon>
  bool next_instant(Time& now, std::vector<std::uint64_t>& out, Soon soon) {
    out.clear();
    if (next_ == sorted_.size() && late_.empty() && !refill()) return false;
    const std::uint64_t time = earliest();
    now = Time::picoseconds(time);
    if (Recent& r = recent(time); r.time == time) r.time = kNever;
    due_groups_.clear();
    for (; next_ < sorted_.size() && sorted_[next_].time == time; ++next_) {
      take(sorted_[next_], out);
      tell(next_ + kSoon, false, soon);
      tell(next_ + kNear, true, soon);
    }
    while (!late_.empty() && late_.front().time == time) {
      take(late_.front(), out);
      std::pop_heap(late_.begin(), late_.end(), later);
      late_.pop_back();
    }
    for (const std::uint32_t g : due_groups_) empty_group(g, out);
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
  static bool later(const Entry& a, const Entry& b) { return a.time > b.time; }
  void insert(std::uint64_t time, std::uint64_t what) {
    if (time > last_) {
      buckets_[bucket(time, last_)].push_back({time, what});
    } else {
      late_.push_back({time, what});
      std::push_heap(late_.begin(), late_.end(), later);
    }
  }
  std::uint64_t earliest() const {
    if (next_ == sorted_.size()) return late_.front().time;
    return late_.empty() ? sorted_[next_].time : std::min(sorted_[next_].time, late_.front().time);
  }
  void take(const Entry& e, std::vector<std::uint64_t>& out) {
    if (e.what & kGroup)
      due_groups_.push_back(static_cast<std::uint32_t>(e.what));
    else
      out.push_back(e.what);
  }
  template <class Soon>
  void tell(std::size_t k, bool near, Soon soon) const {
    if (k < sorted_.size() && !(sorted_[k].what & kGroup)) soon(sorted_[k].what, near);
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
  // Sorts what is due next; false: nothing is left. Large buckets are shared out to lower ones first.
  bool refill() {
    for (;;) {
      std::size_t i = 0;
      while (i < buckets_.size() && buckets_[i].empty()) ++i;
      if (i == buckets_.size()) return false;
      auto& bucket_i = buckets_[i];
      if (i <= 1 || bucket_i.size() <= kSorted) {  // of the first two buckets all times are equal
        sorted_.clear();
        next_ = 0;
        std::swap(sorted_, bucket_i);
        if (i > 1)
          std::sort(sorted_.begin(), sorted_.end(), [](const Entry& a, const Entry& b) { return later(b, a); });
        last_ = sorted_.back().time;
        return true;
      }
      last_ = std::min_element(bucket_i.begin(), bucket_i.end(), [](const Entry& a, const Entry& b) {
                return later(b, a);
              })->time;
      for (const Entry& e : bucket_i) buckets_[bucket(e.time, last_)].push_back(e);
      bucket_i.clear();
    }
  }

  static constexpr std::size_t kSorted = 256, kSoon = 24, kNear = 10;
  std::array<Recent, 1024> recent_;
  std::vector<std::vector<std::uint64_t>> groups_;
  std::vector<std::uint32_t> free_groups_;
  std::array<std::vector<Entry>, 65> buckets_;
  std::vector<Entry> sorted_;  // due next, from next_ on
  std::size_t next_ = 0;
  std::vector<Entry> late_;  // a heap: what came for a time of those after they were sorted
  std::vector<std::uint32_t> due_groups_;
  std::uint64_t last_ = 0;  // no time in the buckets lies before it
};

}  // namespace hopsim
