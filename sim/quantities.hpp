// Strong types for what a simulation counts: time, bytes, bandwidth, FLOPs.
//
// Time is integer picoseconds and every duration is rounded up with 128-bit integer arithmetic, so a run gives the
// same picoseconds on every machine. 2^63 ps are 106 days; a duration beyond that throws std::overflow_error.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace hopsim {

class Time {
 public:
  constexpr Time() = default;
  static constexpr Time picoseconds(std::uint64_t ps) { return Time(ps); }
  static constexpr Time max() { return Time(std::uint64_t{1} << 63); }

  constexpr std::uint64_t ps() const { return ps_; }
  constexpr double seconds() const { return static_cast<double>(ps_) / 1e12; }

  friend constexpr auto operator<=>(Time, Time) = default;
  friend constexpr Time operator+(Time a, Time b) { return Time(a.ps_ + b.ps_); }
  friend constexpr Time operator-(Time a, Time b) { return Time(a.ps_ - b.ps_); }
  friend constexpr Time operator*(std::uint64_t n, Time t) { return Time(n * t.ps_); }
  constexpr Time& operator+=(Time b) {
    ps_ += b.ps_;
    return *this;
  }

 private:
  explicit constexpr Time(std::uint64_t ps) : ps_(ps) {}
  std::uint64_t ps_ = 0;
};

class Bytes {
 public:
  constexpr Bytes() = default;
  explicit constexpr Bytes(std::uint64_t n) : count_(n) {}
  constexpr std::uint64_t count() const { return count_; }

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes(a.count_ + b.count_); }
  friend constexpr Bytes operator*(std::uint64_t n, Bytes b) { return Bytes(n * b.count_); }
  constexpr Bytes& operator+=(Bytes b) {
    count_ += b.count_;
    return *this;
  }

 private:
  std::uint64_t count_ = 0;
};

__extension__ using Uint128 = unsigned __int128;  // not ISO C++, but every compiler we build with has it

namespace detail {
// amount / (rate per second), rounded up to a picosecond.
constexpr Time rounded_up(Uint128 amount, std::uint64_t rate) {
  if (rate == 0) throw std::overflow_error("a transfer or a task at rate 0 never ends");
  // Amounts beyond 2^87 cannot end within Time::max() at any 64-bit rate worth its name, and would overflow below.
  if (amount >> 87 != 0) throw std::overflow_error("a duration is longer than the clock's 106 days");
  const Uint128 ps = (amount * 1'000'000'000'000u + (rate - 1)) / rate;
  if (ps > Time::max().ps()) throw std::overflow_error("a duration is longer than the clock's 106 days");
  return Time::picoseconds(static_cast<std::uint64_t>(ps));
}
}  // namespace detail

// a + b, or std::overflow_error past the end of the clock.
constexpr Time later(Time a, Time b) {
  if (a > Time::max() || b > Time::max() - a)
    throw std::overflow_error("the simulated time passes the clock's 106 days");
  return a + b;
}

// Bytes per second, one way, protocol efficiency already taken off.
class Bandwidth {
 public:
  constexpr Bandwidth() = default;
  explicit constexpr Bandwidth(std::uint64_t bytes_per_second) : rate_(bytes_per_second) {}
  constexpr std::uint64_t bytes_per_second() const { return rate_; }
  constexpr Time duration(Bytes b) const { return detail::rounded_up(b.count(), rate_); }
  friend constexpr auto operator<=>(Bandwidth, Bandwidth) = default;

 private:
  std::uint64_t rate_ = 0;
};

// Floating-point operations, and how many a second.
class Flops {
 public:
  constexpr Flops() = default;
  explicit constexpr Flops(Uint128 n) : count_(n) {}
  constexpr Uint128 count() const { return count_; }
  constexpr double value() const { return static_cast<double>(count_); }
  friend constexpr Flops operator+(Flops a, Flops b) { return Flops(a.count_ + b.count_); }

 private:
  Uint128 count_ = 0;
};

class FlopRate {
 public:
  constexpr FlopRate() = default;
  explicit constexpr FlopRate(std::uint64_t flops_per_second) : rate_(flops_per_second) {}
  constexpr std::uint64_t flops_per_second() const { return rate_; }
  constexpr Time duration(Flops f) const { return detail::rounded_up(f.count(), rate_); }
  friend constexpr auto operator<=>(FlopRate, FlopRate) = default;

 private:
  std::uint64_t rate_ = 0;
};

namespace literals {
constexpr Time operator""_ps(unsigned long long n) { return Time::picoseconds(n); }
constexpr Time operator""_ns(unsigned long long n) { return Time::picoseconds(n * 1'000); }
constexpr Time operator""_us(unsigned long long n) { return Time::picoseconds(n * 1'000'000); }
constexpr Time operator""_ms(unsigned long long n) { return Time::picoseconds(n * 1'000'000'000); }
constexpr Bytes operator""_B(unsigned long long n) { return Bytes(n); }
constexpr Bytes operator""_KiB(unsigned long long n) { return Bytes(n << 10); }
constexpr Bytes operator""_MiB(unsigned long long n) { return Bytes(n << 20); }
constexpr Bytes operator""_GiB(unsigned long long n) { return Bytes(n << 30); }
constexpr Bandwidth operator""_GBps(unsigned long long n) { return Bandwidth(n * 1'000'000'000); }
}  // namespace literals

}  // namespace hopsim
