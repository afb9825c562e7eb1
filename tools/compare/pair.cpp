#include "tools/compare/pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/units.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kPicoseconds = 1e12;
constexpr double kMostDigits = 1e15;  // from here on with an exponent; no simulated time is that long

Json json_of(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json json_with(const Pair& p, std::optional<double> difference) {
  return {
      {"a", json_of(p.a)}, {"b", json_of(p.b)}, {"difference", json_of(difference)}, {"ratio", json_of(p.ratio())}};
}

}  // namespace

std::optional<double> Pair::difference() const { return both() && whole ? std::optional(*b - *a) : std::nullopt; }

std::optional<double> Pair::ratio() const {
  if (!both() || !whole || *a == 0) return std::nullopt;
  const double quotient = *b / *a;
  return std::isfinite(quotient) ? std::optional(quotient) : std::nullopt;
}

std::optional<double> Pair::time_difference() const {
  const auto seconds = difference();
  if (!seconds || std::max(*a, *b) > kMostDigits) return seconds;
  return (std::round(*b * kPicoseconds) - std::round(*a * kPicoseconds)) / kPicoseconds;
}

Pair pair_of(const ResultValue& a, const ResultValue& b, std::string_view key) {
  return {a.number_if(key), b.number_if(key)};
}

Json to_json(const Pair& p) { return json_with(p, p.difference()); }
Json time_json(const Pair& p) { return json_with(p, p.time_difference()); }

Json text_json(const std::string& a, const std::string& b) {
  const auto json = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  return {{"a", json(a)}, {"b", json(b)}};
}

std::string time_text(std::optional<double> seconds) {
  if (!seconds) return "-";
  return std::abs(*seconds) < kMostDigits ? format_seconds(*seconds) : fmt::format("{:.3g} s", *seconds);
}

std::string percent_text(double share) {
  const double percent = share * 100;
  return std::abs(percent) < 1e6 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.3g} %", percent);
}

std::string count_text(double count) { return fmt::format("{:.{}g}", count, std::abs(count) < kMostDigits ? 15 : 3); }

std::string bytes_text(double bytes) {
  constexpr double kMost = 0x1p63;
  if (bytes < 0 || bytes > kMost) return fmt::format("{:g} B", bytes);  // no size of ours
  return format_bytes(Bytes(static_cast<std::uint64_t>(bytes)));
}

std::string signed_time(std::optional<double> seconds) {
  if (!seconds) return "-";
  return (*seconds > 0 ? "+" : "") + time_text(seconds);
}

std::string signed_percent(std::optional<double> share) {
  if (!share) return "-";
  const double percent = *share * 100;
  if (percent == 0) return "0 %";
  if (std::abs(percent) < 0.1) return fmt::format("{:+.2g} %", percent);
  return (percent > 0 ? "+" : "") + percent_text(share.value());
}

std::string changed(const std::string& a, const std::string& b) {
  const auto said = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
  return a == b ? said(a) : said(a) + " -> " + said(b);
}

std::string speed(const Pair& seconds) {
  constexpr double kWorthARatio = 1.1;  // less is told in percent
  const double a = *seconds.a, b = *seconds.b;
  if (a == b) return "B takes as long";
  const char* how = b < a ? "faster" : "slower";
  const double least = std::min(a, b), ratio = std::max(a, b) / least;
  if (!std::isfinite(ratio)) return fmt::format("B is {}", how);
  if (ratio < kWorthARatio) return fmt::format("B is {:.2g} % {}", (ratio - 1) * 100, how);
  return ratio < 1e6 ? fmt::format("B is {:.2f}x {}", ratio, how) : fmt::format("B is {:.3g}x {}", ratio, how);
}

std::string headings(const ResultFile& a, const std::string& text_a, const ResultFile& b, const std::string& text_b) {
  return "A: " + a.file + ": " + text_a + "\nB: " + b.file + ": " + text_b + "\n";
}

std::string machine_text(const ResultValue& machine) {
  std::string shape, mesh;
  for (const Json& size : machine.at("dimensions").json()) shape += (shape.empty() ? "" : "x") + size.dump();
  for (const auto& [axis, size] : machine.at("mesh").json().items())
    mesh += (mesh.empty() ? "" : ", ") + axis + ": " + size.dump();
  return fmt::format("{} {} ({} chips), mesh {{{}}}", machine.text("chip"), shape,
                     count_text(machine.number("chips")), mesh);
}

std::vector<std::string> common_notes(const ResultValue& a, const ResultValue& b) {
  std::vector<std::string> notes;
  const auto differ = [&](const char* key, const char* what) {
    const std::string of_a = a.text_if(key), of_b = b.text_if(key);
    if (of_a != of_b) notes.push_back(fmt::format("{} differ: A {}, B {}", what, of_a, of_b));
  };
  differ("version", "versions");
  differ("engine", "engines");
  return notes;
}

}  // namespace hopsim
