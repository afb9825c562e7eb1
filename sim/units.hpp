// Text to quantities and back. Units are parsed here, once, at the text's edge; everything inside is a strong type.
//
// Numbers are decimal (`12`, `0.94`, `1e12`), the space before a unit is optional, unit names are case-sensitive:
//   sizes        B; kB MB GB TB PB (powers of 1000; KB is kB); KiB MiB GiB TiB PiB (powers of 1024)
//   times        ps, ns, us (also µs), ms, s, min
//   bandwidths   a size per second (GB/s, GBps) or bits per second (Gbit/s, Gb/s, Gbps)
//   FLOP rates   FLOP/s to EFLOP/s (also FLOPS, FLOPs/s, and OP/s, OPS for integer types)
//   ratios       50% or 0.5
// Arithmetic is exact. `1.5 KiB` is 1536 bytes, and a size that is no whole number of bytes is an error. A time is
// rounded up to a picosecond, as all durations are; a rate is rounded down to a whole byte or FLOP a second.
//
// Every parser throws InputError with the offending text and the valid choices: for text that is no number, a missing
// or unknown unit, a negative, infinite or overflowing value, and a zero unless the caller allows it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/quantities.hpp"

namespace hopsim {

enum class Zero { refused, allowed };
enum class Bare { refused, allowed };  // a number without a unit

// An exact fraction: an efficiency, a share, a tolerance.
struct Ratio {
  std::uint64_t numerator = 1, denominator = 1;  // denominator: a power of ten up to 10^12

  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  friend bool operator==(const Ratio& a, const Ratio& b) {
    return Uint128{a.numerator} * b.denominator == Uint128{b.numerator} * a.denominator;
  }
};

// A rate less what an efficiency takes off, rounded down. REQUIRES: efficiency at most 1.
Bandwidth scaled(Bandwidth, Ratio efficiency);
FlopRate scaled(FlopRate, Ratio efficiency);

Bytes parse_bytes(std::string_view text, Bare = Bare::refused, Zero = Zero::refused);  // up to 1 EiB
Time parse_time(std::string_view text, Zero = Zero::allowed);                          // up to 106 days
Bandwidth parse_bandwidth(std::string_view text);                                      // up to 10^18 B/s
FlopRate parse_flop_rate(std::string_view text);                                       // up to 10^19 FLOP/s
Flops parse_flops(std::string_view text, Zero = Zero::refused);  // up to 10^30; the unit (GFLOP) may be missing
Ratio parse_ratio(std::string_view text, Zero = Zero::refused);  // up to 10^6
std::uint64_t parse_count(std::string_view text, std::uint64_t least = 0,
                          std::uint64_t most = std::uint64_t{1} << 60);

// A quantity of a kind the caller does not know beforehand, as an expectation has it, in base units: seconds, bytes,
// bytes or FLOPs a second; plain numbers and percentages are themselves. It may be negative.
enum class QuantityKind { number, time, bytes, bandwidth, flop_rate };
struct Quantity {
  QuantityKind kind = QuantityKind::number;
  double value = 0;
};
Quantity parse_quantity(std::string_view text);
const char* name_of(QuantityKind);  // "a number", "a time", ...

// For people: five significant digits, the unit that leaves 1 to 999 before the point: "562.24 us", "45 GB/s". Sizes
// choose between powers of 1024 and of 1000 whichever is exact, then shorter: "32 MiB", "1 GB".
std::string format_time(Time);
std::string format_seconds(double seconds);
std::string format_bytes(Bytes);
std::string format_bandwidth(Bandwidth);
std::string format_bytes_per_second(double rate);
std::string format_flop_rate(FlopRate);

}  // namespace hopsim
