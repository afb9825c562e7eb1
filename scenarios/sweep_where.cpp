#include "scenarios/sweep_where.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "scenarios/fields.hpp"
#include "scenarios/machine_spec.hpp"
#include "scenarios/set.hpp"
#include "scenarios/sweep_values.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

constexpr const char* kExamples =
    "machine.slice.chips == 64, machine.mesh.X * machine.mesh.Y <= 64 and program.0.algorithm != ring, ...";
constexpr std::array<std::string_view, 6> kSigns{"==", "!=", "<=", ">=", "<", ">"};
constexpr std::string_view kSpaces = " \t";

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// ---- reading

class ConditionReader {
 public:
  explicit ConditionReader(const YamlValue& source) : source_(source), text_(text_of(source, kExamples)) {}

  std::vector<Comparison> read() const {
    std::vector<Comparison> all;
    for (const std::string_view clause : split(text_, " and ")) all.push_back(comparison(clause));
    return all;
  }

 private:
  FilePlace place(std::string_view part) const {  // `part` lies within the text
    return source_.place_of(static_cast<std::size_t>(part.data() - text_.data()));
  }

  [[noreturn]] void fail(std::string_view part, const std::string& problem,
                         const std::string& valid = kExamples) const {
    throw PlacedError(place(part), problem, quoted_for_message(std::string(part)), valid);
  }

  static std::string_view trimmed(std::string_view part) {
    part.remove_prefix(std::min(part.find_first_not_of(kSpaces), part.size()));
    return part.substr(0, part.find_last_not_of(kSpaces) + 1);
  }

  // The first of the words in `text`, from `begin`, that stands outside quotes.
  template <class Words>
  std::pair<std::size_t, std::string_view> find_word(std::string_view text, const Words& words,
                                                     std::size_t begin = 0) const {
    char quote = 0;
    for (std::size_t i = begin; i < text.size(); ++i) {
      if (quote != 0) {
        if (text[i] == quote) quote = 0;
        continue;
      }
      if (text[i] == '\'' || text[i] == '"') {
        quote = text[i];
        continue;
      }
      for (const std::string_view word : words)
        if (text.substr(i).starts_with(word)) return {i, word};
    }
    if (quote != 0) fail(text, "a quote that is never closed");
    return {std::string_view::npos, {}};
  }

  std::vector<std::string_view> split(std::string_view text, std::string_view by) const {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0;;) {
      const std::size_t end = find_word(text, std::array{by}, begin).first;
      parts.push_back(trimmed(text.substr(begin, end == std::string_view::npos ? end : end - begin)));
      if (end == std::string_view::npos) return parts;
      begin = end + by.size();
    }
  }

  Comparison comparison(std::string_view clause) const {
    if (clause.empty()) fail(clause, "an empty condition");
    const auto [at, sign] = find_word(clause, kSigns);
    if (at == std::string_view::npos) fail(clause, "a condition compares: one of == != < <= > >=");
    const std::string_view right = clause.substr(at + sign.size());
    if (find_word(right, kSigns).first != std::string_view::npos || right.starts_with('='))
      fail(clause, "more than one comparison", "comparisons joined by `and`");
    Comparison c{{}, {}, std::string(sign), place(clause)};
    for (const std::string_view factor : split(clause.substr(0, at), "*")) c.left.push_back(operand(factor, true));
    for (const std::string_view factor : split(right, "*")) c.right.push_back(operand(factor, false));
    if (std::none_of(c.left.begin(), c.left.end(), [](const Operand& o) { return o.is_key; }))
      fail(clause, "a condition begins with a key");
    return c;
  }

  Operand operand(std::string_view text, bool left) const {
    if (text.empty()) fail(text, "a side of a comparison is missing");
    Operand o{std::string(text), place(text), false, false};
    if (text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0]) {
      o.text = o.text.substr(1, o.text.size() - 2);
      o.quoted = true;
      return o;
    }
    o.is_key = is_letter(text[0]) && (left || text.find('.') != std::string_view::npos);
    if (o.is_key && text.find_first_of(kSpaces) != std::string_view::npos)
      fail(text, "not a key", "a dotted key without spaces");
    return o;
  }

  const YamlValue& source_;
  std::string_view text_;
};

// ---- holding against a document

struct Value {
  std::string text;
  std::optional<Quantity> quantity;
};

