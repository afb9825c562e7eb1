// What tells sweeps apart, for the journal: points of one must not end up in the results of another.
#pragma once

#include <string>

#include "scenarios/document.hpp"

namespace hopsim {

// A name for what a document says and where in its file, whatever folder that is in. Equal names, equal documents,
// but for one chance in 2^60 or so (SHA-1, as a UUID of version 5).
std::string digest(const Document&);

}  // namespace hopsim
