// Results of --json, read back for `hopsim compare`.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hopsim {

enum class ResultKind { run, collective, sweep, explain };
const char* name_of(ResultKind);  // of the command: "run"

// A value of a result that knows where it stands. What is missing or of another type is an InputError:
// "FILE: steps.3.time_s is missing". It is valid as long as its file is.
class ResultValue {
 public:
  using Json = nlohmann::ordered_json;

  ResultValue(const Json& json, std::string path, const std::string& file)
      : json_(&json), path_(std::move(path)), file_(&file) {}

  bool has(std::string_view key) const;  // and it is not null
  ResultValue at(std::string_view key) const;
  double number(std::string_view key) const;                    // of a time, a size or a rate: from 0 up
  int count(std::string_view key) const;                        // a whole number from 0 up
  std::optional<double> number_if(std::string_view key) const;  // none where it is null or not there
  std::string text(std::string_view key) const;
  std::string text_if(std::string_view key) const;  // empty where it is null or not there
  bool flag(std::string_view key) const;            // false where it is not there
  std::vector<ResultValue> list(std::string_view key) const;
  std::vector<ResultValue> items() const;  // of an array

  const Json& json() const { return *json_; }
  const std::string& file() const { return *file_; }

  // What `number` does, for a number that was found in another way.
  void check_sign(std::string_view key, double value) const;

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& got, const char* valid) const;
  std::string path_of(std::string_view key) const;
  void require_object() const;

  const Json* json_;
  std::string path_;
  const std::string* file_;
};

struct ResultFile {
  std::string file;  // as messages name it
  nlohmann::ordered_json json;
  ResultKind kind = ResultKind::run;

  ResultValue root() const { return {json, "", file}; }
};

// "-": standard input. Throws InputError for what cannot be read, is not JSON (with its place), is no result of
// hopsim's, or one of a schema that this version does not know.
ResultFile read_result(const std::string& path, std::istream& standard_input);

// Has it no control characters, neither in texts nor in names of keys nor in its own name?
bool plain(const ResultFile&);
// With these escaped, as JSON has them: "\u001b".
ResultFile shown(const ResultFile&);

}  // namespace hopsim
