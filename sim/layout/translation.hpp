#pragma once

#include "traces/image.hpp"

#include <cstdint>
#include <span>

namespace texelscope::sim {

/// How a layout repeats itself over an image: `x_bytes` lie between any two texels of the image that are
/// `texels.width` apart in a row, and `y_bytes` between any two that are `texels.height` apart in a column.
/// Where a side is the image's own, no two texels of the image are that far apart, and the bytes are 0.
struct Translation {
    Extent2D texels;
    std::int64_t x_bytes = 0;
    std::int64_t y_bytes = 0;

    bool operator==(const Translation&) const = default;
};

/// Smallest p >= 1 such that values[i + p] - values[i] is the same, and repeated[i + p] is repeated[i], wherever both
/// exist; so at most the size. `repeated` has as many elements as `values`, or none. Takes O(size log size).
[[nodiscard]] std::int32_t smallest_shift(std::span<const std::int64_t> values,
                                          std::span<const std::int64_t> repeated = {});

} // namespace texelscope::sim
