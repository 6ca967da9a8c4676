#pragma once

#include "traces/native/trace_record.hpp"

#include <cstdint>

namespace texelscope::traces {

[[nodiscard]] constexpr bool is_image(AccessKind kind)
{
    return kind == AccessKind::image_read || kind == AccessKind::image_write;
}

/// What one work-item does in one step of its work-group.
struct StepRow {
    std::int32_t item = 0;
    AccessKind kind = AccessKind::image_read;
    std::uint16_t object = 0;
    std::int64_t x = 0; ///< texel; of buffers, the offset in bytes
    std::int32_t y = 0;
    std::int32_t z = 0;
    std::int32_t bytes = 0; ///< buffers only

    bool operator==(const StepRow&) const = default;
};

[[nodiscard]] StepRow row_of(std::int32_t item, const TracedAccess& access);
[[nodiscard]] TracedAccess access_of(const StepRow& row);

/// What a row accesses, as one number.
[[nodiscard]] constexpr std::uint32_t target_of(const StepRow& row)
{
    return std::uint32_t{static_cast<std::uint8_t>(row.kind)} << 16 | row.object;
}

} // namespace texelscope::traces
