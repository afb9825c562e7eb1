// --json and --csv: opened before anything runs, so that a path that cannot be written is told first; written when
// all is done, all of them or none. "-" is standard output, and then nothing else goes there.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/output_file.hpp"

namespace hopsim {

class ResultFiles {
 public:
  // Empty: not asked for. Throws InputError.
  explicit ResultFiles(const std::string& json, const std::string& csv = {});

  bool own_standard_output() const { return json_.standard_output || csv_.standard_output; }

  // Once. `rows` is what CSV has a line each of.
  void write(const nlohmann::ordered_json& json, const nlohmann::ordered_json& rows, std::ostream& out);

 private:
  struct Target {
    std::optional<OutputFile> file;
    bool standard_output = false;

    void open(const std::string& path);
  };

  Target json_, csv_;
};

}  // namespace hopsim
