// What `hopsim show` tells about chips and machines.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "topologies/catalogue.hpp"

namespace hopsim {

// As JSON, and as text made of that.
nlohmann::ordered_json chip_json(const ChipModel&);
std::string chip_text(const nlohmann::ordered_json&);

// Of a machine spec, after --set. Rates of links are told as the datasheet has them and as simulated, efficiency
// taken off. Throws what the scenarios room throws.
nlohmann::ordered_json machine_facts_json(const std::string& spec, const std::vector<std::string>& sets);
std::string machine_facts_text(const nlohmann::ordered_json&);

// Its links as they are simulated.
enum class GraphFormat { dot, graphml };
std::string machine_graph(const std::string& spec, const std::vector<std::string>& sets, GraphFormat);

}  // namespace hopsim
