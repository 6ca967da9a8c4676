#pragma once

#include "traces/image.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace texelscope::workbench::probes {

/// An image divided into rectangles. Texels of different cells lie in different cache lines, as
/// long as a line lies within a rectangle.
struct CellGrid {
    Extent2D extent{};
    Extent2D cell{8, 8};

    [[nodiscard]] std::int64_t cells() const
    {
        return std::int64_t{extent.width / cell.width} * (extent.height / cell.height);
    }
};

/// The largest square image with sides of powers of two that takes at most `bytes` at 16 bytes a
/// texel and fits `limits`.
[[nodiscard]] Extent2D square_image(std::int64_t bytes, Extent2D limits);

/// A list of `count` texels from as many different cells, with cells and order drawn at random.
/// Each texel is at a random place in its cell or, with `corner`, the cell's first. Throws
/// bad_input where there are fewer cells.
[[nodiscard]] std::vector<Texel> scattered(const CellGrid& grid, std::int64_t count, bool corner,
                                           std::mt19937_64& random);

} // namespace texelscope::workbench::probes
