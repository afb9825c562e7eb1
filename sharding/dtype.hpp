// Element types and what they weigh in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/quantities.hpp"

namespace hopsim {

enum class DType : std::uint8_t { int4, int8, fp8, bf16, fp16, fp32, fp64 };

int bits(DType);
std::string_view name(DType);

// By its own name or the one JAX and HLO use (bfloat16, float32, f32, s8, ...); case matters not.
std::optional<DType> dtype_named(std::string_view);
std::string dtype_names();  // "int4, int8, ...", for messages

// Packed: two int4 share a byte, an odd one takes a whole one. Throws InputError beyond 2^63 bytes.
Bytes bytes_of(std::uint64_t elements, DType);

}  // namespace hopsim
