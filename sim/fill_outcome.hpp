#pragma once

#include <cstdint>

namespace texelscope {

/// What one access to a cache did to the line's presence.
struct FillOutcome {
    bool line_present = false;   ///< before the access
    bool sector_present = false; ///< before the access
    std::int64_t evicted_line = -1;
};

} // namespace texelscope
