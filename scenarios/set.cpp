// --set KEY=VALUE: see document.hpp.
#include <charconv>
#include <utility>

#include "scenarios/document.hpp"

namespace hopsim {
namespace {

struct Assignment {
  FilePlace flag;  // of errors in the key
  YamlValue value;
  std::string done;  // of the path, for messages
};

YamlValue& map_entry(YamlValue& map, const std::string& key, const FilePlace& flag) {
  for (YamlValue& value : map.items) {
    if (value.key == key) return value;
  }
  YamlValue fresh;
  fresh.place = fresh.key_place = flag;
  fresh.key = key;
  map.items.push_back(std::move(fresh));
  return map.items.back();
}

YamlValue& list_item(YamlValue& list, const std::string& key, const Assignment& a) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  if (error != std::errc{} || end != key.data() + key.size() || index >= list.items.size()) {
    throw PlacedError(
        a.flag, a.done + " has no such item", quoted_for_message(key),
        list.items.empty() ? "none: the list is empty" : "0 to " + std::to_string(list.items.size() - 1));
  }
  return list.items[index];
}

YamlValue& child(YamlValue& node, const std::string& key, const Assignment& a) {
  if (key.empty()) throw PlacedError(a.flag, "an empty name in the path", "", "dotted keys, such as machine.slice");
  if (node.is_sequence()) return list_item(node, key, a);
  if (node.is_scalar()) {
    throw PlacedError(a.flag, a.done + " is a value: nothing is below it", quoted_for_message(node.text));
  }
  node.kind = YamlValue::Kind::map;  // it may have been a key without a value
  return map_entry(node, key, a.flag);
}

}  // namespace

void apply_set(Document& document, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw InputError("--set needs KEY=VALUE", quoted_for_message(std::string(assignment)),
                     "such as machine.slice=8x4");
  }
  const std::string path(assignment.substr(0, equals));
  Document value = parse_document(assignment.substr(equals + 1), "--set " + path);
  Assignment a{{std::make_shared<const std::string>(value.name)}, std::move(value.root), {}};

  YamlValue* node = &document.root;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t dot = std::min(path.find('.', begin), path.size());
    const std::string key = path.substr(begin, dot - begin);
    node = &child(*node, key, a);
    a.done += (a.done.empty() ? "" : ".") + key;
    begin = dot + 1;
  }
  a.value.key = std::move(node->key);
  a.value.key_place = std::move(node->key_place);
  *node = std::move(a.value);
}

}  // namespace hopsim
