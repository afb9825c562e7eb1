#include "sim/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <optional>
#include <span>

#include "sim/error.hpp"

namespace hopsim {
namespace {

using Integer = boost::multiprecision::cpp_int;

constexpr std::size_t kMaxNumberLength = 64;  // longer ones are garbage, and cost time
constexpr int kMaxExponent = 1000;

// digits * 10^exponent, exactly.
struct Decimal {
  Integer digits;
  int exponent = 0;
  bool negative = false;
};

struct Number {
  Decimal value;
  std::string_view unit;  // what follows the number, trimmed
};

constexpr std::uint64_t kKilo = 1'000, kMega = 1'000'000, kGiga = 1'000'000'000, kTera = 1'000'000'000'000,
                        kPeta = 1'000'000'000'000'000, kExa = 1'000'000'000'000'000'000;

struct Prefix {
  std::string_view text;
  std::uint64_t factor;
};
constexpr Prefix kNoPrefix[] = {{"", 1}};
constexpr Prefix kDecimalPrefixes[] = {{"", 1},      {"k", kKilo}, {"K", kKilo}, {"M", kMega},
                                       {"G", kGiga}, {"T", kTera}, {"P", kPeta}, {"E", kExa}};
constexpr Prefix kAllPrefixes[] = {
    {"", 1},           {"k", kKilo}, {"K", kKilo},       {"M", kMega},       {"G", kGiga},       {"T", kTera},
    {"P", kPeta},      {"E", kExa},  {"Ki", 1ull << 10}, {"Mi", 1ull << 20}, {"Gi", 1ull << 30}, {"Ti", 1ull << 40},
    {"Pi", 1ull << 50}};
// To picoseconds. Two code points look the same: U+00B5 micro sign, U+03BC Greek mu.
constexpr Prefix kTimePrefixes[] = {{"p", 1},          {"n", kKilo}, {"u", kMega}, {"\u00b5", kMega},
                                    {"\u03bc", kMega}, {"m", kGiga}, {"", kTera}};
constexpr Prefix kMinute[] = {{"", 60 * kTera}};

// Units that end alike: every prefix before the ending, its factor divided by the denominator.
struct UnitFamily {
  std::string_view ending;
  std::span<const Prefix> prefixes;
  std::uint64_t denominator = 1;
};

struct Unit {
  std::uint64_t numerator = 1, denominator = 1;  // of base units
};

struct UnitTable {
  QuantityKind kind;
  std::string_view quantity;  // for messages
  std::string_view valid;
  std::span<const UnitFamily> families;

