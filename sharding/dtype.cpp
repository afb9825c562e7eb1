#include "sharding/dtype.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "sim/error.hpp"

namespace hopsim {
namespace {

struct Spelling {
  std::string_view text;
  DType dtype;
};

constexpr std::array<std::string_view, 7> kNames{"int4", "int8", "fp8", "bf16", "fp16", "fp32", "fp64"};

constexpr std::array<Spelling, 10> kAliases{{{"s4", DType::int4},
                                             {"s8", DType::int8},
                                             {"f8", DType::fp8},
                                             {"bfloat16", DType::bf16},
                                             {"float16", DType::fp16},
                                             {"f16", DType::fp16},
                                             {"float32", DType::fp32},
                                             {"f32", DType::fp32},
                                             {"float64", DType::fp64},
                                             {"f64", DType::fp64}}};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

}  // namespace

int bits(DType dtype) {
  constexpr std::array<int, 7> kBits{4, 8, 8, 16, 16, 32, 64};
  return kBits[static_cast<std::size_t>(dtype)];
}

std::string_view name(DType dtype) { return kNames[static_cast<std::size_t>(dtype)]; }

std::optional<DType> dtype_named(std::string_view text) {
  const std::string lower = lower_case(text);
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == lower) return static_cast<DType>(i);
  }
  for (const Spelling& alias : kAliases) {
    if (alias.text == lower) return alias.dtype;
  }
  return std::nullopt;
}

std::string dtype_names() {
  std::string list;
  for (std::string_view n : kNames) list += (list.empty() ? "" : ", ") + std::string(n);
  return list;
}

Bytes bytes_of(std::uint64_t elements, DType dtype) {
  const Uint128 total = (static_cast<Uint128>(elements) * static_cast<unsigned>(bits(dtype)) + 7) / 8;
  if (total >> 63 != 0) {
    throw InputError("an array is too large to count its bytes",
                     std::to_string(elements) + " elements of " + std::string(name(dtype)), "less than 2^63 bytes");
  }
  return Bytes(static_cast<std::uint64_t>(total));
}

}  // namespace hopsim
