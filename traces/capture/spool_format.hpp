#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <limits>
#include <optional>

/// The files that the plugin writes for the program that started it: one spool file for each
/// process. Its records stand in the order in which they came up, which depends on the timing of
/// threads; CapturedSpool puts them in order. The same build writes and reads a file on the same
/// machine, so numbers are written as they lie in memory.
///
///     file    = magic record*
///     record  = RecordHeader payload
///     launch  = text: one line for the kernel, one for each image and buffer
///               (see plugin/recorded_launch.cpp)
///     group   = SpooledEvent*: a part of what a group did; the parts of a group are in order
///     end     = every group of the launch that was to be recorded is there; empty, or the
///               ExecutedOperations of these groups where they were counted
namespace texelscope::traces::spool {

/// Permission bit of a spool file (its owner may execute it) that marks a file to which the plugin
/// could not write. Unlike a record, it can be set on a full disk, too.
inline constexpr unsigned given_up = 0100;

inline constexpr char magic[8] = {'t', 'x', 's', 'p', 'o', 'o', 'l', '3'};

/// Names of environment variables by which the capture command tells the plugin what to do.
namespace variable {
inline constexpr const char* folder = "TEXELSCOPE_CAPTURE_FOLDER"; ///< where the spool files go
/// Records kernels of that name only.
inline constexpr const char* kernel = "TEXELSCOPE_CAPTURE_KERNEL";
/// "BEGIN:END", linear group numbers.
inline constexpr const char* groups = "TEXELSCOPE_CAPTURE_GROUPS";
inline constexpr const char* buffers = "TEXELSCOPE_CAPTURE_BUFFERS"; ///< "1": buffer accesses, too
/// "1": count what work-items execute.
inline constexpr const char* operations = "TEXELSCOPE_CAPTURE_OPERATIONS";
/// How many work-items a sub-group has, in a kernel that does not say so itself.
inline constexpr const char* subgroup_size = "TEXELSCOPE_CAPTURE_SUBGROUP_SIZE";
} // namespace variable

enum class RecordType : std::uint32_t {
    launch = 1,
    group = 2,
    end = 3,
    failed = 4,  ///< the launch was given up: text says why
    skipped = 5, ///< a launch of another kernel than the one asked for
};

struct RecordHeader {
    RecordType type = RecordType::launch;
    std::uint32_t launch = 0; ///< number in the process
    std::uint64_t bytes = 0;  ///< size of the payload
    std::int64_t group = 0;   ///< of a group: its linear number; of a launch: the host thread's
};

/// One access. `object` counts the launch's images, or its buffers.
struct SpooledEvent {
    std::uint32_t item = 0; ///< linear number in the group
    std::uint8_t kind = 0;  ///< AccessKind
    std::uint8_t object = 0;
    /// Image: slice or layer, two's complement; buffer: the offset's bits from the 32nd on.
    std::uint16_t third = 0;
    std::int32_t x = 0; ///< buffer: low half of the offset
    std::int32_t y = 0; ///< buffer: bytes
};
static_assert(sizeof(SpooledEvent) == 16);

/// The event of an access to a buffer, without its work-item; nullopt where offset or size do not
/// fit into an event.
[[nodiscard]] inline std::optional<SpooledEvent>
buffer_event(std::uint8_t kind, std::uint8_t object, std::uint64_t offset, std::uint64_t bytes)
{
    if (offset >> 48 != 0 || bytes > std::numeric_limits<std::int32_t>::max()) {
        return std::nullopt;
    }
    return SpooledEvent{0,
                        kind,
                        object,
                        static_cast<std::uint16_t>(offset >> 32),
                        static_cast<std::int32_t>(static_cast<std::uint32_t>(offset)),
                        static_cast<std::int32_t>(bytes)};
}
/// The byte offset of a buffer event.
[[nodiscard]] inline std::int64_t offset_of(const SpooledEvent& event)
{
    return std::int64_t{event.third} << 32 | static_cast<std::uint32_t>(event.x);
}

} // namespace texelscope::traces::spool
