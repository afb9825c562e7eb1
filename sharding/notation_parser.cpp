// A recursive descent over the tokens of one line, one function a rule:
//
//   statement   = [array "="] right | right ["->" (array | "?")]
//   right       = array | [sum] array times array | collective | function "(" array {"," array} ")"
//   collective  = kind ["_" items] "(" array ")"
//
// ArrayParser has the rules of arrays and below.
#include <algorithm>
#include <array>
#include <cctype>

#include "sharding/notation.hpp"
#include "sharding/notation_array_parser.hpp"
#include "sharding/partition_spec.hpp"

namespace hopsim {
namespace notation {
namespace {

struct Function {
  std::string_view name;
  std::size_t inputs;
};

constexpr std::array kFunctions{
    Function{"abs", 1},     Function{"add", 2},     Function{"copy", 1},   Function{"div", 2}, Function{"exp", 1},
    Function{"gelu", 1},    Function{"maximum", 2}, Function{"mul", 2},    Function{"neg", 1}, Function{"relu", 1},
    Function{"sigmoid", 1}, Function{"silu", 1},    Function{"square", 1}, Function{"sub", 2}, Function{"tanh", 1}};

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::optional<CollectiveKind> collective_named(const std::string& text) {
  using enum CollectiveKind;
  for (CollectiveKind kind : {all_gather, reduce_scatter, all_reduce, all_to_all, slice}) {
    if (lower_case(text) == lower_case(std::string(name(kind)))) return kind;
  }
  return std::nullopt;
}

bool takes_dimension(CollectiveKind kind) {
  return kind != CollectiveKind::all_gather && kind != CollectiveKind::all_reduce;
}

class Parser {
 public:
  Parser(std::string_view text, const AxisNames& names) : in_(text, names) {}

  Statement statement() {
    Right operation = right();
    std::optional<ArrayRef> output;
    if (in_.at(Mark::equals)) {
      auto* left = std::get_if<ArrayRef>(&operation);
      if (left == nullptr) in_.fail(statement_end_);
      in_.take();
      output = std::move(*left);
      operation = right();
      statement_end_ = "the end of the line";
    }
    const auto* alone = std::get_if<ArrayRef>(&operation);
    if (alone != nullptr && (alone->bare || (output && output->bare))) in_.fail("[ and dimensions, or an operation");
    if (!output && in_.accept(Mark::arrow)) {
      output = arrow_output(alone != nullptr);
      statement_end_ = "the end of the line";
    }
    if (!in_.at(Mark::end)) in_.fail(statement_end_);
    return std::visit([&](auto& o) { return finished(std::move(o), std::move(output)); }, operation);
  }

  ArrayRef lone_array() {
    ArrayRef a = in_.array();
    if (!in_.at(Mark::end)) in_.fail("the end of the line");
    return a;
  }

 private:
  using Right = std::variant<ArrayRef, Matmul, Collective, Elementwise>;

  // Nothing where all of the output is to be found: `-> ?`.
  std::optional<ArrayRef> arrow_output(bool reshard) {
    if (!reshard && in_.accept(Mark::question)) return std::nullopt;
    ArrayRef output = in_.array();
    if (reshard && output.bare) in_.fail("[ and dimensions");
    return output;
  }

  Right right() {
    statement_end_ = "the end of the line or ->";
    if (in_.at(Mark::sum)) return product();
    if (in_.at(Mark::name)) {
      const auto kind = collective_named(in_.peek().text);
      const Mark next = in_.peek(1).mark;
      if (kind && (next == Mark::open_parenthesis || next == Mark::underscore)) return collective(*kind);
      if (calls()) return elementwise();
    }
    ArrayRef first = in_.array();
    if (in_.at(Mark::times)) return product(std::move(first));
    if (!first.bare) statement_end_ = "=, ->, a product sign or the end of the line";
    return first;
  }

  Matmul product() {
    in_.take();
    std::vector<std::string> contraction = in_.product_names();
    if (contraction.empty()) in_.fail("_ and the dimension to sum over");
    ArrayRef first = in_.array();
    if (!in_.at(Mark::times)) in_.fail("a product sign");
    Matmul m = product(std::move(first));
    if (m.contraction.empty()) m.contraction = std::move(contraction);
    return m;
  }

