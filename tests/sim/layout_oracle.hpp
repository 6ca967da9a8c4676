#pragma once

#include "sim/layout/texel_layout.hpp"
#include "traces/image.hpp"

#include <cstdint>
#include <vector>

// Where texels lie, a second time and slowly: nested blocks written out cell by cell, bits taken
// one by one, and each named layout by the arithmetic of its description (blocks, groups, bytes)
// rather than as a matrix of bits.

namespace texelscope::test {
using namespace sim;

/// Cells of a block in the order in which they are stored, by recursion over halves and quadrants.
std::vector<Texel> cells(std::int32_t width, std::int32_t height, StorageOrder order);

/// Texels of the image, padding included, in the order in which they are stored.
std::vector<Texel> stored_texels(const NestedLayout& layout, Extent2D extent);

struct StoredOffsets {
    Extent2D extent;
    std::vector<std::int64_t> offsets; ///< bytes, of every texel, row by row
    std::int64_t size = 0;             ///< bytes, with padding

    std::int64_t at(Texel t) const
    {
        return offsets.at(static_cast<std::size_t>(t.y * extent.width + t.x));
    }
};

StoredOffsets stored_image(const LayoutSpec& spec, Extent2D extent, std::int64_t bytes_per_texel);

} // namespace texelscope::test
