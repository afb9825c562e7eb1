#include "scenarios/set.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace hopsim {
namespace {

struct Way {
  FilePlace place;   // of errors in the path
  std::string done;  // of the path, for messages
};

std::optional<std::size_t> index_in(const YamlValue& list, std::string_view key) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  const bool one_way_to_write_it = key == "0" || !key.starts_with('0');
  if (error != std::errc{} || end != key.data() + key.size() || index >= list.items.size() || !one_way_to_write_it)
    return std::nullopt;
  return index;
}

YamlValue& map_entry(YamlValue& map, std::string_view key, const FilePlace& place) {
  for (YamlValue& value : map.items) {
    if (value.key == key) return value;
  }
  YamlValue fresh;
  fresh.place = fresh.key_place = place;
  fresh.key = key;
  map.items.push_back(std::move(fresh));
  return map.items.back();
}

YamlValue& list_item(YamlValue& list, std::string_view key, const Way& way) {
  const auto index = index_in(list, key);
  if (!index) {
    throw PlacedError(
        way.place, way.done + " has no such item", quoted_for_message(std::string(key)),
        list.items.empty() ? "none: the list is empty" : "0 to " + std::to_string(list.items.size() - 1));
  }
  return list.items[*index];
}

YamlValue& child(YamlValue& node, std::string_view key, const Way& way) {
  if (key.empty())
    throw PlacedError(way.place, "an empty name in the path", "", "dotted keys, such as machine.slice");
  if (node.is_sequence()) return list_item(node, key, way);
  if (node.is_scalar()) {
    throw PlacedError(way.place, way.done + " is a value: nothing is below it", quoted_for_message(node.text));
  }
  node.kind = YamlValue::Kind::map;  // it may have been a key without a value
  return map_entry(node, key, way.place);
}

// Calls visit with each name of the path; false ends it.
template <class Visit>
void each_name(std::string_view path, Visit visit) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t dot = std::min(path.find('.', begin), path.size());
    if (!visit(path.substr(begin, dot - begin))) return;
    begin = dot + 1;
  }
}

}  // namespace

void set_value(Document& document, std::string_view path, YamlValue value, const FilePlace& key) {
  Way way{key, {}};
  YamlValue* node = &document.root;
  each_name(path, [&](std::string_view name) {
    node = &child(*node, name, way);
    way.done.append(way.done.empty() ? "" : ".").append(name);
    return true;
  });
  value.key = std::move(node->key);
  value.key_place = std::move(node->key_place);
  *node = std::move(value);
}

const YamlValue* value_at(const Document& document, std::string_view path) {
  const YamlValue* node = &document.root;
  each_name(path, [&](std::string_view name) {
    if (node->is_sequence()) {
      const auto index = index_in(*node, name);
      node = index ? &node->items[*index] : nullptr;
    } else {
      node = node->find(name);
    }
    return node != nullptr;
  });
  return node;
}

// --set KEY=VALUE: see document.hpp.
void apply_set(Document& document, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw InputError("--set needs KEY=VALUE", quoted_for_message(std::string(assignment)),
                     "such as machine.slice=8x4");
  }
  const std::string_view path = assignment.substr(0, equals);
  Document value = parse_document(assignment.substr(equals + 1), "--set " + std::string(path));
  set_value(document, path, std::move(value.root), {std::make_shared<const std::string>(value.name)});
}

}  // namespace hopsim