std::optional<Quantity> quantity_of(const std::string& text) {
  try {
    return parse_quantity(text);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

using ShapeProperty = std::uint64_t (*)(const std::vector<int>&);

ShapeProperty shape_property(std::string_view name) {
  using Sizes = const std::vector<int>&;
  if (name == "chips")
    return [](Sizes s) {
      std::uint64_t chips = 1;
      for (const int size : s) chips *= static_cast<std::uint64_t>(size);
      return chips;
    };
  if (name == "dimensions") return [](Sizes s) { return static_cast<std::uint64_t>(s.size()); };
  if (name == "min") return [](Sizes s) { return static_cast<std::uint64_t>(*std::min_element(s.begin(), s.end())); };
  if (name == "max") return [](Sizes s) { return static_cast<std::uint64_t>(*std::max_element(s.begin(), s.end())); };
  return nullptr;
}

std::vector<int> shape_at(const YamlValue& value, const Operand& o) {
  std::string text = value.text;
  for (const YamlValue& size : value.items) text += (text.empty() ? "" : "x") + size.text;
  try {
    return parse_shape(text);
  } catch (const InputError& e) {
    throw PlacedError(o.place, e);
  }
}

Value value_of(const Operand& o, const Document& document) {
  if (!o.is_key) return {o.text, o.quoted ? std::nullopt : quantity_of(o.text)};
  if (const YamlValue* value = value_at(document, o.text)) {
    if (value->is_scalar()) return {value->text, quantity_of(value->text)};
    if (value->is_sequence()) return {flow_text(*value), std::nullopt};
    throw PlacedError(o.place, "not one value", o.text, "a key with a value of its own");
  }
  const std::size_t dot = o.text.rfind('.');
  const ShapeProperty property = dot == std::string::npos ? nullptr : shape_property(o.text.substr(dot + 1));
  const YamlValue* shape = property != nullptr ? value_at(document, o.text.substr(0, dot)) : nullptr;
  if (shape == nullptr || shape->is_map() || shape->is_null())
    throw PlacedError(o.place, "the scenario has no such value", quoted_for_message(o.text),
                      "a dotted key; of a shape also .chips, .dimensions, .min, .max");
  const std::string number = std::to_string(property(shape_at(*shape, o)));
  return {number, quantity_of(number)};
}

Value product_of(const std::vector<Operand>& factors, const Document& document) {
  Value product = value_of(factors.front(), document);
  for (std::size_t i = 0; i < factors.size() && factors.size() > 1; ++i) {
    const Value factor = i == 0 ? product : value_of(factors[i], document);
    if (!factor.quantity) throw PlacedError(factors[i].place, "a product is of numbers", factor.text);
    if (i == 0) continue;
    if (factor.quantity->kind != QuantityKind::number) {
      if (product.quantity->kind != QuantityKind::number)
        throw PlacedError(factors[i].place, "a product has one factor with a unit", factor.text);
      product.quantity->kind = factor.quantity->kind;
    }
    product.quantity->value *= factor.quantity->value;
  }
  return product;
}

template <class T>
bool compared(const T& a, const std::string& sign, const T& b) {
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<=") return a <= b;
  if (sign == ">=") return a >= b;
  return sign == "<" ? a < b : a > b;
}

}  // namespace

std::vector<Comparison> load_where(const YamlValue& value) {
  if (!value.is_sequence()) return ConditionReader(value).read();
  std::vector<Comparison> all;
  for (const YamlValue& item : value.items)
    for (Comparison& c : ConditionReader(item).read()) all.push_back(std::move(c));
  if (all.empty()) throw PlacedError(value.place, "where has no condition", "[]", kExamples);
  return all;
}

bool holds(const Comparison& c, const Document& document) {
  const Value left = product_of(c.left, document), right = product_of(c.right, document);
  if (left.quantity && right.quantity) {
    if (left.quantity->kind != right.quantity->kind)
      throw PlacedError(c.place,
                        std::string(name_of(left.quantity->kind)) + " against " + name_of(right.quantity->kind),
                        left.text + " " + c.sign + " " + right.text, "two of a kind");
    return compared(left.quantity->value, c.sign, right.quantity->value);
  }
  if (c.sign != "==" && c.sign != "!=")
    throw PlacedError(c.place, "only numbers are larger or smaller", left.text + " " + c.sign + " " + right.text,
                      "== or !=");
  return compared(left.text, c.sign, right.text);
}

}  // namespace hopsim
