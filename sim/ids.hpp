// Identities as types, so that a chip is never taken for a link. All count from 0.
#pragma once

#include <cstdint>

namespace hopsim {

enum class ChipId : std::uint32_t {};  // chips first, then switches: both are nodes of the link graph
enum class LinkId : std::uint32_t {};  // directed
enum class CounterId : std::uint32_t {};

constexpr CounterId kNoCounter{~0u};
constexpr LinkId kNoLink{~0u};

template <class Id>
constexpr std::uint32_t index(Id id) {
  return static_cast<std::uint32_t>(id);
}

}  // namespace hopsim
