#include "tools/perfetto/trace_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "scenarios/place.hpp"
#include "sim/error.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

constexpr double kMostLimit = 1e15;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// At commas outside of brackets.
std::vector<std::string_view> items(std::string_view text) {
  std::vector<std::string_view> all;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    all.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return all;
}

class ChipReader {
 public:
  explicit ChipReader(const Shape& shape) : shape_(shape), shown_(shape.chips()) {}

  void read(std::string_view item) {
    if (item.starts_with('(') && item.ends_with(')')) return add(at(item), item);
    const auto dash = item.find('-', 1);
    if (dash == std::string_view::npos) return add(number(item, item), item);
    const auto first = number(item.substr(0, dash), item), last = number(item.substr(dash + 1), item);
    if (first > last) refuse("a range of chips runs backwards", item, fmt::format("{}-{}", last, first));
    add(last, item);
    std::fill(shown_.begin() + static_cast<std::ptrdiff_t>(first), shown_.begin() + static_cast<std::ptrdiff_t>(last),
              true);
  }
  std::vector<bool> shown() && { return std::move(shown_); }

 private:
  [[noreturn]] static void refuse(const char* what, std::string_view item, std::string valid) {
    throw InputError(what, quoted_for_message(std::string(item)), std::move(valid));
  }

  void add(std::uint64_t chip, std::string_view item) {
    if (chip >= shown_.size()) refuse("no such chip", item, all_numbers());
    shown_[chip] = true;
  }

  std::uint64_t number(std::string_view text, std::string_view item) const {
    text = trimmed(text);
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error == std::errc::result_out_of_range) refuse("no such chip", item, all_numbers());
    if (error != std::errc{} || end != text.data() + text.size() || text.empty())
      refuse("no chip, range or coordinates", item, "0-7,12,(1,0)");
    return n;
  }

  std::uint64_t at(std::string_view item) const {
    const std::vector<std::string_view> numbers = items(item.substr(1, item.size() - 2));
    if (numbers.size() != static_cast<std::size_t>(shape_.dimensions))
      refuse("a chip has a coordinate a dimension", item, all_coordinates());
    Coordinates x{};
    for (std::size_t d = 0; d < numbers.size(); ++d) {
      const std::uint64_t n = number(numbers[d], item);
      if (n >= static_cast<std::uint64_t>(shape_.size[d])) refuse("no such chip", item, all_coordinates());
      x[d] = static_cast<std::int16_t>(n);
    }
    return index(shape_.chip(x));
  }

  std::string all_numbers() const { return fmt::format("0 to {}", shown_.size() - 1); }
  std::string all_coordinates() const {
    std::string first, last;
    for (int d = 0; d < shape_.dimensions; ++d) {
      first += d ? ",0" : "0";
      last += fmt::format("{}{}", d ? "," : "", shape_.size[static_cast<std::size_t>(d)] - 1);
    }
    return fmt::format("({}) to ({})", first, last);
  }

  const Shape& shape_;
  std::vector<bool> shown_;
};

std::optional<perfetto::Detail> detail_named(const std::string& text) {
  using perfetto::Detail;
  for (const Detail d : {Detail::steps, Detail::messages, Detail::hops})
    if (text == name_of(d)) return d;
  return std::nullopt;
}

template <class Parse>
auto of_flag(const char* flag, Parse parse) {
  try {
    return parse();
  } catch (const InputError& e) {
    throw InputError(std::string(flag) + ": " + e.what());
  }
}

}  // namespace

const char* name_of(perfetto::Detail detail) {
  constexpr const char* kNames[] = {"steps", "messages", "hops"};
  return kNames[static_cast<std::size_t>(detail)];
}

std::vector<bool> parse_trace_chips(std::string_view text, const Shape& shape) {
  ChipReader reader(shape);
  for (const std::string_view item : items(text)) reader.read(item);
  return std::move(reader).shown();
}

perfetto::Window parse_trace_window(std::string_view text) {
  const std::string valid = "1ms..2ms, ..2ms or 1ms..";
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) throw InputError("a window of time has two dots", std::string(text), valid);
  const std::string_view begin = trimmed(text.substr(0, dots)), end = trimmed(text.substr(dots + 2));
  if (begin.empty() && end.empty())
    throw InputError("a window of time has a begin or an end", std::string(text), valid);
  perfetto::Window window;
  if (!begin.empty()) window.begin = parse_time(begin);
  if (!end.empty()) window.end = parse_time(end);
  if (window.begin >= window.end)
    throw InputError(window.begin == window.end ? "a window of no length" : "a window that runs backwards",
                     std::string(text), "a begin before its end");
  return window;
}

std::optional<std::uint64_t> parse_trace_limit(std::string_view text) {
  if (text == "none") return std::nullopt;
  constexpr std::pair<char, std::uint64_t> kSuffixes[] = {
      {'k', 1'000}, {'K', 1'000}, {'M', 1'000'000}, {'G', 1'000'000'000}};
  std::uint64_t times = 1;
  for (const auto& [suffix, value] : kSuffixes)
    if (text.size() > 1 && text.ends_with(suffix)) times = value;
  double slices = 0;
  try {
    const Quantity q = parse_quantity(times > 1 ? text.substr(0, text.size() - 1) : text);
    if (q.kind == QuantityKind::number) slices = q.value * static_cast<double>(times);
  } catch (const InputError&) {  // said below
  }
  if (slices < 1 || slices > kMostLimit || slices != std::floor(slices))
    throw InputError("no number of slices", quoted_for_message(std::string(text)), "200000, 5M or none");
  return static_cast<std::uint64_t>(slices);
}

TraceRequest trace_request(const CommonFlags& f, const Shape& shape) {
  TraceRequest request;
  request.detail = detail_named(f.trace_detail);
  request.last = limits_of(f).max_time;
  if (!f.trace_chips.empty())
    request.chips = of_flag("--trace-chips", [&] { return parse_trace_chips(f.trace_chips, shape); });
  if (!f.trace_window.empty())
    request.window = of_flag("--trace-window", [&] { return parse_trace_window(f.trace_window); });
  if (!f.trace_limit.empty())
    request.limit = of_flag("--trace-limit", [&] { return parse_trace_limit(f.trace_limit); });
  return request;
}

void check_trace_flags(const CommonFlags& f) {
  const std::pair<const char*, const std::string*> flags[] = {{"--trace-chips", &f.trace_chips},
                                                              {"--trace-window", &f.trace_window},
                                                              {"--trace-detail", &f.trace_detail},
                                                              {"--trace-limit", &f.trace_limit}};
  for (const auto& [flag, value] : flags)
    if (!value->empty() && f.trace.empty())
      throw InputError(std::string(flag) + " says what a trace holds, and there is none", *value,
                       "--trace FILE, too");
}

}  // namespace hopsim
