// The Collective of a report (tools/report/README.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/collective_rows.hpp"

namespace hopsim {

// Whether a report shows how the data of a row moved: of the last of each operation where `each`, else of the last.
bool is_drawn(const CollectiveRows&, std::size_t row, bool each);

// "AllReduce over X on tpu_v5e 4x4"; of several operations "3 operations on tpu_v5e 4x4".
std::string collective_title(const CollectiveRows&);

// `result` is as of --json; `drawn` what the RunReports of the drawn rows gave, in order.
nlohmann::ordered_json collective_data(const CollectiveRows&, nlohmann::ordered_json result,
                                       const std::vector<nlohmann::ordered_json>& drawn);

}  // namespace hopsim
