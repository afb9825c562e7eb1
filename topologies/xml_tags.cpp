#include "topologies/xml_tags.hpp"

#include <algorithm>

namespace hopsim {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// The offset behind whatever begins with `open` and ends with `close` at `at`; 0 if nothing does.
std::size_t skip(std::string_view text, std::size_t at, std::string_view open, std::string_view close) {
  if (text.substr(at, open.size()) != open) return 0;
  const std::size_t end = text.find(close, at + open.size());
  return end == text.npos ? text.size() : end + close.size();
}

bool is_tag(std::string_view text, std::size_t at, std::string_view name) {
  if (text.substr(at + 1, name.size()) != name) return false;
  const std::size_t end = at + 1 + name.size();
  return end < text.size() && (kSpace.find(text[end]) != kSpace.npos || text[end] == '>' || text[end] == '/');
}

}  // namespace

XmlTags find_tags(std::string_view text) {
  XmlTags tags;
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    if (const std::size_t end = skip(text, at, "<!--", "-->")) {
      at = end;
      continue;
    }
    if (const std::size_t end = skip(text, at, "<![CDATA[", "]]>")) {
      at = end;
      continue;
    }
    if (is_tag(text, at, "node")) tags.nodes.push_back(at);
    if (is_tag(text, at, "edge")) tags.edges.push_back(at);
    if (is_tag(text, at, "graph")) tags.undirected = attribute(text, at, "edgedefault") == "undirected";
    ++at;
  }
  return tags;
}

std::string attribute(std::string_view text, std::size_t tag, std::string_view name) {
  const std::string_view inside = text.substr(tag, text.find('>', tag) - tag);
  for (std::size_t at = inside.find(name); at != inside.npos; at = inside.find(name, at + 1)) {
    const std::size_t equals = inside.find_first_not_of(kSpace, at + name.size());
    if (at == 0 || kSpace.find(inside[at - 1]) == kSpace.npos || equals == inside.npos || inside[equals] != '=')
      continue;
    const std::size_t quote = inside.find_first_not_of(kSpace, equals + 1);
    if (quote == inside.npos || (inside[quote] != '"' && inside[quote] != '\'')) return {};
    return std::string(inside.substr(quote + 1, inside.find(inside[quote], quote + 1) - quote - 1));
  }
  return {};
}

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  // Characters, not bytes: those that continue one of several bytes do not count.
  const auto column = std::count_if(before.begin() + static_cast<long>(line_start), before.end(),
                                    [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return std::to_string(std::count(before.begin(), before.end(), '\n') + 1) + ":" + std::to_string(column + 1);
}

}  // namespace hopsim
