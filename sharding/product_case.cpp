// The four cases, axis by axis: where each stands in one operand, and where in the other.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sharding/product.hpp"

namespace hopsim {
namespace {

using Axes = std::vector<std::string>;

const Dimension* find(const ArrayRef& a, const std::string& name) {
  for (const Dimension& d : a.dimensions)
    if (d.name == name) return &d;
  return nullptr;
}

const Dimension* holder(const ArrayRef& a, const std::string& axis) {
  for (const Dimension& d : a.dimensions)
    if (std::find(d.axes.begin(), d.axes.end(), axis) != d.axes.end()) return &d;
  return nullptr;
}

// The axes two shardings of one dimension begin with, and what each has beyond: up to there their blocks agree.
struct Comparison {
  Axes common, lhs, rhs;
};

Comparison compared(const Axes& a, const Axes& b) {
  const auto [end_a, end_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return {Axes(a.begin(), end_a), Axes(end_a, a.end()), Axes(end_b, b.end())};
}

class Classifier {
 public:
  explicit Classifier(const Product& p) : p_(p) {
    lhs_name_ = p.lhs.name.empty() ? "the left operand" : p.lhs.name;
    rhs_name_ = p.rhs.name.empty() ? "the right operand" : p.rhs.name;
  }

  ProductCase result() {
    for (const ProductDimension& d : p_.dimensions) {
      if (d.role != Role::contracted && d.role != Role::batch) continue;
      const Comparison c = compared(find(p_.lhs, d.name)->axes, find(p_.rhs, d.name)->axes);
      if (d.role == Role::contracted) {
        contracted(d.name, c);
      } else {
        batch(d.name, c);
      }
    }
    diagonals();
    partial_sums();
    ProductCase result;
    std::stable_sort(found_.begin(), found_.end(), [](auto& a, auto& b) { return a.first > b.first; });
    for (auto& [number, reason] : found_) {
      result.number = std::max(result.number, number);
      result.reasons.push_back(std::move(reason));
    }
    result.legal = result.number != 4;
    if (result.number == 1) {
      result.reasons.insert(result.reasons.begin(),
                            "no contracting dimension is sharded: every chip multiplies the blocks it has");
    }
    return result;
  }

 private:
  void contracted(const std::string& name, const Comparison& c) {
    if (!c.common.empty()) partial_.push_back({name, c.common});
    one_sided(name, c.lhs, lhs_name_, p_.rhs, rhs_name_);
    one_sided(name, c.rhs, rhs_name_, p_.lhs, lhs_name_);
  }

  // Axes of one operand along a contracting dimension, which the other does not have in the same place.
  void one_sided(const std::string& name, const Axes& axes, const std::string& owner, const ArrayRef& other,
                 const std::string& other_name) {
    const auto start = [&](const std::string& over) {
      return owner + " is sharded over " + over + " along the contracting dimension " + name + ", ";
    };
    Axes alone;
    for (const std::string& axis : axes) {
      const Dimension* elsewhere = holder(other, axis);
      if (elsewhere == nullptr) {
        alone.push_back(axis);
      } else if (elsewhere->name == name) {
        found_.emplace_back(2, start(axis) + other_name + " too, but in another order: gather one of them");
      } else {
        found_.emplace_back(2, fmt::format("{}{} along {}: gather {}, or move {} of {} to {} and add up partial sums",
                                           start(axis), other_name, elsewhere->name, owner, axis, other_name, name));
      }
    }
    if (alone.empty()) return;
    found_.emplace_back(2, start(axes_text(alone)) + other_name + " is not: gather " + owner + ", or slice " +
                               other_name + " and add up partial sums");
  }

  void batch(const std::string& name, const Comparison& c) {
    const bool differ = !c.lhs.empty() && !c.rhs.empty();
    if (differ) {
      found_.emplace_back(2, lhs_name_ + " is sharded over " + axes_text(c.lhs) + " along the batch dimension " +
                                 name + ", " + rhs_name_ + " over " + axes_text(c.rhs) + ": gather one of them");
    } else {
      slice_batch(name, c.lhs, lhs_name_, p_.rhs, rhs_name_);
      slice_batch(name, c.rhs, rhs_name_, p_.lhs, lhs_name_);
    }
  }

  void slice_batch(const std::string& name, Axes axes, const std::string& owner, const ArrayRef& other,
                   const std::string& other_name) {
    std::erase_if(axes, [&](const std::string& axis) { return holder(other, axis) != nullptr; });  // told elsewhere
    if (axes.empty()) return;
    found_.emplace_back(1, owner + " is sharded over " + axes_text(axes) + " along the batch dimension " + name +
                               ", " + other_name + " is not: slice it, which is free");
  }

  bool in_output(const Dimension& d) const { return p_.dimension(d.name).role != Role::contracted; }

  void diagonals() {
    for (const Dimension& d : p_.lhs.dimensions) {
      for (const std::string& axis : d.axes) {
        const Dimension* other = holder(p_.rhs, axis);
        if (other == nullptr || other->name == d.name || !in_output(d) || !in_output(*other)) continue;
        found_.emplace_back(4, "axis " + axis + " is on " + d.name + " of " + lhs_name_ + " and on " + other->name +
                                   " of " + rhs_name_ + ": each chip would get a block of the diagonal only; " +
                                   "gather one of them first");
      }
    }
  }

  void partial_sums() {
    const bool more = std::any_of(found_.begin(), found_.end(), [](const auto& f) { return f.first > 1; });
    for (const auto& [name, axes] : partial_) {
      found_.emplace_back(3, "both operands are sharded over " + axes_text(axes) +
                                 " along the contracting dimension " + name + ": every chip gets a partial sum" +
                                 (more ? "" : ", " + sharding_text(local_output())));
    }
  }

  // What the blocks as they are give. REQUIRES: nothing but partial sums is in the way.
  ArrayRef local_output() const {
    ArrayRef out = p_.output;
    out.unreduced.clear();
    for (Dimension& d : out.dimensions) {
      const Dimension* left = find(p_.lhs, d.name);
      const Dimension* right = find(p_.rhs, d.name);
      d.open = false;
      d.divided = false;
      d.axes = left != nullptr ? left->axes : right->axes;
      if (right != nullptr && right->axes.size() > d.axes.size()) d.axes = right->axes;
    }
    for (const auto& [name, axes] : partial_) out.unreduced.insert(out.unreduced.end(), axes.begin(), axes.end());
    return out;
  }

  const Product& p_;
  std::string lhs_name_, rhs_name_;
  std::vector<std::pair<int, std::string>> found_;
  std::vector<std::pair<std::string, Axes>> partial_;  // by contracting dimension
};

}  // namespace

ProductCase classify(const Product& p) { return Classifier(p).result(); }

}  // namespace hopsim
