// A file of results (a trace, JSON, CSV) that appears whole or not at all: bytes go to a temporary beside it, which
// finish() renames; without finish() nothing is left behind, and an older file stays as it was. A name that ends in
// ".gz" is compressed as it is written, in a thread of its own (gzip_thread.hpp). Memory is constant.
//
// An existing target that is no regular file (a pipe, /dev/null) is written directly, and kept.
// Throws InputError, naming the path, where it cannot be created (constructor) or written (finish()). A full disk
// shows up in the middle of a run, where engines expect no exception from a recorder: it is kept for finish().
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace hopsim {

class GzipThread;

class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path&);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view);
  void finish();  // once; nothing may be written after it

 private:
  void open();
  void store(std::string_view);
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;       // as the user wrote it, for messages
  std::filesystem::path target_;     // symbolic links followed, so that they survive
  std::filesystem::path temporary_;  // empty: written directly, or done
  int descriptor_ = -1;
  int error_ = 0;  // errno of the first write that failed
  std::unique_ptr<GzipThread> gzip_;
};

}  // namespace hopsim
