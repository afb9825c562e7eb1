#include "sharding/product.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/error.hpp"

namespace hopsim {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has(const ArrayRef& a, const std::string& dimension) {
  return std::any_of(a.dimensions.begin(), a.dimensions.end(),
                     [&](const Dimension& d) { return d.name == dimension; });
}

std::string list(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string called(const ArrayRef& a, const char* otherwise) { return a.name.empty() ? otherwise : a.name; }

void require_distinct(const ArrayRef& a) {
  for (std::size_t i = 0; i < a.dimensions.size(); ++i) {
    const Dimension& d = a.dimensions[i];
    const auto before = a.dimensions.begin() + static_cast<std::ptrdiff_t>(i);
    const bool twice =
        std::any_of(a.dimensions.begin(), before, [&](const Dimension& e) { return e.name == d.name; });
    if (twice && !d.name.empty()) {
      throw NotationError(d.place.column, "an array of a product has dimension " + d.name + " twice",
                          sharding_text(a), "another name for one of them");
    }
  }
}

ArrayRef operand(const ArrayRef& written, const ArrayContext& context) {
  ArrayRef a = resolved(written, context.arrays);
  if (!a.unreduced.empty()) {
    const std::string axes = axes_text(a.unreduced);
    throw NotationError(a.place.column, "a partial sum is not the array", sharding_text(a),
                        "AllReduce_" + axes + " or ReduceScatter_" + axes + " first");
  }
  for (const Dimension& d : a.dimensions) {
    if (d.name.empty() || d.ellipsis()) {
      throw NotationError(d.place.column, "a product needs the names of all dimensions", sharding_text(a),
                          "names such as A[I, J] * B[J, K]");
    }
  }
  require_distinct(a);
  a.dtype = a.dtype.value_or(context.dtype);
  return a;
}

// What each dimension of two operands is for, checked against what the line says of its output.
class Roles {
 public:
  Roles(const Matmul& m, const ArrayRef& lhs, const ArrayRef& rhs) : m_(m), lhs_(lhs), rhs_(rhs) {
    if (m.output && !m.output->bare) written_ = &*m.output;
    check_sign();
    for (const Dimension& d : lhs.dimensions) {
      if (has(rhs, d.name)) (contracted(d) ? contracted_ : batch_).push_back(d.name);
    }
    if (contracted_.empty()) fail_nothing();
    free_ = batch_;
    for (const Dimension& d : lhs.dimensions)
      if (!has(rhs, d.name)) free_.push_back(d.name);
    for (const Dimension& d : rhs.dimensions)
      if (!has(lhs, d.name)) free_.push_back(d.name);
  }

  const Names& contracted() const { return contracted_; }
  Role role(const std::string& name) const {
    if (contains(contracted_, name)) return Role::contracted;
    if (contains(batch_, name)) return Role::batch;
    return has(lhs_, name) ? Role::lhs : Role::rhs;
  }

  // The output with all its dimensions named.
  ArrayRef output() const {
    ArrayRef out = m_.output.value_or(ArrayRef{});
    out.bare = false;
    if (written_ == nullptr) {
      for (const std::string& name : free_) out.dimensions.push_back({name, {}, {}, false, true, out.place});
      return out;
    }
    check_written();
    Names rest = free_;
    std::erase_if(rest, [&](const std::string& name) { return has(*written_, name); });
    auto next = rest.begin();
    for (Dimension& d : out.dimensions) {
      if (!d.name.empty()) continue;
      if (next == rest.end()) fail_count(d);
      d.name = *next++;
    }
    if (next != rest.end()) fail_missing(*next);
    return out;
  }

 private:
  bool contracted(const Dimension& d) const {
    const bool kept = written_ != nullptr && has(*written_, d.name);
    if (m_.contraction.empty()) return !kept;
    const bool summed = contains(m_.contraction, d.name);
    if (!summed && !kept && written_ != nullptr && named()) {
      throw NotationError(d.place.column, "both operands have dimension " + d.name + ", the output does not",
                          "a sum over " + list(m_.contraction) + " only", d.name + " in the output, or in the sum");
    }
    return summed;
  }

  bool named() const {  // the output, throughout
    return std::none_of(written_->dimensions.begin(), written_->dimensions.end(),
                        [](const Dimension& d) { return d.name.empty(); });
  }

  void check_sign() const {
    for (const std::string& name : m_.contraction) {
      if (!has(lhs_, name) || !has(rhs_, name)) {
        throw NotationError(rhs_.place.column, "only a dimension of both operands can be summed over", name,
                            shared());
      }
      if (written_ == nullptr) continue;
      for (const Dimension& d : written_->dimensions) {
        if (d.name == name) {
          throw NotationError(d.place.column, "the output has dimension " + name + ", which is summed over",
                              sharding_text(*written_), "the output without it");
        }
      }
    }
  }

  void check_written() const {
    require_distinct(*written_);
    for (const Dimension& d : written_->dimensions) {
      if (d.ellipsis() || (d.name.empty() && !d.open)) {
        throw NotationError(d.place.column, "the output of a product needs the names of its dimensions",
                            sharding_text(*written_), list(free_) + ", or ?");
      }
      if (!d.name.empty() && !contains(free_, d.name)) {
        throw NotationError(d.place.column, "the output has a dimension that no operand has", d.name, list(free_));
      }
    }
  }

  std::string shared() const {
    Names both;
    for (const Dimension& d : lhs_.dimensions)
      if (has(rhs_, d.name)) both.push_back(d.name);
    return both.empty() ? "a dimension in both" : list(both);
  }

  [[noreturn]] void fail_nothing() const {
    const bool kept = !batch_.empty();
    const int column = kept ? written_->place.column : rhs_.place.column;
    throw NotationError(
        column,
        kept ? "nothing to contract over: the output has all that the operands share"
             : "nothing to contract over: the operands share no dimension",
        kept ? sharding_text(*written_) : sharding_text(lhs_) + " * " + sharding_text(rhs_),
        kept ? "an output without " + list(batch_) : "a dimension in both, as J in A[I, J] * B[J, K]");
  }

  [[noreturn]] void fail_missing(const std::string& name) const {
    const bool left = has(lhs_, name);
    const ArrayRef& owner = left ? lhs_ : rhs_;
    int column = written_->place.column;
    for (const Dimension& d : owner.dimensions)
      if (d.name == name) column = d.place.column;
    throw NotationError(
        column, "only " + called(owner, "one operand") + " has dimension " + name + ", and the output lacks it",
        sharding_text(*written_), name + " in the output, or in both operands");
  }

  [[noreturn]] void fail_count(const Dimension& d) const {
    throw NotationError(d.place.column, "the output has more dimensions than the product", sharding_text(*written_),
                        free_.empty() ? "none" : list(free_));
  }

  const Matmul& m_;
  const ArrayRef& lhs_;
  const ArrayRef& rhs_;
  const ArrayRef* written_ = nullptr;  // the output, unless it is to be found or only a name
  Names contracted_, batch_;
  Names free_;  // of the output: batch, then the left operand's, then the right one's
};

std::string free_name(const ArrayRef& lhs, const ArrayRef& rhs) {
  const auto taken = [&](const std::string& name) { return lhs.name == name || rhs.name == name; };
  for (const char* name : {"C", "Out", "C1"})
    if (!taken(name)) return name;  // two operands take two of the three at most
  return {};
}

// Twice the multiplications must fit what durations are computed from (sim/quantities.hpp).
void require_countable(const Product& p) {
  Uint128 count = 2;
  for (const ProductDimension& d : p.dimensions) {
    if (d.size > ((Uint128{1} << 87) - 1) / count) {
      throw InputError("the product has too many multiplications", {}, "less than 2^86");
    }
    count *= d.size;
  }
}

ArrayRef with_sizes_where_open(ArrayRef a, const Sizes& sizes) {
  for (Dimension& d : a.dimensions) d.size = size_of(d, sizes);
  return a;
}

ArrayRef closed(ArrayRef a) {
  for (Dimension& d : a.dimensions) d.open = false;
  return a;
}

ArrayRef gradient(ArrayRef a) {
  a.name = "d" + a.name;
  a.unreduced.clear();  // each of the summands has the gradient of the sum
  return a;
}

Names of_role(const Product& p, Role role) {
  Names names;
  for (const ProductDimension& d : p.dimensions)
    if (d.role == role) names.push_back(d.name);
  return names;
}

Matmul gradient_product(const ArrayRef& of, const ArrayRef& lhs, const ArrayRef& rhs, Names contraction) {
  if (contraction.empty()) {
    throw InputError("the gradient " + gradient(of).name + " is an outer product, without a contraction",
                     sharding_text(lhs) + " * " + sharding_text(rhs), "operands with a dimension of their own each");
  }
  return {gradient(of), lhs, rhs, std::move(contraction)};
}

}  // namespace

const ProductDimension& Product::dimension(const std::string& name) const {
  for (const ProductDimension& d : dimensions)
    if (d.name == name) return d;
  throw std::out_of_range("no dimension " + name + " in the product");
}

Product resolve_product(const Matmul& m, const ArrayContext& context) {
  Product p;
  p.lhs = operand(m.lhs, context);
  p.rhs = operand(m.rhs, context);
  const Roles roles(m, p.lhs, p.rhs);
  p.output = roles.output();

  Sizes sizes = context.sizes;
  for (const ArrayRef* a : {&p.lhs, &p.rhs, &p.output}) add_inline_sizes(*a, sizes);
  p.lhs = with_sizes(p.lhs, sizes);
  p.rhs = with_sizes(p.rhs, sizes);
  p.output = with_sizes_where_open(p.output, sizes);
  p.output.dtype = p.output.dtype.value_or(*p.lhs.dtype);
  if (p.output.name.empty()) p.output.name = free_name(p.lhs, p.rhs);

  for (const Dimension& d : p.output.dimensions) p.dimensions.push_back({d.name, *d.size, roles.role(d.name)});
  for (const std::string& name : roles.contracted()) {
    p.dimensions.push_back({name, sizes.find(name)->second, Role::contracted});
  }
  for (const ArrayRef& a : {p.lhs, p.rhs, closed(p.output)}) layout(a, sizes, context.mesh);  // countable, axes known
  require_countable(p);
  return p;
}

BackwardProducts backward(const Product& p) {
  const ArrayRef upstream = gradient(p.output);
  return {gradient_product(p.lhs, upstream, p.rhs, of_role(p, Role::rhs)),
          gradient_product(p.rhs, p.lhs, upstream, of_role(p, Role::lhs))};
}

}  // namespace hopsim
