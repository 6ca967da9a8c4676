#pragma once

#include "model/walks/measured_walks.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace texelscope::model {

/// The texels of a walk that visits the same ones again and again: columns x rows texels, a stride
/// apart, from an origin on.
struct Lattice {
    Texel origin;
    std::int32_t columns = 1;
    std::int32_t rows = 1;
    std::int32_t stride_x = 1;
    std::int32_t stride_y = 1;
    enum class Order {
        rows_first,    ///< in rounds, row by row
        columns_first, ///< in rounds, column by column
        random,        ///< each read uniform over all of them
    } order = Order::rows_first;
};

/// A walk over the lattice, which lies within the image.
[[nodiscard]] std::vector<Texel> lattice_walk(std::mt19937_64& random, const Lattice& lattice,
                                              std::int64_t steps);

/// What walks are drawn from.
struct WalkDesign {
    Extent2D extent{1024, 1024};     ///< of the image, in texels
    std::int64_t steps = 2048;       ///< of each walk
    std::int64_t most_texels = 8192; ///< largest number of texels in a lattice
};

/// Walks that tell texture caches apart, numbered from `first_number` on. One in four follows
/// random strides (draw_distribution()), and shows what one fetch brings. The others go over
/// lattices whose number of texels, strides (powers of two) and order are drawn at random, every
/// scale as likely as the others: dense ones show the capacity, sparse ones, whose lines fall into
/// few sets, show ways and sets, and where the strides begin to matter shows the layout. Rounds
/// show replacement: LRU loses everything where a round just exceeds the cache. Throws bad_input
/// for an empty image or fewer than two steps.
[[nodiscard]] std::vector<TexelWalk> design_walks(std::mt19937_64& random, const WalkDesign& design,
                                                  std::size_t count, std::int64_t first_number = 0);

} // namespace texelscope::model
