#include "tools/measured_times.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>

#include "scenarios/fields.hpp"
#include "scenarios/place.hpp"
#include "scenarios/program.hpp"
#include "sim/units.hpp"

namespace hopsim {
namespace {

constexpr std::string_view kSpaces = " \t\r";

struct Field {
  std::string text;
  FilePlace place;
};

std::vector<Field> split(const std::string& line, const std::shared_ptr<const std::string>& file, int number) {
  std::vector<Field> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    const std::size_t first = std::min(line.find_first_not_of(kSpaces, begin), end);
    std::string text = line.substr(first, end - first);
    text.erase(text.find_last_not_of(kSpaces) + 1);
    fields.push_back({std::move(text), {file, number, 1 + static_cast<int>(first)}});
    begin = end + 1;
  }
  return fields;
}

template <class Parse>
auto parsed_field(const Field& field, Parse parse) {
  try {
    return parse(std::string_view(field.text));
  } catch (const InputError& e) {
    throw PlacedError(field.place, e);
  }
}

}  // namespace

class MeasuredReader {
 public:
  explicit MeasuredReader(const std::string& name) : file_(std::make_shared<const std::string>(name)) {}

  MeasuredTimes read(const std::string& text) {
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const std::size_t first = line.find_first_not_of(kSpaces);
      if (first == std::string::npos || line[first] == '#') continue;
      const std::vector<Field> fields = split(line, file_, number);
      if (columns_.empty()) {
        read_header(fields);
      } else {
        read_row(fields);
      }
    }
    if (times_.times_.empty()) throw PlacedError({file_, number + 1, 1}, "no measured times in the file", "", kValid);
    return std::move(times_);
  }

 private:
  static constexpr const char* kValid = "a header such as bytes,time_us, and a line a size below it";

  void read_header(const std::vector<Field>& fields) {
    const Names known{"bytes", "time", "time_s", "time_ms", "time_us", "time_ns", "op"};
    for (const Field& f : fields) {
      if (std::find(known.begin(), known.end(), f.text) == known.end()) refuse_name(f.place, "column", f.text, known);
      const bool time = f.text.starts_with("time");
      if (time && f.text.size() > 5) unit_ = f.text.substr(5);
      columns_.push_back(time ? "time" : f.text);
      if (std::count(columns_.begin(), columns_.end(), columns_.back()) > 1)
        throw PlacedError(f.place, "a column given twice", f.text);
    }
    for (const char* needed : {"bytes", "time"})
      if (std::find(columns_.begin(), columns_.end(), needed) == columns_.end())
        throw PlacedError(fields.front().place, std::string("no column ") + needed, "", kValid);
  }

  void read_row(const std::vector<Field>& fields) {
    if (fields.size() != columns_.size())
      throw PlacedError(fields.front().place, "a line of " + std::to_string(fields.size()) + " fields", "",
                        std::to_string(columns_.size()) + ", as in the header");
    MeasuredTimes::Key key;
    Time time;
    for (std::size_t c = 0; c < fields.size(); ++c) {
      const Field& f = fields[c];
      if (columns_[c] == "bytes")
        key.second = parsed_field(f, [](auto t) { return parse_bytes(t, Bare::allowed, Zero::allowed); });
      else if (columns_[c] == "time")
        time = parsed_field(f, [this](auto t) { return parse_time(std::string(t) + unit_, Zero::refused); });
      else
        key.first = operation(f);
    }
    if (!times_.times_.emplace(key, time).second) throw PlacedError(fields.front().place, "a size given twice");
  }

  static Operation operation(const Field& f) {
    if (const auto found = operation_named(f.text)) return *found;
    refuse_name(f.place, "operation", f.text, collective_operations());
  }

  std::shared_ptr<const std::string> file_;
  std::vector<std::string> columns_;  // by position; the time's without its unit
  std::string unit_;                  // of bare times
  MeasuredTimes times_;
};

MeasuredTimes MeasuredTimes::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw InputError("cannot read " + path);
  return parse(text.str(), path);
}

MeasuredTimes MeasuredTimes::parse(const std::string& text, const std::string& name) {
  return MeasuredReader(name).read(text);
}

std::optional<Time> MeasuredTimes::find(Operation operation, Bytes bytes) const {
  for (const Key& key : {Key{operation, bytes}, Key{std::nullopt, bytes}})
    if (const auto at = times_.find(key); at != times_.end()) return at->second;
  return std::nullopt;
}

std::vector<Bytes> MeasuredTimes::sizes() const {
  std::vector<Bytes> sizes;
  for (const auto& [key, time] : times_) sizes.push_back(key.second);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace hopsim
