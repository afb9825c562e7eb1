#include "tools/compare/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>
#include <limits>
#include <utility>

#include "scenarios/place.hpp"
#include "scenarios/source_text.hpp"
#include "sim/error.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kValid = "what --json of run, collective, sweep or explain writes";
constexpr std::array<std::pair<const char*, ResultKind>, 4> kSchemas{{{"hopsim.run/1", ResultKind::run},
                                                                      {"hopsim.collective/1", ResultKind::collective},
                                                                      {"hopsim.sweep/1", ResultKind::sweep},
                                                                      {"hopsim.explain/1", ResultKind::explain}}};

std::string read_all(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

std::string read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw InputError(path + ": a directory, not a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path + ": cannot be read (" + std::strerror(errno) + ")");
  std::string text = read_all(in);
  if (in.bad()) throw InputError(path + ": cannot be read (" + std::strerror(errno) + ")");
  return text;
}

// ":3:7", of a byte counted from 1.
std::string place_in(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : std::min(byte - 1, text.size()));
  const std::size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto lines = std::count(before.begin(), before.end(), '\n');
  return ":" + std::to_string(lines + 1) + ":" + std::to_string(characters(before.substr(line_begin)) + 1);
}

// What the library says, without its own idea of the place and without the text it had read: "invalid literal".
std::string reason(std::string what) {
  const std::size_t dash = what.find(" - ");
  what = dash == std::string::npos ? what.substr(what.find(']') + 2) : what.substr(dash + 3);
  const std::size_t read = what.find("; last read: ");
  if (read == std::string::npos) return what;
  const std::size_t expected = what.rfind("; expected ");
  return what.substr(0, read) + (expected == std::string::npos ? "" : what.substr(expected));
}

Json parse(const std::string& text, const std::string& file) {
  if (text.starts_with("\x1f\x8b"))
    throw InputError(file + ": compressed", "gzip", "gunzip -c FILE.json.gz | hopsim compare - OTHER.json");
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    throw InputError(file + place_in(text, e.byte) + ": not JSON (" + reason(e.what()) + ")", "", kValid);
  } catch (const Json::exception& e) {
    throw InputError(file + ": not JSON (" + reason(e.what()) + ")", "", kValid);
  }
}

// How many bytes a control character at `i` of UTF-8 text takes; 0: there is none. Those above 0x7f steer terminals
// too.
std::size_t control_at(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  if (byte(i) < 0x20 || byte(i) == 0x7f) return 1;
  return byte(i) == 0xc2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xa0 ? 2 : 0;
}

bool plain(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (control_at(text, i)) return false;
  return true;
}

std::string shown(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t control = control_at(text, i);
    if (control == 0) {
      out += text[i];
      continue;
    }
    i += control - 1;
    out += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[i]));
  }
  return out;
}

bool plain(const Json& json) {
  if (json.is_string()) return plain(std::string_view(json.get_ref<const std::string&>()));
  if (json.is_array()) return std::all_of(json.begin(), json.end(), [](const Json& item) { return plain(item); });
  if (!json.is_object()) return true;
  const auto items = json.items();
  return std::all_of(items.begin(), items.end(),
                     [](const auto& item) { return plain(std::string_view(item.key())) && plain(item.value()); });
}

Json shown(const Json& json) {
  if (json.is_string()) return shown(std::string_view(json.get_ref<const std::string&>()));
  Json out = json.is_array() ? Json::array() : Json::object();
  if (json.is_array())
    for (const Json& item : json) out.push_back(shown(item));
  else if (json.is_object())
    for (const auto& [key, value] : json.items()) out[shown(std::string_view(key))] = shown(value);
  else
    return json;
  return out;
}

ResultKind kind_of(const ResultValue& result) {
  const Json& json = result.json();
  if (!json.is_object()) throw InputError(result.file() + ": not a result of hopsim", json.type_name(), kValid);
  if (!json.contains("schema") || !json["schema"].is_string())
    throw InputError(result.file() + ": not a result of hopsim: no schema in it", "", kValid);
  const auto& schema = json["schema"].get_ref<const std::string&>();
  std::string known;
  for (const auto& [name, kind] : kSchemas) {
    if (schema == name) return kind;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw InputError(result.file() + ": a result of another kind or version", quoted_for_message(schema), known);
}

ResultKind kind_of_all(const ResultValue& root) {
  if (!root.json().is_array()) return kind_of(root);
  if (root.json().empty()) throw InputError(root.file() + ": no result in it", "[]", kValid);
  for (const ResultValue& item : root.items())
    if (kind_of(item) != ResultKind::run)
      throw InputError(root.file() + ": a list of results that are not of hopsim run",
                       item.json()["schema"].get<std::string>(), "hopsim.run/1");
  return ResultKind::run;
}

}  // namespace