  std::optional<Unit> find(std::string_view name) const {
    for (const UnitFamily& family : families) {
      if (!name.ends_with(family.ending)) continue;
      const std::string_view before = name.substr(0, name.size() - family.ending.size());
      for (const Prefix& prefix : family.prefixes) {
        if (prefix.text == before) return Unit{prefix.factor, family.denominator};
      }
    }
    return std::nullopt;
  }
};

constexpr UnitFamily kSizeUnits[] = {{"B", kAllPrefixes}};
constexpr UnitFamily kTimeUnits[] = {{"s", kTimePrefixes}, {"min", kMinute}};
constexpr UnitFamily kBandwidthUnits[] = {{"B/s", kAllPrefixes},
                                          {"Bps", kAllPrefixes},
                                          {"bit/s", kDecimalPrefixes, 8},
                                          {"b/s", kDecimalPrefixes, 8},
                                          {"bps", kDecimalPrefixes, 8}};
constexpr UnitFamily kFlopRateUnits[] = {{"FLOP/s", kDecimalPrefixes}, {"FLOPs/s", kDecimalPrefixes},
                                         {"FLOPS", kDecimalPrefixes},  {"OP/s", kDecimalPrefixes},
                                         {"OPs/s", kDecimalPrefixes},  {"OPS", kDecimalPrefixes}};
constexpr UnitFamily kFlopUnits[] = {{"", kNoPrefix}, {"FLOP", kDecimalPrefixes}, {"FLOPs", kDecimalPrefixes}};
constexpr UnitFamily kRatioUnits[] = {{"", kNoPrefix}, {"%", kNoPrefix, 100}};
constexpr UnitFamily kNoUnits[] = {{"", kNoPrefix}};

constexpr UnitTable kSizes{QuantityKind::bytes, "a size", "B, kB, MB, GB, TB, PB, EB, KiB, MiB, GiB, TiB, PiB",
                           kSizeUnits};
constexpr UnitTable kTimes{QuantityKind::time, "a time", "ps, ns, us, ms, s, min", kTimeUnits};
constexpr UnitTable kBandwidths{QuantityKind::bandwidth, "a bandwidth",
                                "B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, bit/s, kbit/s, Mbit/s, "
                                "Gbit/s, Tbit/s",
                                kBandwidthUnits};
constexpr UnitTable kFlopRates{QuantityKind::flop_rate, "a FLOP rate",
                               "FLOP/s, kFLOP/s, MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s, EFLOP/s", kFlopRateUnits};
constexpr UnitTable kFlopCounts{QuantityKind::number, "a number of FLOPs",
                                "a number, alone or with FLOP, kFLOP, MFLOP, GFLOP, TFLOP, PFLOP, EFLOP", kFlopUnits};
constexpr UnitTable kRatios{QuantityKind::number, "a ratio", "a number such as 0.5, or 50%", kRatioUnits};
constexpr UnitTable kCounts{QuantityKind::number, "a count", "a whole number without a unit", kNoUnits};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Text as a message quotes it: short, on one line.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.empty()) return "nothing";
  std::size_t end = std::min(text.size(), kLongest);
  while (end < text.size() && (text[end] & 0xc0) == 0x80) --end;  // no half a UTF-8 character
  std::string out(text.substr(0, end));
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return end < text.size() ? out + "..." : out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t skip_digits(std::string_view text, std::size_t i) {
  while (i < text.size() && is_digit(text[i])) ++i;
  return i;
}

bool starts_with_word(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  return std::equal(word.begin(), word.end(), text.begin(), [](char w, char t) { return w == (t | 0x20); });
}

[[noreturn]] void refuse_number(std::string_view whole, std::string_view text, std::string_view what) {
  const std::string valid = "a decimal number such as 12, 0.5 or 1e9, then the unit if there is one";
  if (!text.empty() && (text[0] == '.' || text[0] == '+')) text.remove_prefix(1);
  if (starts_with_word(text, "inf")) throw InputError(fmt::format("{} must be finite", what), shown(whole), valid);
  throw InputError(fmt::format("{} must begin with a number", what), shown(whole), valid);
}

// The exponent in text[i..): moves i past it. An `e` that no digits follow belongs to the unit.
int read_exponent(std::string_view text, std::size_t& i) {
  if (i >= text.size() || (text[i] != 'e' && text[i] != 'E')) return 0;
  std::size_t first = i + 1;
  const bool negative = first < text.size() && text[first] == '-';
  if (first < text.size() && (text[first] == '-' || text[first] == '+')) ++first;
  const std::size_t end = skip_digits(text, first);
  if (end == first) return 0;
  int exponent = 0;
  for (std::size_t k = first; k < end; ++k) exponent = std::min(kMaxExponent, exponent * 10 + (text[k] - '0'));
  i = end;
  return negative ? -exponent : exponent;
}

Number read_number(std::string_view whole, std::string_view what) {
  std::string_view text = trimmed(whole);
  Number number;
  if (!text.empty() && text[0] == '-') {
    number.value.negative = true;
    text.remove_prefix(1);
  }
  const std::size_t whole_end = skip_digits(text, 0);
  std::string digits(text.substr(0, whole_end));
  std::size_t end = whole_end;
  if (end < text.size() && text[end] == '.') {
    const std::size_t fraction_end = skip_digits(text, end + 1);
    digits += text.substr(end + 1, fraction_end - end - 1);
    number.value.exponent = -static_cast<int>(fraction_end - end - 1);
    end = fraction_end;
  }
  if (digits.empty()) refuse_number(whole, text, what);
  if (digits.size() > kMaxNumberLength) throw InputError(fmt::format("{} has too many digits", what), shown(whole));
  number.value.exponent += read_exponent(text, end);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));  // cpp_int takes a leading 0 for octal
  number.value.digits = Integer(digits);
  number.unit = trimmed(text.substr(end));
  return number;
}

Integer power_of_ten(int exponent) {
  return boost::multiprecision::pow(Integer(10), static_cast<unsigned>(exponent));
}

struct Fraction {
  Integer numerator, denominator;
};

Fraction in_base_units(const Decimal& value, const Unit& unit) {
  Fraction f{value.digits * unit.numerator, unit.denominator};
  if (value.exponent > 0) f.numerator *= power_of_ten(value.exponent);
  if (value.exponent < 0) f.denominator *= power_of_ten(-value.exponent);
  return f;
}

Unit unit_of(const UnitTable& table, const Number& number, std::string_view text) {
  if (const auto unit = table.find(number.unit)) return *unit;
  if (number.unit.empty()) {
    throw InputError(fmt::format("{} needs a unit", table.quantity), shown(text), std::string(table.valid));
  }
  throw InputError(fmt::format("unknown unit \"{}\" of {}", shown(number.unit), table.quantity), shown(text),
                   std::string(table.valid));
}

