#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::sim {

/// The order in which the cells of a block are stored.
enum class StorageOrder {
    row,    ///< x fastest
    column, ///< y fastest
    /// Bits of x and y interleaved, x lowest; the remaining bits of the longer side on top.
    morton,
    hilbert, ///< Hilbert curve over a square power of two, from (0, 0) to (n-1, 0)
};

/// One level of nesting: `width` x `height` cells of the level below, stored in `order`.
struct BlockLevel {
    std::int32_t width = 1;
    std::int32_t height = 1;
    StorageOrder order = StorageOrder::row;

    bool operator==(const BlockLevel&) const = default;
};

/// Levels of blocks from inner to outer, then an unbounded outermost order (row or column). Partial
/// blocks at the right and bottom edge of an image are padded to whole blocks.
/// Text form: "row" is linear; "4x4:row,row" 4x4-texel tiles in row order, tiles in row order;
/// "2x2:row,4x4:morton,row" 4x4 of 2x2 tiles in Morton order, then rows.
struct NestedLayout {
    std::vector<BlockLevel> levels;
    StorageOrder outer = StorageOrder::row;

    bool operator==(const NestedLayout&) const = default;
};

/// Throws bad_input for text that is no such list, a Morton block with a side that is no power of
/// two, or a Hilbert block that is not a square power of two. `where` is what messages call the
/// layout.
[[nodiscard]] NestedLayout parse_nested_layout(const std::string& text, const std::string& where);
[[nodiscard]] std::string to_string(const NestedLayout& layout);

/// Throws bad_input where an order cannot store the block of its level.
void check(const NestedLayout& layout, const std::string& where);

/// Place of cell (x, y) of one block in the order in which its cells are stored, from 0.
[[nodiscard]] std::int64_t cell_index(const BlockLevel& level, std::int32_t x, std::int32_t y);

} // namespace texelscope::sim
