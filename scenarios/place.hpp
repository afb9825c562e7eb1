// Where something stands in a text a person wrote, and errors that say so.
#pragma once

#include <memory>
#include <string>

#include "sim/error.hpp"

namespace hopsim {

// Lines and columns count from 1, columns in characters. `file` is what messages call it: a path, "<stdin>", or a
// flag such as "--set dims.E".
struct FilePlace {
  std::shared_ptr<const std::string> file;
  int line = 1, column = 1;

  std::string str() const;  // "FILE:LINE:COLUMN"
};

template <class T>
struct Placed {
  T value{};
  FilePlace place;
};

// what() is "FILE:LINE:COLUMN: PROBLEM; got GOT; valid: VALID".
class PlacedError : public InputError {
 public:
  PlacedError(FilePlace place, const std::string& problem, std::string got = {}, std::string valid = {});
  PlacedError(FilePlace place, const InputError& cause);

  const FilePlace& place() const { return place_; }

 private:
  FilePlace place_;
};

// Text as a message quotes it: short, on one line, "nothing" where there is none.
std::string quoted_for_message(const std::string& text);

}  // namespace hopsim