const char* name_of(ResultKind kind) {
  constexpr std::array<const char*, 4> kNames{"run", "collective", "sweep", "explain"};
  return kNames[static_cast<std::size_t>(kind)];
}

ResultFile read_result(const std::string& path, std::istream& standard_input) {
  const bool standard = path == "-";
  const std::string text = standard ? read_all(standard_input) : read_file(path);
  ResultFile result{standard ? "<stdin>" : path, {}, {}};
  result.json = parse(text, result.file);
  result.kind = kind_of_all(result.root());
  return result;
}

bool plain(const ResultFile& result) { return plain(std::string_view(result.file)) && plain(result.json); }

ResultFile shown(const ResultFile& result) {
  return {shown(std::string_view(result.file)), shown(result.json), result.kind};
}

void ResultValue::fail(const std::string& what, const std::string& got, const char* valid) const {
  throw InputError(*file_ + ": " + what, got, valid);
}

std::string ResultValue::path_of(std::string_view key) const {
  return path_ + (path_.empty() ? "" : ".") + std::string(key);
}

void ResultValue::require_object() const {
  if (!json_->is_object()) fail((path_.empty() ? "it" : path_) + " is no object", "", kValid);
}

bool ResultValue::has(std::string_view key) const {
  require_object();
  const auto found = json_->find(key);
  return found != json_->end() && !found->is_null();
}

ResultValue ResultValue::at(std::string_view key) const {
  require_object();
  const auto found = json_->find(key);
  if (found == json_->end()) fail(path_of(key) + " is missing", "", kValid);
  return {*found, path_of(key), *file_};
}

double ResultValue::number(std::string_view key) const {
  const ResultValue value = at(key);
  if (!value.json().is_number()) fail(path_of(key) + " is no number", "", kValid);
  const double number = value.json().get<double>();
  check_sign(key, number);
  return number;
}

int ResultValue::count(std::string_view key) const {
  const double value = number(key);
  if (value < 0 || value > std::numeric_limits<int>::max() || value != std::floor(value))
    fail(path_of(key) + " is no count", at(key).json().dump(), "a whole number from 0 up");
  return static_cast<int>(value);
}

void ResultValue::check_sign(std::string_view key, double value) const {
  const bool quantity = key.ends_with("_s") || key.ends_with("_Bps") || key.find("bytes") != std::string_view::npos;
  if (quantity && value < 0) fail(path_of(key) + " is below 0", fmt::format("{:g}", value), "a number from 0 up");
}

std::optional<double> ResultValue::number_if(std::string_view key) const {
  return has(key) ? std::optional(number(key)) : std::nullopt;
}

std::string ResultValue::text(std::string_view key) const {
  const ResultValue value = at(key);
  if (!value.json().is_string()) fail(path_of(key) + " is no text", "", kValid);
  return value.json().get<std::string>();
}

std::string ResultValue::text_if(std::string_view key) const { return has(key) ? text(key) : std::string(); }

bool ResultValue::flag(std::string_view key) const {
  if (!has(key)) return false;
  const ResultValue value = at(key);
  if (!value.json().is_boolean()) fail(path_of(key) + " is neither true nor false", "", kValid);
  return value.json().get<bool>();
}

std::vector<ResultValue> ResultValue::list(std::string_view key) const { return at(key).items(); }

std::vector<ResultValue> ResultValue::items() const {
  if (!json_->is_array()) fail((path_.empty() ? "it" : path_) + " is no list", "", kValid);
  std::vector<ResultValue> items;
  for (std::size_t i = 0; i < json_->size(); ++i) items.emplace_back((*json_)[i], path_of(std::to_string(i)), *file_);
  return items;
}

}  // namespace hopsim
