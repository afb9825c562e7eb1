#include "scenarios/sweep_json.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/error.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Quantity> quantity_of(const YamlValue& value) {
  if (!value.is_scalar() || value.quoted) return std::nullopt;
  try {
    return parse_quantity(value.text);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool all_of_a_kind(const std::vector<YamlValue>& values) {
  const auto first = quantity_of(values.front());
  return first && std::all_of(values.begin(), values.end(), [&](const YamlValue& v) {
           const auto q = quantity_of(v);
           return q && q->kind == first->kind;
         });
}

Json number(double value) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (std::abs(value) < kExact && value == std::floor(value)) return static_cast<std::int64_t>(value);
  return value;
}

// What stands inside a map or a list, whose neighbours are of other kinds.
Json tree(const YamlValue& value) {
  if (value.is_map()) {
    Json map = Json::object();
    for (const YamlValue& item : value.items) map[item.key] = tree(item);
    return map;
  }
  if (value.is_sequence()) {
    Json list = Json::array();
    for (const YamlValue& item : value.items) list.push_back(tree(item));
    return list;
  }
  if (value.is_null()) return nullptr;
  if (!value.quoted && (value.text == "true" || value.text == "false")) return value.text == "true";
  const auto q = quantity_of(value);
  const bool plain = q && value.text.find_first_not_of("0123456789.+-eE") == std::string::npos;
  return plain ? number(q->value) : Json(value.text);
}

bool is_truth(const YamlValue& v) { return !v.quoted && (v.text == "true" || v.text == "false"); }

}  // namespace

SweepJson::SweepJson(const Sweep& sweep) : sweep_(sweep), keys_(sweep.keys()) {
  for (const SweepKey* key : keys_) numbers_.push_back(all_of_a_kind(key->values));
}

Json SweepJson::value(std::size_t key, const YamlValue& v) const {
  if (!v.is_scalar() || is_truth(v)) return tree(v);
  return numbers_[key] ? number(quantity_of(v)->value) : Json(v.text);
}

Json SweepJson::axes() const {
  Json axes = Json::object();
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    Json& values = axes[keys_[k]->path] = Json::array();
    for (const YamlValue& v : keys_[k]->values) values.push_back(value(k, v));
  }
  return axes;
}

Json SweepJson::zip() const {
  Json zip = Json::array();
  for (const SweepAxis& axis : sweep_.spec().axes) {
    if (axis.keys.size() == 1) continue;
    Json group = Json::array();
    for (const SweepKey& key : axis.keys) group.push_back(key.path);
    zip.push_back(group);
  }
  return zip;
}

Json SweepJson::parameters(std::size_t point) const {
  Json parameters = Json::object();
  for (std::size_t k = 0; k < keys_.size(); ++k) parameters[keys_[k]->path] = value(k, sweep_.value(point, k));
  return parameters;
}

}  // namespace hopsim
