#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace texelscope::traces {

/// How a recorded launch is replayed.
struct ReplayOptions {
    /// Work-items of a work-group; nullopt: as recorded.
    std::optional<std::array<std::int64_t, 3>> local;
    bool buffers = false; ///< reads of buffers, too: each buffer is an image of one row
};

} // namespace texelscope::traces
