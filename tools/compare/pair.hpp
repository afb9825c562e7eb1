// Two values side by side: what all comparisons are made of.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/compare/input.hpp"

namespace hopsim {

// A number of A and the same of B, where they have it.
struct Pair {
  std::optional<double> a, b;
  bool whole =
      true;  // false: one of them is of what did not come to its end, so they have no difference and no ratio

  bool both() const { return a && b; }
  bool differs() const { return a != b; }
  std::optional<double> difference() const;  // b - a
  std::optional<double> ratio() const;       // b / a, where that is a number
  // Of seconds: as whole picoseconds, which times are.
  std::optional<double> time_difference() const;
};

Pair pair_of(const ResultValue& a, const ResultValue& b, std::string_view key);  // number_if of both

// A row, a way or the like of both, or of one of them.
struct Sides {
  std::optional<ResultValue> a, b;

  const ResultValue& any() const { return a ? *a : *b; }
  bool partial() const { return (a && a->flag("partial")) || (b && b->flag("partial")); }
  bool comparable() const { return a && b && !partial(); }
  Pair pair(const char* key) const {
    return {a ? a->number_if(key) : std::nullopt, b ? b->number_if(key) : std::nullopt, !partial()};
  }
};

// {"a", "b", "difference", "ratio"}: null where there is none.
nlohmann::ordered_json to_json(const Pair&);
nlohmann::ordered_json time_json(const Pair&);                                 // the difference in whole picoseconds
nlohmann::ordered_json text_json(const std::string& a, const std::string& b);  // {"a", "b"}; null where empty

std::string time_text(std::optional<double> seconds);  // "-" where there is none
std::string bytes_text(double bytes);
std::string percent_text(double share);  // "41.2 %"
std::string count_text(double count);
std::string signed_time(std::optional<double> seconds);   // "+1.2 us", "-3 us", "0 s"
std::string signed_percent(std::optional<double> share);  // "-33.3 %"; small ones with two digits that say something
std::string changed(const std::string& a, const std::string& b);  // "ring -> line"; once where they are the same

// "B is 1.50x faster", "B is 0.12 % slower", "B takes as long". REQUIRES: both are there, and whole.
std::string speed(const Pair& seconds);

// What a comparison says.
struct Compared {
  nlohmann::ordered_json json;  // the members of its kind
  std::string text;
};

// A line of what stands at the head of both: "A: a.json: TEXT".
std::string headings(const ResultFile& a, const std::string& text_a, const ResultFile& b, const std::string& text_b);
// "tpu_v5e 8x4 (32 chips), mesh {X: 8, Y: 4}", of a result's machine.
std::string machine_text(const ResultValue& machine);
// What makes the two hard to compare: versions, engines.
std::vector<std::string> common_notes(const ResultValue& a, const ResultValue& b);

}  // namespace hopsim
