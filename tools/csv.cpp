#include "tools/csv.hpp"

#include <algorithm>
#include <vector>

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string q = "\"";
  for (const char c : text) q.append(c == '"' ? 2 : 1, c);
  return q + '"';
}

std::string plain(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json& item : value) list += (list.empty() ? "" : " ") + plain(item);
  return list;
}

std::vector<std::string> columns(const Json& rows) {
  std::vector<std::string> keys;
  for (const Json& row : rows)
    for (const auto& [key, value] : row.items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  return keys;
}

}  // namespace

std::string csv(const Json& rows) {
  const std::vector<std::string> keys = columns(rows);
  std::string text;
  const auto line = [&](auto field) {
    for (std::size_t k = 0; k < keys.size(); ++k) text += (k ? "," : "") + quoted(field(keys[k]));
    text += '\n';
  };
  line([](const std::string& key) { return key; });
  for (const Json& row : rows) line([&](const std::string& key) { return row.contains(key) ? plain(row[key]) : ""; });
  return text;
}

}  // namespace hopsim
