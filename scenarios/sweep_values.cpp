#include "scenarios/sweep_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

#include "scenarios/fields.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

constexpr const char* kExamples = "a list [4x4x4, 4x4x8], a range 1 KiB .. 100 MiB * 2, all 3-D shapes of 64 chips";
constexpr std::string_view kSpaces = " \t";

__extension__ using Int = __int128;  // holds every quantity in its base unit, and one step beyond

struct Unit {
  std::string_view name;
  Int size;
};
constexpr Int kKilo = 1000, kMega = 1'000'000, kGiga = 1'000'000'000, kTera = kGiga * 1000;
constexpr std::array<Unit, 9> kSizes{{{"TiB", Int{1} << 40},
                                      {"TB", kTera},
                                      {"GiB", Int{1} << 30},
                                      {"GB", kGiga},
                                      {"MiB", Int{1} << 20},
                                      {"MB", kMega},
                                      {"KiB", Int{1} << 10},
                                      {"kB", kKilo},
                                      {"B", 1}}};
constexpr std::array<Unit, 5> kTimes{{{"s", kTera}, {"ms", kGiga}, {"us", kMega}, {"ns", kKilo}, {"ps", 1}}};
constexpr std::array<Unit, 5> kBandwidths{
    {{"TB/s", kTera}, {"GB/s", kGiga}, {"MB/s", kMega}, {"kB/s", kKilo}, {"B/s", 1}}};
constexpr std::array<Unit, 4> kFlopRates{{{"TFLOP/s", kTera}, {"GFLOP/s", kGiga}, {"MFLOP/s", kMega}, {"FLOP/s", 1}}};

std::string whole(Int n) { return fmt::format("{}", static_cast<std::int64_t>(n)); }

// In the largest unit that leaves a whole number.
std::string in_units(Int value, std::span<const Unit> units) {
  const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return value % u.size == 0; });
  const Unit& chosen = value == 0 ? units.back() : *unit;
  return whole(value / chosen.size) + " " + std::string(chosen.name);
}

// Of a fraction in 10^-12.
std::string decimal(Int value) {
  std::string digits =
      fmt::format("{}.{:012}", static_cast<std::uint64_t>(value / kTera), static_cast<std::uint64_t>(value % kTera));
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  return digits;
}

Int integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  const auto magnitude = static_cast<Int>(parse_count(text.substr(negative ? 1 : 0)));
  return negative ? -magnitude : magnitude;
}