void check_sign(const Decimal& value, std::string_view what, std::string_view text) {
  if (value.negative) throw InputError(fmt::format("{} must not be negative", what), shown(text));
}

void check_zero(const Decimal& value, std::string_view what, std::string_view text, Zero zero) {
  if (zero == Zero::refused && value.digits == 0)
    throw InputError(fmt::format("{} must not be zero", what), shown(text));
}

enum class Round { exact, up, down };

// The fraction as an integer of up to `most`.
Integer rounded(const Fraction& f, Round round, std::string_view what, std::string_view text, const Integer& most,
                std::string_view most_text) {
  const Integer quotient = f.numerator / f.denominator;
  const bool whole = quotient * f.denominator == f.numerator;
  if (round == Round::exact && !whole) throw InputError(fmt::format("{} must come out whole", what), shown(text));
  Integer result = round == Round::up && !whole ? Integer(quotient + 1) : quotient;
  if (result > most) {
    throw InputError(fmt::format("{} is too large", what), shown(text), fmt::format("at most {}", most_text));
  }
  return result;
}

Integer parse_unsigned(std::string_view text, const UnitTable& table, Zero zero, Round round, const Integer& most,
                       std::string_view most_text, Bare bare = Bare::refused) {
  const Number number = read_number(text, table.quantity);
  check_sign(number.value, table.quantity, text);
  const Unit unit = bare == Bare::allowed && number.unit.empty() ? Unit{} : unit_of(table, number, text);
  check_zero(number.value, table.quantity, text, zero);
  return rounded(in_base_units(number.value, unit), round, table.quantity, text, most, most_text);
}

std::uint64_t scaled_down(std::uint64_t rate, Ratio r) {
  return static_cast<std::uint64_t>(Uint128{rate} * r.numerator / r.denominator);
}

}  // namespace

Bandwidth scaled(Bandwidth b, Ratio efficiency) { return Bandwidth(scaled_down(b.bytes_per_second(), efficiency)); }
FlopRate scaled(FlopRate r, Ratio efficiency) { return FlopRate(scaled_down(r.flops_per_second(), efficiency)); }

Bytes parse_bytes(std::string_view text, Bare bare, Zero zero) {
  return Bytes(static_cast<std::uint64_t>(
      parse_unsigned(text, kSizes, zero, Round::exact, Integer(1) << 60, "1024 PiB", bare)));
}

Time parse_time(std::string_view text, Zero zero) {
  return Time::picoseconds(static_cast<std::uint64_t>(
      parse_unsigned(text, kTimes, zero, Round::up, Integer(Time::max().ps()), "106 days")));
}

Bandwidth parse_bandwidth(std::string_view text) {
  const Integer rate = parse_unsigned(text, kBandwidths, Zero::refused, Round::down, Integer(kExa), "1000 PB/s");
  if (rate == 0) throw InputError("a bandwidth must be at least a byte a second", shown(text));
  return Bandwidth(static_cast<std::uint64_t>(rate));
}

FlopRate parse_flop_rate(std::string_view text) {
  const Integer rate = parse_unsigned(text, kFlopRates, Zero::refused, Round::down, Integer(10) * kExa, "10 EFLOP/s");
  if (rate == 0) throw InputError("a FLOP rate must be at least one a second", shown(text));
  return FlopRate(static_cast<std::uint64_t>(rate));
}

Flops parse_flops(std::string_view text, Zero zero) {
  return Flops(static_cast<Uint128>(parse_unsigned(text, kFlopCounts, zero, Round::exact, power_of_ten(30), "1e30")));
}

Ratio parse_ratio(std::string_view text, Zero zero) {
  const Number number = read_number(text, kRatios.quantity);
  check_sign(number.value, kRatios.quantity, text);
  const Fraction f = in_base_units(number.value, unit_of(kRatios, number, text));
  check_zero(number.value, kRatios.quantity, text, zero);
  if (f.numerator > f.denominator * kMega) throw InputError("a ratio is too large", shown(text), "at most 1e6");
  // The least power of ten that makes it whole; digits beyond 10^-12 are lost.
  std::uint64_t denominator = 1;
  while (denominator < kTera && f.numerator * denominator % f.denominator != 0) denominator *= 10;
  const Integer numerator = f.numerator * denominator / f.denominator;
  if (zero == Zero::refused && numerator == 0)
    throw InputError("a ratio is too small", shown(text), "at least 1e-12");
  return {static_cast<std::uint64_t>(numerator), denominator};
}

