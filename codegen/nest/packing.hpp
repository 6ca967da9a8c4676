#pragma once

#include "codegen/nest/access_pattern.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "traces/index/index_expr.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// One dimension of a tensor as its packing sees it: how many values it stores, and which values
/// reads ask for. Values that are asked for and not stored must read as zero.
struct PackedDim {
    std::int64_t extent = 1; ///< texels, where the dimension is packed
    Range asked;

    /// The extent and a gap of zeros behind it, so wide that a value that is asked for below 0
    /// lands in the gap of the row before, and one beyond the extent in the gap of its own.
    [[nodiscard]] std::int64_t with_gap() const;
};

/// A side of an image, in texels. Throws bad_input where it exceeds 2^31 - 1; `name`: of the
/// tensor.
[[nodiscard]] std::int32_t image_side(std::int64_t texels, const std::string& name);

/// Where the texels of a tensor lie. A plane of texels holds every pair of a thread index t and a
/// reduction index r as the access pattern says (place()); the remaining dimensions choose the
/// plane. Planes lie below each other, in as many columns as it takes to keep the image's height to
/// `most_rows`. In a buffer the rows of all planes follow each other.
class Packing {
public:
    /// Largest height that is built as long as planes can go side by side: the least of the largest
    /// image heights among the mobile GPUs that the project knows.
    static constexpr std::int64_t most_rows = 16384;

    /// `outer`: the dimensions that choose the plane, outermost first. Throws bad_input where an
    /// image side exceeds 2^31 - 1; `name` is for the message.
    Packing(AccessPattern pattern, Memory memory, PackedDim thread, PackedDim reduction,
            std::vector<PackedDim> outer, const std::string& name);

    /// The texel of (t, r, outer...): x and y in an image, the number and 0 in a buffer.
    [[nodiscard]] Placement at(const IndexExpr& thread, const IndexExpr& reduction,
                               const std::vector<IndexExpr>& outer) const;
    /// Of the image; (texels, 1) for a buffer. It holds everything that is stored and, in a buffer,
    /// all that is asked for.
    [[nodiscard]] Extent2D extent() const { return extent_; }

private:
    AccessPattern pattern_;
    Memory memory_;
    std::vector<std::int64_t> outer_extents_; ///< with gaps; the first is not used
    std::int64_t plane_width_ = 1;
    std::int64_t plane_height_ = 1;
    std::int64_t planes_across_ = 1;
    bool one_plane_ = true;
    std::int64_t margin_ = 0; ///< texels in front of a buffer's first
    Extent2D extent_;
};

} // namespace texelscope::codegen
