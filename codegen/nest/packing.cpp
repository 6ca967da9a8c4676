#include "codegen/nest/packing.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace texelscope::codegen {
namespace {

/// A variable that stands for a dimension whose asked values are known; only its bounds matter.
IndexExpr asked(int slot, const PackedDim& dim)
{
    return IndexExpr(Variable{slot, "d" + std::to_string(slot), dim.asked});
}

} // namespace

std::int32_t image_side(std::int64_t texels, const std::string& name)
{
    if (texels > std::numeric_limits<std::int32_t>::max()) {
        throw bad_input(fmt::format("{} takes {} texels along one side", name, texels), "packing",
                        "use a smaller shape or another pattern");
    }
    return static_cast<std::int32_t>(texels);
}

std::int64_t PackedDim::with_gap() const
{
    return extent + std::max({std::int64_t{0}, -asked.min, asked.max - (extent - 1)});
}

Packing::Packing(AccessPattern pattern, Memory memory, PackedDim thread, PackedDim reduction,
                 std::vector<PackedDim> outer, const std::string& name)
    : pattern_(pattern), memory_(memory)
{
    const auto stays = [](const PackedDim& dim) {
        return dim.extent == 1 && dim.asked == Range{0, 0};
    };
    one_plane_ = std::all_of(outer.begin(), outer.end(), stays);
    const bool buffer = memory == Memory::buffer;
    std::int64_t planes = outer.empty() ? 1 : outer.front().extent;
    for (std::size_t i = 0; i < outer.size(); ++i) {
        // The outermost dimension that chooses planes needs no gap: an index that leaves it leaves
        // the image, where reads give zero (a buffer has a margin there instead). Dimensions that
        // stay at one place do not count.
        const bool leads =
            std::all_of(outer.begin(), outer.begin() + static_cast<std::ptrdiff_t>(i), stays);
        outer_extents_.push_back(leads ? outer[i].extent : outer[i].with_gap());
        planes = i == 0 ? outer[i].extent : planes * outer_extents_.back();
    }

    // A single plane needs no gaps, as what leaves it leaves the image. Several planes need gaps,
    // so that a read that leaves one does not hit its neighbour.
    const auto shape = [&](bool gap_thread, bool gap_reduction) {
        // In a block pattern the gap along r consists of whole columns of blocks: r mod k runs down
        // a block, so that a partial column would be entered from above.
        const std::int64_t k = block_rows(pattern);
        const std::int64_t whole = ceil_div(reduction.extent, k) * k;
        const Extent2D plane = packed_extent(
            pattern, gap_thread ? thread.with_gap() : thread.extent,
            gap_reduction ? whole + reduction.with_gap() - reduction.extent : reduction.extent);
        plane_width_ = plane.width;
        plane_height_ = plane.height;
    };
    const bool thread_across = pattern == AccessPattern::column;
    // An index that leaves a row of a buffer sideways reaches the next row, so that rows of buffers
    // need gaps. One that leaves a plane downwards reaches the plane below, so that planes need
    // gaps if there are several.
    const auto gaps = [&](bool across, bool down) {
        shape(thread_across ? across : down, thread_across ? down : across);
    };
    gaps(buffer, !one_plane_);
    if (buffer) {
        // Rows that lie a multiple of 1 KB apart (in fp32; half of that in fp16) map to few sets of
        // a cache. A line of padding at the end of each row avoids that.
        constexpr std::int64_t colliding_texels = 64, line_texels = 4;
        if (plane_width_ % colliding_texels == 0 && plane_height_ > 1) {
            plane_width_ += line_texels;
        }
        std::vector<IndexExpr> all;
        for (std::size_t i = 0; i < outer.size(); ++i) {
            all.push_back(asked(static_cast<int>(i) + 2, outer[i]));
        }
        const Range reads = at(asked(0, thread), asked(1, reduction), all).x.bounds();
        margin_ = std::max<std::int64_t>(0, -reads.min);
        extent_ = {
            image_side(margin_ + std::max(reads.max + 1, planes * plane_height_ * plane_width_),
                       name),
            1};
        return;
    }
    if (!one_plane_ && planes * plane_height_ > most_rows) {
        gaps(true, true);
        const std::int64_t stacked = std::max<std::int64_t>(1, most_rows / plane_height_);
        planes_across_ = ceil_div(planes, stacked);
    }
    extent_ = {image_side(plane_width_ * planes_across_, name),
               image_side(ceil_div(planes, planes_across_) * plane_height_, name)};
}

Placement Packing::at(const IndexExpr& thread, const IndexExpr& reduction,
                      const std::vector<IndexExpr>& outer) const
{
    Placement at = place(pattern_, thread, reduction);
    if (!one_plane_) {
        IndexExpr plane = outer.front();
        for (std::size_t i = 1; i < outer.size(); ++i) {
            plane = plane * outer_extents_[i] + outer[i];
        }
        if (planes_across_ > 1) {
            at.x = mod(plane, planes_across_) * plane_width_ + at.x;
            plane = floor_div(plane, planes_across_);
        }
        at.y = plane * plane_height_ + at.y;
    }
    if (memory_ == Memory::buffer) {
        return {at.y * plane_width_ + at.x + margin_, IndexExpr(0)};
    }
    return at;
}

} // namespace texelscope::codegen
