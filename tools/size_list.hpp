// The sizes of `--bytes`: one, a list of them `1KiB,1MiB`, or a range `1KiB..100MiB*2`, `0..1MB+100kB`; ranges may
// stand in lists. A bare number is bytes. A range includes its end where a step hits it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/place.hpp"
#include "sim/quantities.hpp"

namespace hopsim {

constexpr std::size_t kMostSizes = 10'000;

// Places count within the text, `flag` is what messages call it. Throws PlacedError for what is no size, for an empty
// list, a range that runs backwards or never ends, and more than kMostSizes sizes.
std::vector<Placed<Bytes>> parse_sizes(std::string_view text, const std::string& flag);

}  // namespace hopsim
