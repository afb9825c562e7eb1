#include "sharding/partition_spec.hpp"

#include <algorithm>
#include <cctype>

#include "sharding/notation_axes.hpp"

namespace hopsim {
namespace {

using notation::AxisUse;

// One entry per dimension, each a list of axes with their columns.
using Spec = std::vector<std::vector<AxisUse>>;

// Reads Python's literals as far as they occur here. Notation's own tokens do not serve: there ' is a prime.
class Reader {
 public:
  Reader(std::string_view text, const AxisNames& names) : text_(text), names_(names) {}

  Spec spec() {
    const std::string function = word();
    if (function != "P" && function != "PartitionSpec") fail("P(...)", at_ - function.size());
    expect('(');
    Spec entries;
    while (!accept(')')) {
      entries.push_back(entry());
      if (!next_is(')')) expect(',');
    }
    std::vector<AxisUse> uses;
    for (const auto& e : entries) uses.insert(uses.end(), e.begin(), e.end());
    notation::require_distinct(uses, "one PartitionSpec");
    return entries;
  }

  Matmul einsum() {
    word();
    expect('(');
    skip();
    const std::size_t subscripts_at = at_ + 1;
    const std::string subscripts = quoted("subscripts in quotes, such as 'BD,DF->BF'");
    Matmul m;
    ArrayRef output;
    split(subscripts, subscripts_at, m, output);
    operand(m.lhs, "an array's name");
    operand(m.rhs, "an array's name");
    for (Dimension& d : output.dimensions) d.open = true;
    output.name = "out";
    if (accept(',') && !next_is(')')) {
      if (const std::string name = word(); name != "out") fail("out: P(...)", at_ - name.size());
      expect(':');
      apply(output);
    }
    m.output = std::move(output);
    expect(')');
    return m;
  }

  void end() {
    skip();
    if (at_ < text_.size()) fail("the end of the line");
  }

  // Gives the array the axes of the PartitionSpec that comes next.
  void apply(ArrayRef& a) {
    skip();
    const std::size_t start = at_;
    const Spec entries = spec();
    if (entries.size() > a.dimensions.size()) {
      throw NotationError(column(start), "the PartitionSpec has more entries than " + a.name + " has dimensions",
                          std::to_string(entries.size()), "at most " + std::to_string(a.dimensions.size()));
    }
    for (std::size_t i = 0; i < a.dimensions.size(); ++i) {
      Dimension& d = a.dimensions[i];
      d.open = d.divided = false;
      d.axes.clear();
      if (i >= entries.size()) continue;
      for (const AxisUse& use : entries[i]) d.axes.push_back(use.axis);
    }
  }

 private:
  std::vector<AxisUse> entry() {
    std::vector<AxisUse> axes;
    skip();
    if (next_is('\'') || next_is('"')) {
      axes.push_back(axis());
    } else if (accept('(')) {
      while (!accept(')')) {
        axes.push_back(axis());
        if (!next_is(')')) expect(',');
      }
    } else if (const std::size_t start = at_; word() != "None") {
      fail("None, an axis in quotes, or a tuple of them", start);
    }
    return axes;
  }

  AxisUse axis() {
    skip();
    const std::size_t start = at_;
    const std::string name = quoted("an axis in quotes");
    const bool known = names_.free() ? !name.empty() : names_.known(name);
    if (!known) throw NotationError(column(start + 1), "unknown axis", name, names_.list());
    return {name, column(start + 1)};
  }

