#pragma once

#include "traces/launch.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::sim {

/// The assumed block shapes by default: squares 1 to 32, and 2, 4, 8 texels along one direction, so
/// that a linear layout can be told from a tiled one.
[[nodiscard]] const std::vector<Extent2D>& default_block_shapes();

/// Cross-block strides of a sequence of texels (TMModel 3.1, figure 2): for an assumed block shape
/// (bw, bh), how many consecutive pairs have a different floor(x / bw), and how many a different
/// floor(y / bh).
struct CrossBlockHistogram {
    struct Bin {
        Extent2D block;
        std::int64_t x = 0;
        std::int64_t y = 0;

        bool operator==(const Bin&) const = default;
    };
    std::vector<Bin> bins;     ///< in the order of the shapes
    std::int64_t accesses = 0; ///< texels of the sequence

    bool operator==(const CrossBlockHistogram&) const = default;
};

[[nodiscard]] CrossBlockHistogram
cross_block_histogram(std::span<const Texel> texels,
                      std::span<const Extent2D> shapes = default_block_shapes());

} // namespace texelscope::sim
