// Where chips are: a box of up to four dimensions, and displacements within it.
//
// Chips are numbered row-major, the last dimension fastest: on AxBxC, (x, y, z) is chip (xB + y)C + z.
#pragma once

#include <array>
#include <cstdint>

#include "sim/ids.hpp"

namespace hopsim {

constexpr int kMaxDimensions = 4;

using Coordinates = std::array<std::int16_t, kMaxDimensions>;

// Signed hops per dimension; the sign is the way round. Packed in one word and taken apart by shifts: an array of
// 16-bit numbers written narrow and read wide stalls on store forwarding.
class Offset {
 public:
  constexpr Offset() = default;
  constexpr int operator[](int dimension) const { return static_cast<std::int16_t>(bits_ >> 16 * dimension); }
  [[nodiscard]] constexpr Offset with(int dimension, int hops) const {
    Offset o;
    const int shift = 16 * dimension;
    o.bits_ = (bits_ & ~(std::uint64_t{0xffff} << shift)) | std::uint64_t{static_cast<std::uint16_t>(hops)} << shift;
    return o;
  }
  constexpr bool zero() const { return bits_ == 0; }
  constexpr int hops() const {
    int n = 0;
    for (int d = 0; d < kMaxDimensions; ++d) n += (*this)[d] < 0 ? -(*this)[d] : (*this)[d];
    return n;
  }
  friend constexpr bool operator==(Offset, Offset) = default;

 private:
  std::uint64_t bits_ = 0;
};

constexpr Offset along(int dimension, int hops) { return Offset{}.with(dimension, hops); }

// The box of chips. A folded dimension is wrapped and has all its chips alike: one of them stands for all, and an
// offset along it leads back to itself (see the README of sim/, "Symmetry").
struct Shape {
  int dimensions = 1;
  Coordinates size{1, 1, 1, 1};
  std::array<bool, kMaxDimensions> wrap{};
  std::array<bool, kMaxDimensions> folded{};

  // The same box with one chip for all along every wrapped dimension.
  [[nodiscard]] constexpr Shape fold() const {
    Shape s = *this;
    for (int d = 0; d < kMaxDimensions; ++d) s.folded[d] = wrap[d] && size[d] > 1;
    return s;
  }
  constexpr int placed(int d) const { return folded[d] ? 1 : size[d]; }
  constexpr std::uint32_t chips() const {  // simulated ones
    std::uint32_t n = 1;
    for (int d = 0; d < kMaxDimensions; ++d) n *= static_cast<std::uint32_t>(placed(d));
    return n;
  }
  constexpr std::uint32_t logical_chips() const {
    std::uint32_t n = 1;
    for (int d = 0; d < kMaxDimensions; ++d) n *= static_cast<std::uint32_t>(size[d]);
    return n;
  }
  constexpr Coordinates at(ChipId chip) const {
    Coordinates x{};
    std::uint32_t c = index(chip);
    for (int d = kMaxDimensions; d-- > 0;) {
      x[d] = static_cast<std::int16_t>(c % static_cast<std::uint32_t>(placed(d)));
      c /= static_cast<std::uint32_t>(placed(d));
    }
    return x;
  }
  constexpr ChipId chip(const Coordinates& x) const { return peer(x, {}); }
  // The chip an offset leads to; offsets are shorter than a dimension, so one wrap is enough.
  constexpr ChipId peer(const Coordinates& x, Offset o) const {
    int c = 0;
    for (int d = 0; d < kMaxDimensions; ++d) {
      const int n = placed(d);
      const int v = n == 1 ? 0 : x[d] + o[d];
      c = c * n + (v < 0 ? v + n : v >= n ? v - n : v);
    }
    return ChipId(c);
  }
};

}  // namespace hopsim
