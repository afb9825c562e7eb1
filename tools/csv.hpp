// Rows as CSV (RFC 4180, but for line ends, which are \n), for spreadsheets and data frames.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace hopsim {

// An array of flat objects: a line of their keys, those of all rows in the order they first come up, then a line a
// row. Numbers are the shortest text that reads back as the same number, as in JSON; null and what a row does not
// have are empty; the items of a list are joined by spaces.
std::string csv(const nlohmann::ordered_json& rows);

}  // namespace hopsim
