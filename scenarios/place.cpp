#include "scenarios/place.hpp"

#include <algorithm>
#include <utility>

namespace hopsim {

std::string FilePlace::str() const {
  return (file ? *file : std::string("<none>")) + ":" + std::to_string(line) + ":" + std::to_string(column);
}

PlacedError::PlacedError(FilePlace place, const std::string& problem, std::string got, std::string valid)
    : InputError(place.str() + ": " + problem, std::move(got), std::move(valid)), place_(std::move(place)) {}

PlacedError::PlacedError(FilePlace place, const InputError& cause) : PlacedError(std::move(place), cause.what()) {}

std::string quoted_for_message(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  if (text.empty()) return "nothing";
  std::size_t end = std::min(text.size(), kLongest);
  while (end < text.size() && (text[end] & 0xc0) == 0x80) --end;  // no half a UTF-8 character
  std::string out = text.substr(0, end);
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return end < text.size() ? out + "..." : out;
}

}  // namespace hopsim
