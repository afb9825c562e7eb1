#include "tools/sweep/identity.hpp"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <filesystem>

namespace hopsim {
namespace {

void add_text(std::string& to, const std::string& text) { to += std::to_string(text.size()) + ':' + text; }

void add_place(std::string& to, const FilePlace& place) {
  if (place.file) add_text(to, std::filesystem::path(*place.file).filename().string());
  to += '@' + std::to_string(place.line) + ',' + std::to_string(place.column);
}

void add_value(std::string& to, const YamlValue& value) {
  to += std::to_string(static_cast<int>(value.kind)) + (value.quoted ? 'q' : ' ');
  add_text(to, value.key);
  add_place(to, value.key_place);
  add_text(to, value.text);
  add_place(to, value.place);
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
