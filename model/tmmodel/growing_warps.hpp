#pragma once

#include "base/units.hpp"
#include "traces/launch.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace texelscope::model {

/// How a lane with thread index t reads step r in the growing-warp experiment (TMModel 3.2.1,
/// figure 3).
struct StreamPattern {
    std::string_view name;
    int reuse_distance = 0; ///< s: lines that one lane keeps in use
    int block_rows = 0;     ///< k of x = floor(r / k), y = t*k + r mod k; 0: x = t, y = r (column)
};
/// Row is the block pattern with k = 1: x = r, y = t.
inline constexpr std::array<StreamPattern, 5> stream_patterns{{
    {"column", 0, 0},
    {"row", 1, 1},
    {"block2", 2, 2},
    {"block4", 4, 4},
    {"block8", 8, 8},
}};

/// Time of one step of a warp of `lanes` lanes: every lane reads one texel.
struct WarpSample {
    StreamPattern pattern;
    int lanes = 1;
    Nanoseconds per_step{0};
};

/// Numbers of lanes to measure, ascending: powers of two, three times powers of two, and the warp
/// size.
[[nodiscard]] std::vector<int> growing_widths(int warp_size);

/// Size of a growing-warp experiment: the first `lanes` lanes of one warp read `steps` texels each,
/// from an image that holds `max_lanes` threads of `max_steps` steps. The image does not depend on
/// `lanes` and `steps`, so that its texels always lie at the same place.
struct StreamShape {
    int lanes = 1;
    std::int64_t steps = 1;
    int max_lanes = 64;
    std::int64_t max_steps = 1;
    Bytes bytes_per_texel{16};
};
/// The launch of one such warp. Throws bad_input where a number is not positive or exceeds its
/// maximum.
[[nodiscard]] Launch growing_warp_launch(const StreamPattern& pattern, const StreamShape& shape);

} // namespace texelscope::model
