#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace texelscope::traces {

/// How a recorded launch is replayed: TraceFile::source().
struct ReplayOptions {
    /// The launch's work-items in work-groups of this size, whatever groups were recorded. Groups
    /// at the edge of a global size that it does not divide are smaller. nullopt: as recorded.
    std::optional<std::array<std::int64_t, 3>> local;
    /// Reads of buffers, too. Without, a source has image reads alone.
    bool buffers = false;
};

} // namespace texelscope::traces
