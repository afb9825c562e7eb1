#include "tools/sweep/identity.hpp"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "scenarios/machine_fabric.hpp"

namespace hopsim {
namespace {

void add_text(std::string& to, const std::string& text) { to += std::to_string(text.size()) + ':' + text; }

void add_place(std::string& to, const FilePlace& place) {
  if (place.file) add_text(to, std::filesystem::path(*place.file).filename().string());
  to += '@' + std::to_string(place.line) + ',' + std::to_string(place.column);
}

bool names_graphs(const YamlValue& value) { return value.key == "graphml" || value.key.ends_with(".graphml"); }

// What is in a file that the scenario names. One that cannot be read is the machine's to tell.
void add_graph(std::string& to, const YamlValue& name) {
  std::ifstream file(graphml_path(name.place, name.text), std::ios::binary);
  add_text(to, {std::istreambuf_iterator<char>(file), {}});
}

void add_graphs(std::string& to, const YamlValue& names) {
  if (names.is_scalar()) return add_graph(to, names);
  for (const YamlValue& item : names.items) add_graphs(to, item);
}

void add_value(std::string& to, const YamlValue& value) {
  to += std::to_string(static_cast<int>(value.kind)) + (value.quoted ? 'q' : ' ');
  add_text(to, value.key);
  add_place(to, value.key_place);
  add_text(to, value.text);
  add_place(to, value.place);
  if (names_graphs(value)) add_graphs(to, value);
  to += '[';
  for (const YamlValue& item : value.items) add_value(to, item);
  to += ']';
}

}  // namespace

std::string digest(const Document& document) {
  std::string said;
  add_value(said, document.root);
  return boost::uuids::to_string(boost::uuids::name_generator_sha1(boost::uuids::ns::oid())(said));
}

}  // namespace hopsim
