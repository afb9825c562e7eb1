// hopsim collective OP [OP...]: collectives without a file, as nccl-tests would show them.
#pragma once

#include "tools/collective_rows.hpp"
#include "tools/streams.hpp"

namespace hopsim {

// 0; 1 if engines disagree. On a terminal rows are shown as they come. Throws what the scenarios room throws; then no
// output file is left.
int collective_command(const CollectiveArguments&, const Streams&);

}  // namespace hopsim
