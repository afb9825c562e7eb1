// The strings of a trace that events refer to by number: categories, names of events, names of arguments.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/critical_path.hpp"
#include "tools/perfetto/encoder.hpp"
#include "tools/perfetto/fields.hpp"

namespace hopsim::perfetto {

// Interned strings are referred to by their place here, from 1.
inline constexpr std::array<std::string_view, 8> kCategories{"step",    "collective", "compute",  "link",
                                                             "receive", "exposed",    "critical", "message"};
inline constexpr std::array<std::string_view, 6> kEvents{"step", "compute", "send", "received", "reduced", "exposed"};
inline constexpr std::array<std::string_view, kCauses> kWaitedFor{
    "compute", "transfer", "latency", "waiting for a link", "overhead", "launch", "host load", "other"};
inline constexpr std::array<std::string_view, 18> kArguments{
    "bytes",     "step",    "phase",     "passage",  "lane",   "chunk", "chunk_atoms", "wait_ps", "hop",
    "from_chip", "to_chip", "algorithm", "start_ps", "end_ps", "chip",  "link",        "held_by", "hops"};

template <std::size_t N>
consteval std::uint64_t iid(const std::array<std::string_view, N>& among, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i)
    if (among[i] == text) return i + 1;
  throw "not in the table";
}
consteval std::uint64_t arg(std::string_view name) { return iid(kArguments, name); }
consteval std::uint64_t name(std::string_view event) { return iid(kEvents, event); }

// Events: those above, what is waited for, the steps' labels.
constexpr std::uint64_t kFirstCause = kEvents.size() + 1, kFirstLabel = kFirstCause + kCauses;

inline void intern(Encoder& out, std::uint32_t table, std::uint64_t id, std::string_view text) {
  out.message(table, [&] {
    out.varint(interned::kId, id);
    out.string(interned::kText, text);
  });
}

template <std::size_t N>
void intern_all(Encoder& out, std::uint32_t table, const std::array<std::string_view, N>& texts) {
  for (std::size_t i = 0; i < N; ++i) intern(out, table, i + 1, texts[i]);
}

}  // namespace hopsim::perfetto
