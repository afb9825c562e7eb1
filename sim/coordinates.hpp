// Where chips are: a box of up to four dimensions, and displacements within it.
//
// Chips are numbered row-major, the last dimension fastest: on AxBxC, (x, y, z) is chip (xB + y)C + z. Switches that
// take part in collectives (reduce and multicast) are numbered after the chips.
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
  // A node by its number, wherever seen from: to and from switches, on fabrics that are never folded.
  static constexpr Offset to_node(std::uint32_t node) {
    Offset o;
    o.bits_ = kNode | node;
    return o;
  }
  constexpr bool names_node() const { return bits_ >> 48 == kNode >> 48; }
  constexpr std::uint32_t node() const { return static_cast<std::uint32_t>(bits_); }
  constexpr bool zero() const { return bits_ == 0; }
  // One hop less along a dimension where there are some.
  [[nodiscard]] constexpr Offset one_less(int dimension) const {
    const int hops = (*this)[dimension];
    return with(dimension, hops < 0 ? hops + 1 : hops - 1);
  }
  constexpr bool single() const {  // one hop, either way
    const std::uint64_t lowest = bits_ & (~bits_ + 1);
    return (lowest & 0x0001'0001'0001'0001u) != 0 && (bits_ == lowest || bits_ == lowest * 0xffff);
  }
  constexpr int hops() const {
    int n = 0;
    for (int d = 0; d < kMaxDimensions; ++d) n += (*this)[d] < 0 ? -(*this)[d] : (*this)[d];
    return n;
  }
  friend constexpr bool operator==(Offset, Offset) = default;

 private:
  static constexpr std::uint64_t kNode = 0x8000ull << 48;  // -32768 hops along the last dimension: no displacement
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
  // Once round a twisted dimension (which does not count as wrapped) leads to the chip shifted by this.
  std::array<Coordinates, kMaxDimensions> twist{};
  std::uint32_t switches = 0;  // that take part in collectives

  constexpr bool twisted(int d) const {
    const Coordinates& t = twist[static_cast<std::size_t>(d)];
    return t[0] != 0 || t[1] != 0 || t[2] != 0 || t[3] != 0;
  }
  constexpr bool any_twist() const {
    bool any = false;
    for (int d = 0; d < kMaxDimensions; ++d) any = any || twisted(d);
    return any;
  }
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
  // Of chips and taking-part switches. A switch has only a number: coordinates (-1 - number, 0, 0, 0).
  constexpr std::uint32_t actors() const { return chips() + switches; }
  static constexpr bool is_switch(const Coordinates& x) { return x[0] < 0; }
  constexpr Coordinates at(ChipId chip) const {
    Coordinates x{};
    if (switches != 0 && index(chip) >= chips()) {
      x[0] = static_cast<std::int16_t>(-1 - static_cast<int>(index(chip) - chips()));
      return x;
    }
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
    if (o.names_node()) return ChipId(o.node());
    if (is_switch(x)) return ChipId(chips() + static_cast<std::uint32_t>(-1 - x[0]));  // only itself: see to_node()
    int c = 0;
    for (int d = 0; d < kMaxDimensions; ++d) {
      const int n = placed(d);
      int v = n == 1 ? 0 : x[d] + o[d];
      if (v < 0 || v >= n) {
        if (!wrap[d]) return twisted_peer(x, o);
        v += v < 0 ? n : -n;
      }
      c = c * n + v;
    }
    return ChipId(c);
  }

 private:
  constexpr ChipId twisted_peer(const Coordinates& x, Offset o) const {
    std::array<int, kMaxDimensions> v{};
    for (std::size_t d = 0; d < kMaxDimensions; ++d) v[d] = x[d] + o[static_cast<int>(d)];
    for (std::size_t d = 0; d < kMaxDimensions; ++d)
      while (twisted(static_cast<int>(d)) && (v[d] < 0 || v[d] >= size[d])) {
        const int turn = v[d] < 0 ? -1 : 1;
        v[d] -= turn * size[d];
        for (std::size_t e = 0; e < kMaxDimensions; ++e) v[e] += turn * twist[d][e];
      }
    Coordinates y{};
    for (std::size_t d = 0; d < kMaxDimensions; ++d) {
      const int n = placed(static_cast<int>(d));
      y[d] = static_cast<std::int16_t>((v[d] % n + n) % n);
    }
    int c = 0;
    for (std::size_t d = 0; d < kMaxDimensions; ++d) c = c * placed(static_cast<int>(d)) + y[d];
    return ChipId(c);
  }
};

}  // namespace hopsim