  Matmul product(ArrayRef lhs) {
    in_.take();
    Matmul m;
    m.lhs = std::move(lhs);
    m.contraction = in_.product_names();
    m.rhs = in_.array();
    return m;
  }

  Collective collective(CollectiveKind kind) {
    Collective c;
    c.kind = kind;
    c.place = {in_.peek().column};
    in_.take();
    std::vector<Item> items;
    if (in_.accept(Mark::underscore)) items = in_.collective_items();
    if (items.empty() && kind != CollectiveKind::all_reduce) {
      in_.fail("_ and axes after " + std::string(name(kind)));
    }
    if (takes_dimension(kind) && items.size() > 1) {
      c.dimension = items.back().text;
      items.pop_back();
    }
    std::vector<AxisUse> uses;
    for (const Item& item : items) append_axes(item, in_.names(), uses);
    require_distinct(uses, "one collective");
    for (AxisUse& use : uses) c.axes.push_back(std::move(use.axis));
    in_.expect(Mark::open_parenthesis, items.empty() ? "_ and axes, or (" : "(");
    c.input = in_.array();
    in_.expect(Mark::close_parenthesis, ")");
    return c;
  }

  Elementwise elementwise() {
    Elementwise e;
    e.place = {in_.peek().column};
    const std::string written = in_.composed_name();
    e.function = lower_case(written);
    const auto* known =
        std::find_if(kFunctions.begin(), kFunctions.end(), [&](auto& f) { return f.name == e.function; });
    if (known == kFunctions.end()) {
      throw NotationError(e.place.column, "unknown function", written,
                          "AllGather, ReduceScatter, AllReduce, AllToAll, Slice, " + elementwise_functions());
    }
    in_.take();
    do {
      e.inputs.push_back(in_.array());
    } while (e.inputs.size() < known->inputs && (in_.expect(Mark::comma, ","), true));
    in_.expect(Mark::close_parenthesis, ")");
    return e;
  }

  // Whether the name here, with its underscores, is called: name_with_parts( ... ).
  bool calls() const {
    std::size_t ahead = 1;
    while (in_.peek(ahead).mark == Mark::underscore) {
      const Mark part = in_.peek(ahead + 1).mark;
      if (part != Mark::name && part != Mark::number) return false;
      ahead += 2;
    }
    return in_.peek(ahead).mark == Mark::open_parenthesis;
  }

  Statement finished(ArrayRef&& a, std::optional<ArrayRef>&& output) {
    require_closed(a);
    if (output) return Reshard{std::move(a), std::move(*output)};
    return Declaration{std::move(a)};
  }
  Statement finished(Matmul&& m, std::optional<ArrayRef>&& output) {
    require_closed(m.lhs);
    require_closed(m.rhs);
    m.output = std::move(output);
    return std::move(m);
  }
  Statement finished(Collective&& c, std::optional<ArrayRef>&& output) {
    require_closed(c.input);
    c.output = std::move(output);
    return std::move(c);
  }
  Statement finished(Elementwise&& e, std::optional<ArrayRef>&& output) {
    for (const ArrayRef& input : e.inputs) require_closed(input);
    e.output = std::move(output);
    return std::move(e);
  }

  static void require_closed(const ArrayRef& a) {
    for (const Dimension& d : a.dimensions) {
      if (d.open) throw NotationError(d.place.column, "only an output can have its sharding found", "'?'");
    }
  }

  ArrayParser in_;
  std::string statement_end_;  // what may follow the right side
};

}  // namespace
}  // namespace notation

Statement parse(std::string_view text, const AxisNames& names) {
  if (is_einsum(text)) return parse_einsum(text, names);
  return notation::Parser(text, names).statement();
}

ArrayRef parse_array(std::string_view text, const AxisNames& names) {
  return notation::Parser(text, names).lone_array();
}

std::string elementwise_functions() {
  std::string list;
  for (const auto& f : notation::kFunctions) list += (list.empty() ? "" : ", ") + std::string(f.name);
  return list;
}

}  // namespace hopsim
