// Wire numbers of the Perfetto trace format, as far as they are written here.
// Source: protos/perfetto/trace/{trace_packet,track_event/*,interned_data/*}.proto of Perfetto v55.
#pragma once

#include <cstdint>

namespace hopsim::perfetto {

constexpr std::uint32_t kTracePacket = 1;  // of the file, which is one Trace message

namespace packet {
constexpr std::uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInternedData = 12, kSequenceFlags = 13,
                        kTrackDescriptor = 60;
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;  // values of kSequenceFlags
}  // namespace packet

namespace track {
constexpr std::uint32_t kUuid = 1, kName = 2, kParent = 5, kCounter = 8, kChildOrdering = 11, kRank = 12,
                        kDescription = 14, kSiblingMerge = 15;
constexpr std::uint64_t kExplicitOrder = 3, kNeverMerge = 2;
}  // namespace track

namespace counter {
constexpr std::uint32_t kUnit = 3, kUnitName = 6;
constexpr std::uint64_t kBytes = 3;  // value of kUnit
}  // namespace counter

namespace event {
constexpr std::uint32_t kCategory = 3, kAnnotation = 4, kType = 9, kName = 10, kTrack = 11, kValue = 30,
                        kDoubleValue = 44, kFlow = 47, kLastFlow = 48;
constexpr std::uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4;  // values of kType
}  // namespace event

namespace annotation {
constexpr std::uint32_t kName = 1, kUnsigned = 3, kString = 6, kInternedString = 17;
}  // namespace annotation

namespace interned {
constexpr std::uint32_t kCategories = 1, kEventNames = 2, kAnnotationNames = 3, kAnnotationStrings = 29;
constexpr std::uint32_t kId = 1, kText = 2;  // of each entry
}  // namespace interned

}  // namespace hopsim::perfetto
