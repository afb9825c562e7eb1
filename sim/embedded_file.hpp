// A text file compiled into the program (hopsim_embed in cmake/): the catalogue and the shipped scenarios are found
// from any folder, and after an install.
#pragma once

#include <string_view>

namespace hopsim {

struct EmbeddedFile {
  std::string_view name;  // its path below the folder it was embedded from: "book/ch3_quiz2_allgather.yaml"
  std::string_view text;  // byte for byte
};

}  // namespace hopsim
