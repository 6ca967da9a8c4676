#pragma once

#include "codegen/nest/packing.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// Where the texels of a tensor lie if each of its dimensions numbers either columns or rows of the
/// image: with dimensions a, b across, and c, d down, x = a B + b and y = c D + d, where B and D
/// are the extents of b and d. In a buffer, the rows follow each other. A dimension whose index can
/// leave its extent has a gap of zeros behind it, as wide as the indices asked for need; it has
/// none if an index that leaves the dimension also leaves the image.
class SidePacking {
public:
    /// `across`, `down`: outermost first. Throws bad_input where an image side exceeds 2^31 - 1;
    /// `name` is for the message.
    SidePacking(Memory memory, const std::vector<PackedDim>& across,
                const std::vector<PackedDim>& down, const std::string& name);

    /// The texel of an index: x and y in an image; in a buffer its number, and 0. The arguments
    /// have one index for each dimension, in the order given to the constructor.
    [[nodiscard]] Placement at(const std::vector<IndexExpr>& across,
                               const std::vector<IndexExpr>& down) const;
    /// Size of the image, or (texels, 1) for a buffer. It has room for everything that is stored
    /// and, in a buffer, for everything that is asked for.
    [[nodiscard]] Extent2D extent() const { return extent_; }

private:
    /// The dimensions that together number the columns, or the rows.
    struct Side {
        /// Extents with their gaps; that of the outermost is not used.
        std::vector<std::int64_t> extents;
        std::int64_t length = 1;
    };
    [[nodiscard]] static Side side(const std::vector<PackedDim>& dims, bool leaving);
    [[nodiscard]] static IndexExpr number(const Side& side, const std::vector<IndexExpr>& index);

    Memory memory_;
    Side across_;
    Side down_;
    std::int64_t margin_ = 0; ///< texels in front of a buffer's first
    Extent2D extent_;
};

} // namespace texelscope::codegen
