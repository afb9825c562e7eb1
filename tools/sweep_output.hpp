// --json and --csv of a sweep. JSON is written point by point, so that memory does not grow with the results; nothing
// is written before a point has run. "-" is standard output, and then nothing else goes there.
#pragma once

#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/output_file.hpp"

namespace hopsim {

class SweepOutput {
 public:
  using Json = nlohmann::ordered_json;

  // Empty paths: not asked for. Throws InputError for what cannot be written.
  SweepOutput(const std::string& json, const std::string& csv, std::ostream& out);

  bool own_standard_output() const { return json_.standard_output != nullptr || csv_.standard_output != nullptr; }

  void begin(const Json& head);                  // an object: the keys before "points"
  void add(const Json& point, bool ran = true);  // in order
  // The keys after "points"; the rows of the CSV, which have the same keys each. Both files appear.
  void end(const Json& tail, std::size_t rows, const std::function<Json(std::size_t)>& row);

 private:
  struct Target {
    std::optional<OutputFile> file;
    std::ostream* standard_output = nullptr;

    Target(const std::string& path, std::ostream& out);
    explicit operator bool() const { return file || standard_output != nullptr; }
    void write(std::string_view);
  };

  Target json_, csv_;
  std::string held_;  // until a point has run
  std::size_t added_ = 0;
  bool any_ran_ = false;
};

}  // namespace hopsim
