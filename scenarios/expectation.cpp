#include "scenarios/expectation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "scenarios/fields.hpp"

namespace hopsim {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Is the plus at i the sign of an exponent, as in 1e+3?
bool in_exponent(const std::string& text, std::size_t i) {
  return i >= 2 && i + 1 < text.size() && (text[i - 1] == 'e' || text[i - 1] == 'E') &&
         (is_digit(text[i - 2]) || text[i - 2] == '.') && is_digit(text[i + 1]);
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

Placed<std::string> term_of(const YamlValue& value, std::size_t begin, std::size_t end) {
  const std::size_t first = value.text.find_first_not_of(' ', begin);
  return {trimmed(value.text.substr(begin, end - begin)), value.place_of(std::min(first, end))};
}

std::vector<Placed<std::string>> terms_of(const YamlValue& value, char separator) {
  const std::string& text = text_of(value);
  std::vector<Placed<std::string>> terms;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] != separator || in_exponent(text, i))) continue;
    terms.push_back(term_of(value, begin, i));
    begin = i + 1;
  }
  return terms;
}

template <class Parse>
auto placed_term(const YamlValue& value, const Placed<std::string>& term, Parse parse) {
  try {
    return parse(term.value);
  } catch (const InputError& e) {
    throw PlacedError(term.place, InputError(name_of(value) + ": " + e.what()));
  }
}

void check_path(const Placed<std::string>& path) {
  const std::string& text = path.value;
  const bool good = !text.empty() && text.front() != '.' && text.back() != '.' &&
                    text.find("..") == std::string::npos && std::all_of(text.begin(), text.end(), [](char c) {
                      return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
                    });
  if (!good) {
    throw PlacedError(path.place, "not a path into the result", quoted_for_message(text),
                      "such as steps.0.algbw_Bps, or a quotient of two: time_s / bound_s");
  }
}

ResultPath result_path_of(const YamlValue& value) {
  std::vector<Placed<std::string>> paths = terms_of(value, '/');
  if (paths.size() > 2)
    throw PlacedError(paths[2].place, "a quotient of more than two", paths[2].value, "PATH / PATH");
  for (const auto& path : paths) check_path(path);
  ResultPath result{paths[0], {}};
  if (paths.size() == 2) result.divisor = std::move(paths[1]);
  return result;
}

// Text that must be a quantity, though it may be a wrong one.
bool looks_numeric(const std::string& text) {
  constexpr std::array<std::string_view, 4> kNotNumbers{"nan", "inf", "infinity", "-inf"};
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  if (std::find(kNotNumbers.begin(), kNotNumbers.end(), lower) != kNotNumbers.end()) return true;
  return is_digit(text[0]) || text[0] == '-' || text[0] == '.' || text[0] == '+';
}

ExpectedValue expected_value_of(const MapReader& reader) {
  const YamlValue& is = reader.require("is");
  ExpectedValue expected{result_path_of(reader.require("value")), is.place, {}, text_of(is)};
  if (!is.quoted && looks_numeric(is.text)) expected.is = quantity_sum(is).value;
  return expected;
}

Expectation expectation_of(const YamlValue& value, std::size_t program_steps) {
  const MapReader reader(value, "an expectation", {"step", "time", "value", "is", "measured", "within", "source"});
  Expectation e;
  e.place = value.place;
  reader.exclude("time", "value");
  if (const YamlValue* v = reader.find("step")) e.step = {static_cast<int>(count_of(*v, 1, program_steps)), v->place};
  if (const YamlValue* v = reader.find("time")) e.time = time_sum(*v);
  if (reader.find("value") != nullptr || reader.find("is") != nullptr) e.value = expected_value_of(reader);
  if (const YamlValue* v = reader.find("measured")) e.measured = quantity_sum(*v);
  if (const YamlValue* v = reader.find("within")) {
    e.within = parsed(*v, [](std::string_view text) { return parse_ratio(text, Zero::allowed); }).value;
  }
  if (const YamlValue* v = reader.find("source")) e.source = text_of(*v);
  if (!e.time && !e.value && !e.measured) {
    throw PlacedError(value.place, "an expectation expects nothing", "",
                      "time: ..., value: ... with is: ..., measured: ...");
  }
  if (e.measured && !e.value && e.measured->value.kind != QuantityKind::time) {
    throw PlacedError(e.measured->place, "measured must be a time, unless there is a value beside it",
                      name_of(e.measured->value.kind), "such as 680 us");
  }
  return e;
}

}  // namespace

Placed<Time> time_sum(const YamlValue& value) {
  Time sum;
  for (const auto& term : terms_of(value, '+')) {
    const Time time = placed_term(value, term, [](const std::string& text) { return parse_time(text); });
    if (time > Time::max() - sum) throw PlacedError(term.place, "a time is too large", term.value, "106 days in all");
    sum += time;
  }
  return {sum, value.place};
}

Placed<Quantity> quantity_sum(const YamlValue& value) {
  std::optional<Quantity> sum;
  for (const auto& term : terms_of(value, '+')) {
    const Quantity q = placed_term(value, term, [](const std::string& text) { return parse_quantity(text); });
    if (sum && sum->kind != q.kind) {
      throw PlacedError(term.place, std::string(name_of(q.kind)) + " added to " + name_of(sum->kind), term.value,
                        "quantities of one kind");
    }
    sum = Quantity{q.kind, q.value + (sum ? sum->value : 0)};
  }
  return {*sum, value.place};
}

std::vector<Expectation> load_expectations(const YamlValue& value, std::size_t program_steps) {
  expect_list(value, "a list such as [{step: 1, time: 5 us}]");
  std::vector<Expectation> expectations;
  for (const YamlValue& item : value.items) expectations.push_back(expectation_of(item, program_steps));
  return expectations;
}

}  // namespace hopsim
