// Reads a file of the catalogue.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "sim/error.hpp"
#include "topologies/catalogue_fields.hpp"

namespace hopsim {
namespace {

class ChipReader {
 public:
  explicit ChipReader(std::string_view file) : file_(file) {}

  ChipModel read(const std::string& text) {
    const YAML::Node root = load(text);
    check_map(root, "the file");
    const std::string kind = header(root, "kind");
    at(root["kind"], [&] { chip_ = chip_of_kind(kind); });
    chip_.name = header(root, "name");
    chip_.description = header(root, "description");
    chip_.vendor = header(root, "vendor");
    const std::vector<CatalogueField> fields = fields_of(chip_);
    for (const auto& entry : root) read_entry(entry.first, entry.second, fields);
    for (const CatalogueField& field : fields) {
      if (field.required && !root[std::string(field.key)]) fail(root, "missing key", {}, std::string(field.key));
    }
    if (chip_.peak_flops.empty()) fail(root, "missing key", {}, "peak_flops");
    return std::move(chip_);
  }

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& problem, const std::string& got = {},
                         const std::string& valid = {}) const {
    throw InputError(fmt::format("{}:{}:{}: {}", file_, mark.line + 1, mark.column + 1, problem), got, valid);
  }
  [[noreturn]] void fail(const YAML::Node& node, const std::string& problem, const std::string& got = {},
                         const std::string& valid = {}) const {
    fail(node.Mark(), problem, got, valid);
  }

  // Runs what knows nothing of files, and adds the place to its complaint.
  template <class Action>
  void at(const YAML::Node& node, Action action) const {
    try {
      action();
    } catch (const InputError& error) {
      fail(node, error.what());
    }
  }

  YAML::Node load(const std::string& text) const {
    try {
      return YAML::Load(text);
    } catch (const YAML::ParserException& error) {
      fail(error.mark, error.msg);
    }
  }

  void check_map(const YAML::Node& node, const std::string& what) const {
    if (!node.IsMap()) fail(node, what + " is no map of keys to values");
    std::set<std::string> seen;
    for (const auto& entry : node) {
      if (!seen.insert(entry.first.Scalar()).second) fail(entry.first, "key given twice", entry.first.Scalar());
    }
  }

  std::string scalar(const YAML::Node& parent, const char* key) const {
    const YAML::Node node = parent[key];
    if (!node) fail(parent, "missing key", {}, key);
    if (!node.IsScalar() || node.Scalar().empty()) fail(node, std::string(key) + " is no text");
    return node.Scalar();
  }

  static bool is_header(const std::string& key) {
    return key == "name" || key == "description" || key == "vendor" || key == "kind";
  }
  std::string header(const YAML::Node& root, const char* key) const { return scalar(root, key); }

  void read_entry(const YAML::Node& key_node, const YAML::Node& node, const std::vector<CatalogueField>& fields) {
    const std::string& key = key_node.Scalar();
    if (is_header(key)) return;
    if (key == "peak_flops") return read_peaks(node);
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&](const CatalogueField& f) { return f.key == key; });
    if (field == fields.end()) {
      std::vector<std::string_view> valid{"peak_flops"};
      for (const CatalogueField& f : fields) valid.push_back(f.key);
      fail(key_node, "unknown key", key, fmt::format("{}", fmt::join(valid, ", ")));
    }
    read_number(key, node, [&](const std::string& text, const std::string& source) {
      field->set(chip_, text, source);
      note_number(chip_, key, text, source);
    });
  }

  void read_peaks(const YAML::Node& node) {
    check_map(node, "peak_flops");
    for (const auto& entry : node) {
      const std::string dtype = entry.first.Scalar();
      read_number(dtype, entry.second, [&](const std::string& text, const std::string& source) {
        set_number(chip_, "peak_flops." + dtype, text, source);
      });
    }
  }

  template <class Set>
  void read_number(const std::string& key, const YAML::Node& node, Set set) const {
    check_map(node, key);
    const std::string text = scalar(node, "value"), source = scalar(node, "source");
    for (const auto& entry : node) {
      const std::string name = entry.first.Scalar();
      if (name != "value" && name != "source") fail(entry.first, "unknown key", name, "value, source");
    }
    at(node["value"], [&] { set(text, source); });
  }

  std::string file_;
  ChipModel chip_;
};

}  // namespace

ChipModel parse_chip(std::string_view file, const std::string& text) { return ChipReader(file).read(text); }

}  // namespace hopsim
