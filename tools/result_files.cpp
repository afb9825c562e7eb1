#include "tools/result_files.hpp"

#include <ostream>

#include "sim/error.hpp"
#include "tools/csv.hpp"

namespace hopsim {

void ResultFiles::Target::open(const std::string& path) {
  standard_output = path == "-";
  if (!path.empty() && !standard_output) file.emplace(path);
}

ResultFiles::ResultFiles(const std::string& json, const std::string& csv) {
  if (!json.empty() && json == csv) throw InputError("--json and --csv write to the same place", json, "two places");
  json_.open(json);
  csv_.open(csv);
}

void ResultFiles::write(const nlohmann::ordered_json& json, const nlohmann::ordered_json& rows, std::ostream& out) {
  const auto json_text = [&] { return json.dump(2) + '\n'; };
  if (json_.file) json_.file->write(json_text());
  if (csv_.file) csv_.file->write(csv(rows));
  for (Target* target : {&json_, &csv_})
    if (target->file) target->file->finish();
  // Last: a reader that went away (`| head`) ends the process here.
  if (json_.standard_output) out << json_text();
  if (csv_.standard_output) out << csv(rows);
}

}  // namespace hopsim