std::uint64_t parse_count(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const std::string valid = fmt::format("a whole number from {} to {}", least, most);
  const Number number = read_number(text, kCounts.quantity);
  unit_of(kCounts, number, text);
  const Fraction f = in_base_units(number.value, {});
  const bool whole = f.numerator % f.denominator == 0;
  if (!whole) throw InputError("a count must be whole", shown(text), valid);
  const Integer count = f.numerator / f.denominator;
  if ((number.value.negative && count != 0) || count < least)
    throw InputError("a count is too small", shown(text), valid);
  if (count > most) throw InputError("a count is too large", shown(text), valid);
  return static_cast<std::uint64_t>(count);
}

Quantity parse_quantity(std::string_view text) {
  const Number number = read_number(text, "a quantity");
  for (const UnitTable* table : {&kRatios, &kTimes, &kSizes, &kBandwidths, &kFlopRates}) {
    const auto unit = table->find(number.unit);
    if (!unit) continue;
    Fraction f = in_base_units(number.value, *unit);
    if (table->kind == QuantityKind::time) f.denominator *= kTera;
    const double value = boost::multiprecision::cpp_rational(f.numerator, f.denominator).convert_to<double>();
    if (!std::isfinite(value)) throw InputError("a quantity is too large", shown(text));
    return {table->kind, number.value.negative ? -value : value};
  }
  throw InputError(fmt::format("unknown unit \"{}\"", shown(number.unit)), shown(text),
                   fmt::format("%, {}, {}, {}, {}", kTimes.valid, kSizes.valid, kBandwidths.valid, kFlopRates.valid));
}

const char* name_of(QuantityKind kind) {
  constexpr std::array kNames{"a number", "a time", "a size", "a bandwidth", "a FLOP rate"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

// Five significant digits without an exponent and without trailing zeros.
std::string digits_of(double value) {
  return std::abs(value) >= 99999.5 ? fmt::format("{:.0f}", value) : fmt::format("{:.5g}", value);
}

struct Scale {
  double size;
  const char* name;
};

// The largest unit that leaves at least 1 before the point, after rounding to five digits (999.999 us is 1 ms).
std::string scaled_text(double value, std::span<const Scale> scales) {
  const Scale* chosen = &scales.front();
  for (const Scale& scale : scales) {
    if (std::abs(value) / scale.size >= 0.999995) chosen = &scale;
  }
  return digits_of(value / chosen->size) + " " + chosen->name;
}

constexpr std::array<Scale, 6> kDecimalSizes{
    {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}, {1e15, "PB"}}};
constexpr std::array<Scale, 6> kBinarySizes{
    {{1, "B"}, {0x1p10, "KiB"}, {0x1p20, "MiB"}, {0x1p30, "GiB"}, {0x1p40, "TiB"}, {0x1p50, "PiB"}}};

// Does `text`, a number and a unit of size, say `bytes` exactly?
bool says(const std::string& text, Bytes bytes) {
  const Number number = read_number(text, kSizes.quantity);
  const Fraction f = in_base_units(number.value, kSizes.find(number.unit).value());
  return f.numerator == f.denominator * bytes.count();
}

}  // namespace

std::string format_seconds(double seconds) {
  static constexpr std::array<Scale, 5> kScales{{{1e-12, "ps"}, {1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}}};
  return seconds == 0 ? "0 s" : scaled_text(seconds, kScales);
}

std::string format_time(Time t) { return format_seconds(t.seconds()); }

std::string format_bytes(Bytes bytes) {
  const double value = static_cast<double>(bytes.count());
  const std::string decimal = scaled_text(value, kDecimalSizes), binary = scaled_text(value, kBinarySizes);
  const bool decimal_exact = says(decimal, bytes), binary_exact = says(binary, bytes);
  if (decimal_exact && binary_exact) return decimal.size() < binary.size() ? decimal : binary;
  return decimal_exact ? decimal : binary;
}

std::string format_bytes_per_second(double rate) {
  static constexpr std::array<Scale, 6> kScales{
      {{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}, {1e15, "PB/s"}}};
  return scaled_text(rate, kScales);
}

std::string format_bandwidth(Bandwidth b) {
  return format_bytes_per_second(static_cast<double>(b.bytes_per_second()));
}

std::string format_flop_rate(FlopRate r) {
  static constexpr std::array<Scale, 7> kScales{{{1, "FLOP/s"},
                                                 {1e3, "kFLOP/s"},
                                                 {1e6, "MFLOP/s"},
                                                 {1e9, "GFLOP/s"},
                                                 {1e12, "TFLOP/s"},
                                                 {1e15, "PFLOP/s"},
                                                 {1e18, "EFLOP/s"}}};
  return scaled_text(static_cast<double>(r.flops_per_second()), kScales);
}

}  // namespace hopsim
