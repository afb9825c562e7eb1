// The keys of a catalogue file: which there are for a kind of fabric, and how each is read. Internal to the
// catalogue.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topologies/catalogue.hpp"

namespace hopsim {

struct CatalogueField {
  std::string_view key;
  bool required = false;
  bool overridable = false;  // whether a scenario's `overrides` take it
  void (*set)(ChipModel&, std::string_view text, const std::string& source) = nullptr;
};

// Of a chip with this kind of fabric, but for `peak_flops`.
std::vector<CatalogueField> fields_of(const ChipModel&);

// A chip without numbers. Throws InputError for an unknown kind.
ChipModel chip_of_kind(std::string_view kind);

// Keeps the text for whoever shows the catalogue.
void note_number(ChipModel&, std::string_view key, std::string_view text, const std::string& source);

}  // namespace hopsim
