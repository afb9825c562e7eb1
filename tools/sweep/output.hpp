// --json and --csv of a sweep, put together from its points when all have run. Files appear whole or not at all; "-"
// is standard output, and then nothing else goes there. Memory does not grow with the results.
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

  struct Content {
    Json head, tail;  // objects: of the JSON, the keys before and after "points"
    std::size_t points = 0;
    std::function<std::string(std::size_t)> text;  // point_text of a point; where JSON is asked for
    std::function<Json(std::size_t)> row;          // of the CSV; all have the same keys
  };

  // A point as it stands in the JSON.
  static std::string point_text(const Json&);

  // Empty paths: not asked for. Throws InputError for what cannot be written.
  SweepOutput(const std::string& json, const std::string& csv, std::ostream& out);

  bool own_standard_output() const { return json_.standard_output != nullptr || csv_.standard_output != nullptr; }
  // Once. `meanwhile`: every now and then.
  void write(const Content&, const std::function<void()>& meanwhile);

 private:
  struct Target {
    std::string path;
    std::optional<OutputFile> file;  // a device or a pipe from the start, else only while it is written
    std::ostream* standard_output = nullptr;

    Target(std::string path, std::ostream& out);
    explicit operator bool() const { return !path.empty(); }
    void open();
    void write(std::string_view);
  };

  void write_json(const Content&, const std::function<void()>& meanwhile);
  void write_csv(const Content&, const std::function<void()>& meanwhile);

  Target json_, csv_;
};

// Whether what is written there appears as a file of that name, and not elsewhere or at once: "-", pipes, devices.
bool becomes_file(const std::string& path);

}  // namespace hopsim