  // 'BD,DF->BF' as three lists of one-letter dimensions.
  void split(const std::string& subscripts, std::size_t start, Matmul& m, ArrayRef& output) {
    ArrayRef* arrays[] = {&m.lhs, &m.rhs, &output};
    std::size_t array = 0;
    for (std::size_t i = 0; i < subscripts.size(); ++i) {
      const auto c = static_cast<unsigned char>(subscripts[i]);
      if (c == ' ') continue;
      if (std::isalpha(c) != 0) {
        Dimension d;
        d.name = std::string(1, subscripts[i]);
        d.place = {column(start + i)};
        arrays[array]->dimensions.push_back(std::move(d));
      } else if (array == 0 && c == ',') {
        ++array;
      } else if (array == 1 && subscripts.compare(i, 2, "->") == 0) {
        ++array;
        ++i;
      } else {
        fail(array == 0 ? "a dimension or ," : array == 1 ? "a dimension or ->" : "a dimension", start + i);
      }
    }
    const bool complete = array == 2 && !m.lhs.dimensions.empty() && !m.rhs.dimensions.empty();
    if (!complete || output.dimensions.empty()) {
      throw NotationError(column(start), "an einsum needs two operands and an output", subscripts, "'BD,DF->BF'");
    }
  }

  void operand(ArrayRef& a, const std::string& what) {
    expect(',');
    skip();
    a.place = {column(at_)};
    a.name = word();
    if (a.name.empty()) fail(what);
    if (accept(':')) apply(a);
  }

  // ---- Characters ----

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool next_is(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool accept(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string(1, c));
  }
  std::string word() {
    skip();
    const std::size_t start = at_;
    const auto part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    while (at_ < text_.size() && part(static_cast<unsigned char>(text_[at_]))) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }
  std::string quoted(const std::string& what) {
    skip();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail(what);
    const std::size_t close = text_.find(quote, at_ + 1);
    if (close == std::string_view::npos) fail("a closing quote", text_.size());
    std::string inside(text_.substr(at_ + 1, close - at_ - 1));
    at_ = close + 1;
    return inside;
  }

  // Characters, not bytes: UTF-8's continuation bytes do not count.
  int column(std::size_t byte) const {
    const auto first = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    return 1 +
           static_cast<int>(std::count_if(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(byte), first));
  }
  [[noreturn]] void fail(const std::string& expected) const { fail(expected, at_); }
  [[noreturn]] void fail(const std::string& expected, std::size_t byte) const {
    std::size_t end = byte + 1;  // a whole character
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80) ++end;
    throw NotationError(
        column(byte), "expected " + expected,
        byte >= text_.size() ? "the end of the line" : "'" + std::string(text_.substr(byte, end - byte)) + "'");
  }

  std::string_view text_;
  const AxisNames& names_;
  std::size_t at_ = 0;
};

std::string entry_text(const std::vector<std::string>& axes) {
  if (axes.empty()) return "None";
  std::string text;
  for (const std::string& axis : axes) text += (text.empty() ? "'" : ", '") + axis + "'";
  return axes.size() == 1 ? text : "(" + text + ")";
}

}  // namespace

std::string partition_spec(const ArrayRef& a) {
  if (!a.unreduced.empty() || a.open() || a.bare) {
    throw InputError("a PartitionSpec cannot say this", print(a), "whole arrays with known axes");
  }
  std::string text;
  for (const Dimension& d : a.dimensions) text += (text.empty() ? "" : ", ") + entry_text(d.axes);
  return "P(" + text + ")";
}

std::vector<std::vector<std::string>> parse_partition_spec(std::string_view text, const AxisNames& names) {
  Reader reader(text, names);
  const Spec spec = reader.spec();
  reader.end();
  std::vector<std::vector<std::string>> entries;
  for (const auto& uses : spec) {
    entries.emplace_back();
    for (const AxisUse& use : uses) entries.back().push_back(use.axis);
  }
  return entries;
}

ArrayRef with_partition_spec(ArrayRef a, std::string_view text, const AxisNames& names) {
  Reader reader(text, names);
  reader.apply(a);
  reader.end();
  return a;
}

bool is_einsum(std::string_view text) {
  const std::size_t start = std::min(text.find_first_not_of(" \t"), text.size());
  const std::size_t after = text.find_first_not_of(" \t", start + 6);
  return text.substr(start, 6) == "einsum" && after != std::string_view::npos && text[after] == '(';
}

Matmul parse_einsum(std::string_view text, const AxisNames& names) {
  Reader reader(text, names);
  Matmul m = reader.einsum();
  reader.end();
  return m;
}

}  // namespace hopsim
