#include "tools/sweep_output.hpp"

#include <ostream>

#include "sim/error.hpp"
#include "tools/csv.hpp"

namespace hopsim {
namespace {

// An object as indented text, without its braces and the line ends beside them.
std::string members(const nlohmann::ordered_json& object) {
  const std::string text = object.dump(2);
  return text.substr(2, text.size() - 4);
}

std::string indented(const nlohmann::ordered_json& value) {
  std::string text = "    ";
  for (const char c : value.dump(2)) text += c == '\n' ? "\n    " : std::string(1, c);
  return text;
}

}  // namespace

SweepOutput::Target::Target(const std::string& path, std::ostream& out) {
  if (path == "-") {
    standard_output = &out;
  } else if (!path.empty()) {
    file.emplace(path);
  }
}

void SweepOutput::Target::write(std::string_view text) {
  if (file) file->write(text);
  if (standard_output != nullptr) *standard_output << text;
}

SweepOutput::SweepOutput(const std::string& json, const std::string& csv, std::ostream& out)
    : json_(json, out), csv_(csv, out) {
  if (!json.empty() && json == csv) throw InputError("--json and --csv write to the same place", json, "two places");
}

void SweepOutput::begin(const Json& head) {
  if (json_) held_ = "{\n" + members(head) + ",\n  \"points\": [";
}

void SweepOutput::add(const Json& point, bool ran) {
  any_ran_ = any_ran_ || ran;
  if (!json_) return;
  held_ += (added_++ ? ",\n" : "\n") + indented(point);
  if (!any_ran_) return;
  json_.write(held_);
  held_.clear();
}

void SweepOutput::end(const Json& tail, std::size_t rows, const std::function<Json(std::size_t)>& row) {
  if (json_) json_.write(held_ + "\n  ],\n" + members(tail) + "\n}\n");
  for (std::size_t i = 0; csv_ && i < rows; ++i) {
    const std::string text = csv(Json::array({row(i)}));
    csv_.write(i == 0 ? text : text.substr(text.find('\n') + 1));
  }
  for (Target* target : {&json_, &csv_})
    if (target->file) target->file->finish();
}

}  // namespace hopsim
