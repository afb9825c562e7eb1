#include "sharding/notation_array_parser.hpp"

#include <cctype>

namespace hopsim::notation {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Uint128 checked(Uint128 value, const Token& where) {
  if (value >> 63 != 0) throw NotationError(where.column, "a size is too large", {}, "less than 2^63");
  return value;
}

}  // namespace

// ---- Arrays ----

ArrayRef ArrayParser::array() {
  ArrayRef a;
  a.place = {peek().column};
  if (at(Mark::name) && (peek(1).mark == Mark::open_bracket || peek(1).mark == Mark::name)) {
    a.dtype = dtype_named(peek().text);
    if (a.dtype) ++at_;
  }
  if (!a.dtype && !at(Mark::name)) fail("an array, such as A[I_X, J]");
  if (at(Mark::name)) a.name = composed_name();
  a.bare = !at(Mark::open_bracket);
  if (a.bare) return a;
  uses_.clear();
  dimensions(a);
  while (at(Mark::open_brace)) unreduced(a);
  return a;
}

void ArrayParser::dimensions(ArrayRef& a) {
  ++at_;
  while (true) {
    a.dimensions.push_back(dimension());
    if (accept(Mark::close_bracket)) return;
    expect(Mark::comma, ", or ]");
  }
}

Dimension ArrayParser::dimension() {
  Dimension d;
  d.place = {peek().column};
  if (accept(Mark::question)) {
    d.open = true;
    return d;
  }
  if (accept(Mark::ellipsis)) {
    d.name = "...";
    return d;
  }
  if (at(Mark::number) || at(Mark::open_parenthesis)) {
    d.size = size();
  } else if (at(Mark::name)) {
    d.name = take().text;
  } else {
    fail("a dimension");
  }
  sharding(d);
  if (!d.name.empty() && accept(Mark::equals)) d.size = size();
  return d;
}

void ArrayParser::sharding(Dimension& d) {
  const std::size_t before = uses_.size();
  if (accept(Mark::underscore)) {
    d.open = accept(Mark::question);
    if (!d.open) axes();
  } else if (accept(Mark::slash)) {
    d.divided = true;
    if (!at(Mark::name)) fail("an axis after /");
    const int column = peek().column;
    append_divisor({composed_name(), column, false, false}, names_, uses_);
  }
  require_distinct(uses_, "one array");
  for (std::size_t i = before; i < uses_.size(); ++i) d.axes.push_back(uses_[i].axis);
}

void ArrayParser::unreduced(ArrayRef& a) {
  const std::size_t before = uses_.size();
  ++at_;
  do {
    if (!at(Mark::name) || peek().text != "U") fail("U_ and the axes of a partial sum");
    ++at_;
    expect(Mark::underscore, "_ and axes after U");
    axes();
  } while (accept(Mark::comma));
  expect(Mark::close_brace, "}");
  require_distinct(uses_, "one array");
  for (std::size_t i = before; i < uses_.size(); ++i) a.unreduced.push_back(uses_[i].axis);
}

std::uint64_t ArrayParser::size() {
  Uint128 value = factor();
  while (true) {
    const Token& sign = peek();
    if (at(Mark::times)) {
      ++at_;
      value = checked(value * factor(), sign);
    } else if (at(Mark::slash) && (peek(1).mark == Mark::number || peek(1).mark == Mark::open_parenthesis)) {
      ++at_;
      const std::uint64_t by = factor();
      if (value % by != 0) throw NotationError(sign.column, "a size must be a whole number");
      value /= by;
    } else {
      return static_cast<std::uint64_t>(value);
    }
  }
}

std::uint64_t ArrayParser::factor() {
  if (!accept(Mark::open_parenthesis)) return number();
  Uint128 value = number();
  while (at(Mark::times)) {
    const Token& sign = take();
    value = checked(value * number(), sign);
  }
  expect(Mark::close_parenthesis, ")");
  return static_cast<std::uint64_t>(value);
}

std::uint64_t ArrayParser::number() {
  if (!at(Mark::number)) fail("a size, a whole number");
  const Token& digits = take();
  Uint128 value = 0;
  for (char c : digits.text) value = checked(value * 10 + static_cast<unsigned>(c - '0'), digits);
  if (value == 0) throw NotationError(digits.column, "a size must be at least 1", digits.text);
  return static_cast<std::uint64_t>(value);
}

// ---- Names and subscripts ----

std::string ArrayParser::composed_name() {
  std::string text = take().text;
  while (accept(Mark::underscore)) {
    const bool raised = peek().raised;
    if (accept(Mark::open_brace)) {
      text += "_" + braced_part();
      continue;
    }
    if (!at(Mark::name) && !at(Mark::number)) fail("a name after _");
    std::string part = take().text;
    while ((at(Mark::name) || at(Mark::number)) && peek().joined) part += take().text;
    text += "_" + (raised ? lower_case(part) : part);
  }
  return text;
}

std::string ArrayParser::braced_part() {
  std::string text;
  bool plain = true;
  while (at(Mark::name) || at(Mark::number) || at(Mark::minus) || at(Mark::underscore)) {
    plain = plain && !at(Mark::minus);
    text += take().text;
  }
  if (text.empty()) fail("a name after _{");
  expect(Mark::close_brace, "}");
  return plain ? text : "{" + text + "}";
}

void ArrayParser::axes() {
  for (const Item& item : braced_or_single("an axis")) append_axes(item, names_, uses_);
}

std::vector<Item> ArrayParser::collective_items() {
  std::vector<Item> items = braced_or_single("an axis");
  while (accept(Mark::comma)) items.push_back(item(false, "a dimension"));
  return items;
}

std::vector<std::string> ArrayParser::product_names() {
  std::vector<std::string> names;
  if (!accept(Mark::underscore)) return names;
  for (Item& item : braced_or_single("a dimension")) names.push_back(std::move(item.text));
  return names;
}

std::vector<Item> ArrayParser::braced_or_single(const std::string& what) {
  std::vector<Item> items;
  if (!accept(Mark::open_brace)) {
    items.push_back(item(false, what));
    return items;
  }
  do {
    items.push_back(item(true, what));
  } while (accept(Mark::comma));
  expect(Mark::close_brace, ", or }");
  return items;
}

Item ArrayParser::item(bool braced, const std::string& what) {
  if (!at(Mark::name)) fail(what);
  const Token& first = peek();
  return {braced ? composed_name() : take().text, first.column, braced, first.raised};
}

void ArrayParser::fail(const std::string& expected) const {
  throw NotationError(peek().column, "expected " + expected,
                      at(Mark::end) ? "the end of the line" : "'" + peek().text + "'");
}

}  // namespace hopsim::notation
