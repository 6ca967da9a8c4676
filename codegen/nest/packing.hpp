#pragma once

#include "codegen/nest/access_pattern.hpp"
#include "codegen/nest/schedule.hpp"
#include "traces/index/index_expr.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// One dimension of a tensor as its packing sees it: how many values are stored, and which indices
/// reads ask for. An index that is asked for but not stored must read as zero.
struct PackedDim {
    /// Values stored; in texels if texels hold neighbours along this dimension.
    std::int64_t extent = 1;
    /// Indices that reads ask for, both ends included. They may lie below 0 or beyond the extent.
    Range asked;

    /// The extent with a gap of zeros behind it. The gap is wide enough for both directions: an
    /// index below 0 lands in the gap of the row before, one beyond the extent in the gap of its
    /// own row.
    [[nodiscard]] std::int64_t with_gap() const;
};

/// Checks the side of an image, in texels, and narrows it. Throws bad_input, naming the tensor,
/// where it exceeds 2^31 - 1.
[[nodiscard]] std::int32_t image_side(std::int64_t texels, const std::string& name);

/// Where the texels of a tensor lie. A plane of texels holds every pair of a thread index t and a
/// reduction index r, placed by the access pattern (place()). The remaining dimensions, called
/// outer, choose the plane. Planes lie below each other, in as many columns of planes as keep the
/// image's height within `most_rows`. In a buffer, the rows of all planes follow each other.
class Packing {
public:
    /// Height of an image, in texels, above which planes are put side by side where possible. It is
    /// the smallest of the image height limits of the mobile GPUs that the project knows.
    static constexpr std::int64_t most_rows = 16384;

    /// `outer`: the dimensions that choose the plane, outermost first. Throws bad_input where an
    /// image side exceeds 2^31 - 1; `name` is for the message.
    Packing(AccessPattern pattern, Memory memory, PackedDim thread, PackedDim reduction,
            std::vector<PackedDim> outer, const std::string& name);

    /// The texel of the index (t, r, outer...): x and y in an image; in a buffer its number, and 0.
    [[nodiscard]] Placement at(const IndexExpr& thread, const IndexExpr& reduction,
                               const std::vector<IndexExpr>& outer) const;
    /// Size of the image, or (texels, 1) for a buffer. It has room for everything that is stored.
    /// In a buffer also for everything that is asked for, because a buffer has no edge beyond which
    /// reads give zero.
    [[nodiscard]] Extent2D extent() const { return extent_; }

private:
    AccessPattern pattern_;
    Memory memory_;
    /// Extents with their gaps; that of the first is not used.
    std::vector<std::int64_t> outer_extents_;
    std::int64_t plane_width_ = 1;
    std::int64_t plane_height_ = 1;
    std::int64_t planes_across_ = 1;
    bool one_plane_ = true;
    std::int64_t margin_ = 0; ///< texels in front of a buffer's first
    Extent2D extent_;
};

} // namespace texelscope::codegen
