#pragma once

#include "traces/image.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope {

/// The order in which the cells of a block are stored.
enum class StorageOrder {
    row,     ///< x fastest
    column,  ///< y fastest
    morton,  ///< bits of x and y interleaved, x lowest; the remaining bits of the longer side on top
    hilbert, ///< Hilbert curve over a square power of two, from (0, 0) to (n-1, 0)
};

/// One level of nesting: `width` x `height` cells of the level below, stored in `order`.
struct BlockLevel {
    std::int32_t width = 1;
    std::int32_t height = 1;
    StorageOrder order = StorageOrder::row;

    bool operator==(const BlockLevel&) const = default;
};

/// How texels are stored: levels of blocks from inner to outer, then an unbounded outermost order (row or column).
/// Text form: "row" is linear; "4x4:row,row" 4x4-texel tiles in row order, tiles in row order;
/// "2x2:row,4x4:morton,row" 4x4 of 2x2 tiles in Morton order, then rows.
struct LayoutSpec {
    std::vector<BlockLevel> levels;
    StorageOrder outer = StorageOrder::row;

    bool operator==(const LayoutSpec&) const = default;
};

/// Throws bad_input for text that is not a layout, a Morton block with a side that is no power of two, or a Hilbert
/// block that is not a square power of two.
[[nodiscard]] LayoutSpec parse_layout(const std::string& text);
[[nodiscard]] std::string to_string(const LayoutSpec& spec);

/// A layout applied to one image: (x, y) -> byte offset from the image's start. Injective over the image.
/// Partial blocks at the right and bottom edge are padded to whole blocks.
class TexelLayout {
public:
    TexelLayout(LayoutSpec spec, Extent2D extent, Bytes bytes_per_texel);

    /// Offset of the first byte of a texel of the image, which must contain it.
    [[nodiscard]] std::int64_t offset(Texel t) const
    {
        if (separable_) {
            return by_x_[static_cast<std::size_t>(t.x)] + by_y_[static_cast<std::size_t>(t.y)];
        }
        return general_offset(t);
    }

    /// A step in x, and one in y, by which every texel moves the same distance in storage: for all texels of the image
    /// offset(x + texels.width, y) - offset(x, y) = x_bytes, and offset(x, y + texels.height) - offset(x, y) = y_bytes.
    struct Translation {
        Extent2D texels;
        std::int64_t x_bytes = 0;
        std::int64_t y_bytes = 0;
    };
    [[nodiscard]] Translation period() const;

    /// Bytes from the first to past the last stored byte, padding included.
    [[nodiscard]] Bytes size() const { return size_; }
    [[nodiscard]] const LayoutSpec& spec() const { return spec_; }

private:
    [[nodiscard]] std::int64_t general_offset(Texel t) const;

    LayoutSpec spec_;
    Bytes bytes_per_texel_;
    std::int64_t outer_stride_ = 1; ///< blocks of the outermost level along its fast direction
    Bytes size_{0};
    bool separable_ = false; ///< row, column and Morton orders are sums of a table over x and one over y
    std::vector<std::int64_t> by_x_;
    std::vector<std::int64_t> by_y_;
};

} // namespace texelscope
