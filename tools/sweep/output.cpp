#include "tools/sweep/output.hpp"

#include <filesystem>
#include <ostream>
#include <utility>

#include "sim/error.hpp"
#include "tools/csv.hpp"

namespace hopsim {
namespace {

// An object as indented text, without its braces and the line ends beside them.
std::string members(const nlohmann::ordered_json& object) {
  const std::string text = object.dump(2);
  return text.substr(2, text.size() - 4);
}

}  // namespace

bool becomes_file(const std::string& path) {
  std::error_code none;
  const auto status = std::filesystem::status(path, none);
  return !path.empty() && path != "-" &&
         (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status));
}

std::string SweepOutput::point_text(const Json& point) {
  const std::string text = point.dump(2);
  std::string indented = "    ";
  indented.reserve(text.size() * 3 / 2);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (begin > 0) indented += "\n    ";
    indented.append(text, begin, end - begin);
    begin = end + 1;
  }
  return indented;
}

SweepOutput::Target::Target(std::string to, std::ostream& out) : path(std::move(to)) {
  if (path == "-") {
    standard_output = &out;
  } else if (!path.empty()) {
    file.emplace(path);
    if (becomes_file(path)) file.reset();
  }
}

void SweepOutput::Target::open() {
  if (!path.empty() && standard_output == nullptr && !file) file.emplace(path);
}

void SweepOutput::Target::write(std::string_view text) {
  if (file) file->write(text);
  if (standard_output != nullptr) *standard_output << text;
}

SweepOutput::SweepOutput(const std::string& json, const std::string& csv, std::ostream& out)
    : json_(json, out), csv_(csv, out) {
  if (!json.empty() && json == csv) throw InputError("--json and --csv write to the same place", json, "two places");
}

void SweepOutput::write_json(const Content& c, const std::function<void()>& meanwhile) {
  json_.write("{\n" + members(c.head) + ",\n  \"points\": [");
  for (std::size_t i = 0; i < c.points; ++i) {
    json_.write((i > 0 ? ",\n" : "\n") + c.text(i));
    meanwhile();
  }
  json_.write("\n  ],\n" + members(c.tail) + "\n}\n");
}

void SweepOutput::write_csv(const Content& c, const std::function<void()>& meanwhile) {
  for (std::size_t i = 0; i < c.points; ++i) {
    const std::string text = csv(Json::array({c.row(i)}));
    csv_.write(i == 0 ? text : text.substr(text.find('\n') + 1));
    meanwhile();
  }
}

void SweepOutput::write(const Content& content, const std::function<void()>& meanwhile) {
  for (Target* target : {&json_, &csv_}) target->open();
  if (json_) write_json(content, meanwhile);
  if (csv_) write_csv(content, meanwhile);
  for (Target* target : {&json_, &csv_})
    if (target->file) target->file->finish();
}

}  // namespace hopsim