bool is_integer(std::string_view text) {
  text.remove_prefix(text.starts_with('-') ? 1 : 0);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// How the numbers of a range are read and written.
struct Measure {
  const char* name;
  Int (*parse)(std::string_view);
  std::string (*text)(Int);
};

Int ratio(std::string_view text) {
  const Ratio r = parse_ratio(text, Zero::allowed);
  return static_cast<Int>(r.numerator) * (kTera / static_cast<Int>(r.denominator));
}

Measure measure_of(QuantityKind kind, bool integers, bool percent) {
  using Text = std::string_view;
  switch (kind) {
    case QuantityKind::time:
      return {"times", [](Text t) { return static_cast<Int>(parse_time(t).ps()); },
              [](Int v) { return in_units(v, kTimes); }};
    case QuantityKind::bytes:
      return {"sizes", [](Text t) { return static_cast<Int>(parse_bytes(t, Bare::refused, Zero::allowed).count()); },
              [](Int v) { return in_units(v, kSizes); }};
    case QuantityKind::bandwidth:
      return {"bandwidths", [](Text t) { return static_cast<Int>(parse_bandwidth(t).bytes_per_second()); },
              [](Int v) { return in_units(v, kBandwidths); }};
    case QuantityKind::flop_rate:
      return {"FLOP rates", [](Text t) { return static_cast<Int>(parse_flop_rate(t).flops_per_second()); },
              [](Int v) { return in_units(v, kFlopRates); }};
    case QuantityKind::number:
      break;
  }
  if (integers) return {"whole numbers", integer, whole};
  if (percent) return {"percentages", ratio, [](Int v) { return decimal(v * 100) + "%"; }};
  return {"fractions", ratio, decimal};
}

class RangeReader {
 public:
  explicit RangeReader(const YamlValue& source) : source_(source), text_(source.text) {}

  std::vector<YamlValue> read() const {
    const std::size_t dots = text_.find("..");
    const std::string_view rest = text_.substr(dots + 2);
    const std::size_t sign = std::min(rest.find_first_of("*+"), rest.size());
    const std::string_view first = trimmed(text_.substr(0, dots)), last = trimmed(rest.substr(0, sign));
    const bool stepped = sign < rest.size(), times = stepped && rest[sign] == '*';
    const std::string_view step = stepped ? trimmed(rest.substr(sign + 1)) : last.substr(last.size());

    const bool integers = is_integer(first) && is_integer(last) && (!stepped || times || is_integer(step));
    const Measure m = measure_of(at<Quantity>(first, parse_quantity).kind, integers, first.ends_with('%'));
    if (!stepped && !integers)
      fail(text_, "a range of " + std::string(m.name) + " needs a step", "FIRST .. LAST * 2, FIRST .. LAST + STEP");
    const Int from = at<Int>(first, m.parse), to = at<Int>(last, m.parse);
    if (to < from) fail(text_, "the range runs backwards", "the smaller end first");
    return times ? multiplied(m, from, to, step) : added(m, from, to, stepped ? at<Int>(step, m.parse) : 1, step);
  }

 private:
  static std::string_view trimmed(std::string_view part) {
    part.remove_prefix(std::min(part.find_first_not_of(kSpaces), part.size()));
    return part.substr(0, part.find_last_not_of(kSpaces) + 1);
  }

  FilePlace place(std::string_view part) const {  // `part` lies within the text
    return source_.place_of(static_cast<std::size_t>(part.data() - text_.data()));
  }

  [[noreturn]] void fail(std::string_view part, const std::string& problem, const std::string& valid) const {
    throw PlacedError(place(part), problem, quoted_for_message(std::string(part)), valid);
  }

  template <class Number, class Parse>
  Number at(std::string_view part, Parse parse) const {
    try {
      return parse(part);
    } catch (const InputError& e) {
      throw PlacedError(place(part), e);
    }
  }

  void push(std::vector<YamlValue>& values, std::string text) const {
    if (values.size() == kMostSweepValues)
      fail(text_, "more than " + std::to_string(kMostSweepValues) + " values of one key", "a larger step, or * 2");
    YamlValue value;
    value.kind = YamlValue::Kind::scalar;
    value.place = source_.place;
    value.text = std::move(text);
    values.push_back(std::move(value));
  }

  std::vector<YamlValue> multiplied(const Measure& m, Int from, Int to, std::string_view step) const {
    const Int factor =
        at<Int>(step, [](std::string_view t) { return static_cast<Int>(parse_count(t, 0, 1u << 30)); });
    if (factor < 2) fail(step, "the range never ends: * " + whole(factor), "a factor of 2 or more");
    if (from <= 0) fail(text_, "the range never ends: it multiplies " + whole(from), "a range that begins above 0");
    std::vector<YamlValue> values;
    for (Int v = from; v <= to; v *= factor) push(values, m.text(v));
    return values;
  }

  std::vector<YamlValue> added(const Measure& m, Int from, Int to, Int step, std::string_view text) const {
    if (step <= 0) fail(text, "the range never ends: + " + std::string(text), "a step above 0");
    std::vector<YamlValue> values;
    for (Int v = from; v <= to; v += step) push(values, m.text(v));
    return values;
  }

  const YamlValue& source_;
  std::string_view text_;
};

bool is_range(const YamlValue& value) {
  const std::string_view text = value.text;
  if (!value.is_scalar() || value.quoted || text.find("..") == std::string_view::npos) return false;
  return is_integer(text.substr(0, text.starts_with('-') ? 2 : 1));  // "../machines" is no range
}

// ---- all N-D shapes of M chips

struct ShapeFamily {
  int dimensions = 0;
  std::uint64_t chips = 0;
};

std::optional<ShapeFamily> shape_family(const YamlValue& value) {
  std::string_view rest = value.text;
  if (!value.is_scalar() || !rest.starts_with("all ")) return std::nullopt;
  const auto refuse = [&]() -> std::optional<ShapeFamily> {
    throw PlacedError(value.place, "not a family of shapes", quoted_for_message(value.text),
                      "all 2-D shapes of 64 chips, all 3-D shapes of 512 chips, ...");
  };
  rest.remove_prefix(4);
  constexpr std::string_view kMiddle = "-D shapes of ", kEnd = " chips";
  const std::size_t middle = rest.find(kMiddle);
  if (middle != 1 || rest[0] < '1' || rest[0] > '4' || !rest.ends_with(kEnd)) return refuse();
  const std::string_view chips = rest.substr(1 + kMiddle.size(), rest.size() - 1 - kMiddle.size() - kEnd.size());
  if (!is_integer(chips)) return refuse();
  ShapeFamily family{rest[0] - '0', 0};
  try {
    family.chips = parse_count(chips, 1, 1u << 24);
  } catch (const InputError& e) {
    throw PlacedError(value.place, e);
  }
  return family;
}

void add_shapes(std::vector<std::string>& shapes, const std::string& begun, std::uint64_t least, std::uint64_t chips,
                int dimensions) {
  if (dimensions == 1) {
    if (chips >= least && chips <= INT16_MAX) shapes.push_back(begun + std::to_string(chips));
    return;
  }
  for (std::uint64_t size = least; size * size <= chips; ++size)
    if (chips % size == 0) add_shapes(shapes, begun + std::to_string(size) + "x", size, chips / size, dimensions - 1);
}

std::vector<YamlValue> shapes_of(const ShapeFamily& family, const YamlValue& source) {
  std::vector<std::string> shapes;
  add_shapes(shapes, "", 1, family.chips, family.dimensions);
  if (shapes.empty())
    throw PlacedError(source.place, "no such shape", source.text, "fewer chips, or more dimensions");
  std::vector<YamlValue> values;
  for (std::string& shape : shapes) {
    YamlValue value;
    value.kind = YamlValue::Kind::scalar;
    value.place = source.place;
    value.text = std::move(shape);
    values.push_back(std::move(value));
  }
  return values;
}

// Empty: the value stands for itself.
std::vector<YamlValue> expanded(const YamlValue& value) {
  if (is_range(value)) return RangeReader(value).read();
  if (const auto family = shape_family(value)) return shapes_of(*family, value);
  return {};
}

std::optional<Quantity> quantity_of(const YamlValue& value) {
  try {
    return parse_quantity(value.text);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<YamlValue> sweep_values(const YamlValue& value) {
  if (!value.is_sequence()) {
    std::vector<YamlValue> values = expanded(value);
    if (!values.empty()) return values;
    const std::string got = value.is_null() ? "nothing" : flow_text(value);
    throw PlacedError(value.place, name_of(value) + " needs a list or a range", quoted_for_message(got), kExamples);
  }
  std::vector<YamlValue> values;
  for (const YamlValue& item : value.items) {
    if (item.is_null()) throw PlacedError(item.place, "an empty place in the list", "", kExamples);
    std::vector<YamlValue> more = expanded(item);
    if (more.empty()) more.push_back(item);
    values.insert(values.end(), more.begin(), more.end());
  }
  if (values.empty()) throw PlacedError(value.place, name_of(value) + " has no values", "[]", kExamples);
  if (values.size() > kMostSweepValues)
    throw PlacedError(value.place, "more than " + std::to_string(kMostSweepValues) + " values of one key",
                      std::to_string(values.size()));
  return values;
}

std::string flow_text(const YamlValue& value) {
  if (!value.is_map() && !value.is_sequence()) return value.text;
  std::string text;
  for (const YamlValue& item : value.items)
    text += (text.empty() ? "" : ", ") + (value.is_map() ? item.key + ": " : "") + flow_text(item);
  return value.is_map() ? "{" + text + "}" : "[" + text + "]";
}

bool same_value(const YamlValue& a, const YamlValue& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (a.items[i].key != b.items[i].key || !same_value(a.items[i], b.items[i])) return false;
  if (a.text == b.text) return true;
  const auto qa = quantity_of(a), qb = quantity_of(b);
  return qa && qb && qa->kind == qb->kind && qa->value == qb->value;
}

}  // namespace hopsim
