// Where a sweep's finished points go as they come, in any order, so that it can go on where it was stopped: a file
// beside its output, FILE.partial, of a line that says which sweep it is of, and sweep_record's records. Whatever
// ends the process, records that were added are there; one that was being written is dropped by whoever opens the
// file next. It is locked (flock(2)) while it is open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sweep/record.hpp"

namespace hopsim {

class SweepJournal {
 public:
  // What must be the same for points to be of one sweep: texts by what they say ("the scenario", "the flags", ...).
  using Identity = nlohmann::ordered_json;
  static constexpr const char* kDigest = "the scenario, or what --machine, --ideal or --set make of it,";
  static std::filesystem::path beside(const std::filesystem::path& output);

  // The file. `resume`: points that are in it stay, where it is of the same sweep. Throws InputError: it cannot be
  // written, is locked, is of another sweep or no journal at all, or would be lost for lack of `resume`.
  SweepJournal(std::filesystem::path, const Identity&, std::size_t points, bool resume);
  explicit SweepJournal(std::size_t points);  // a temporary file that nobody goes on with
  ~SweepJournal();                            // the file stays if there is a point in it
  SweepJournal(const SweepJournal&) = delete;
  SweepJournal& operator=(const SweepJournal&) = delete;

  const std::filesystem::path& path() const { return path_; }  // empty: temporary
  std::size_t finished() const { return finished_; }
  std::uint64_t dropped() const { return dropped_; }  // bytes behind the last whole point it held
  bool has(std::size_t point) const { return places_[point].size > 0; }
  void each(const std::function<void(FinishedPoint)>&) const;  // in the order of the file, without their texts

  // Throws InputError, which says where what was finished before is; it is safe.
  void add(std::string_view record, const DecodedPoint&);
  std::string text(std::size_t point) const;  // of the point in --json
  void remove();

 private:
  struct Place {
    std::uint64_t at = 0, size = 0;  // of the text; 0: not there. A text that nobody asked for counts as one byte
  };

  void open();
  void begin(const Identity&, std::size_t points);
  void go_on(const Identity&, bool resume);
  // Calls with each whole record and where its text is; returns where they end.
  std::uint64_t scan(const std::function<void(const DecodedPoint&, std::uint64_t text_at)>&) const;
  void place(const DecodedPoint&, std::uint64_t text_at);
  [[noreturn]] void fail(int error) const;
  std::string name() const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::vector<Place> places_;  // by point
  std::uint64_t head_ = 0, end_ = 0, dropped_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace hopsim
