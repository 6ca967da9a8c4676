#pragma once

#include "sim/cache/fill_outcome.hpp"
#include "sim/memory/address_turns.hpp"
#include "sim/memory/coalescer.hpp"
#include "sim/memory/image_storage.hpp"
#include "sim/options/options.hpp"

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace texelscope::sim {

/// The distinct granules (sectors, or lines where there are none) that a warp access needs, in the
/// order of the first lane that needs each.
struct LinePattern {
    std::vector<std::int32_t> granules;    ///< relative to a granule that Placed::first gives
    std::vector<std::uint16_t> first_lane; ///< by granule: index of the first lane that needs it
    /// Lengths of the stretches of successive granules that go to the same set of L1. Empty where
    /// the set of a granule is not simply (granule mod sets).
    std::vector<std::int32_t> runs;
    std::int32_t longest_run = 0; ///< greatest of `runs`
    std::int64_t texel_reads = 0; ///< number of lanes that touch memory
    int turns = 0;                ///< cycles of the texture unit for the addresses (AddressTurns)

    bool operator==(const LinePattern&) const = default;
};

/// By how many bytes a step in texels moves every texel of an image, where the step is a whole
/// number of the layout's periods.
[[nodiscard]] inline std::int64_t bytes_moved(Texel step, const Translation& period)
{
    return step.x / period.texels.width * period.x_bytes +
           step.y / period.texels.height * period.y_bytes;
}

/// Coalesces the lanes of warp accesses, each pattern only once. A storage layout repeats itself
/// from block to block, so a shape of lanes has only as many different patterns as there are places
/// in a period of the layout. The Coalescer finds each of them once, and the result is remembered.
class LinePatterns {
public:
    /// `images` and `shapes` must outlive this.
    LinePatterns(std::span<const StoredImage> images, const SimulationOptions& options,
                 const LaneShapes& shapes);

    struct Placed {
        const LinePattern* pattern; ///< valid until the next call, unless it is remembered
        std::int64_t first;         ///< granule to which the pattern is relative
        bool is_remembered = false; ///< the pattern never changes, and is of this image alone

        /// The granules, all distinct, as a list for lookups.
        [[nodiscard]] LineList lines() const
        {
            return {first, pattern->granules, true, pattern->runs, pattern->longest_run};
        }
    };
    /// The granules that lanes of a shape need when the first lane reads the texel `first`. Lanes
    /// may lie outside of the image.
    Placed find(int image, int shape, Texel first)
    {
        const LaneShape& lanes = shapes_[shape];
        const Tables& tables = tables_[static_cast<std::size_t>(image)];
        if (!tables.repeats || !lanes.fits(first, tables.extent)) {
            return {&coalesce(image, lanes, first, 0), 0};
        }
        const Column& column = tables.columns[static_cast<std::size_t>(first.x)];
        const Column& row = tables.rows[static_cast<std::size_t>(first.y)];
        const std::int64_t anchor = column.anchor + row.anchor;
        const auto phase = static_cast<std::size_t>(column.phase + row.phase);
        std::vector<const LinePattern*>& known = memo(image, shape);
        if (known.size() <= phase || known[phase] == nullptr) {
            remember(known, phase, image, lanes, first, anchor);
        }
        return {known[phase], anchor, true};
    }

    /// The periods of an image's storage in x and y: steps in texels that move all texels by the
    /// same number of bytes, which is a multiple of every cache's line.
    [[nodiscard]] const Translation& period(int image) const
    {
        return tables_[static_cast<std::size_t>(image)].period;
    }

private:
    /// Where a column or row of texels lies in the repetition of the layout. Phases and anchors of
    /// a column and a row add up to those of their texel.
    struct Column {
        /// Place in the period; for rows, multiplied by the width of the period.
        std::int32_t phase = 0;
        std::int64_t anchor = 0; ///< granule where the period starts
    };
    /// What is known of an image.
    struct Tables {
        Translation period;
        Extent2D extent;
        bool repeats = false; ///< a period has few enough places to remember a pattern for each
        std::vector<Column> columns;
        std::vector<Column> rows;
    };

    std::vector<const LinePattern*>& memo(int image, int shape)
    {
        auto& by_shape = memo_[static_cast<std::size_t>(image)];
        if (by_shape.size() <= static_cast<std::size_t>(shape)) {
            by_shape.resize(static_cast<std::size_t>(shape) + 1);
        }
        return by_shape[static_cast<std::size_t>(shape)];
    }
    void remember(std::vector<const LinePattern*>& known, std::size_t phase, int image,
                  const LaneShape& lanes, Texel first, std::int64_t anchor);
    /// Coalesces lanes into scratch_, relative to granule `anchor`.
    const LinePattern& coalesce(int image, const LaneShape& lanes, Texel first,
                                std::int64_t anchor);

    std::span<const StoredImage> images_;
    const LaneShapes& shapes_;
    std::int64_t granule_; ///< bytes
    std::int64_t sets_;    ///< sets of L1; 0 where the set of a granule is not (granule mod sets)
    std::vector<Tables> tables_;
    std::vector<std::vector<std::vector<const LinePattern*>>> memo_; ///< [image][shape][phase]
    std::deque<LinePattern> patterns_;
    LinePattern scratch_;
    Coalescer coalescer_;
    AddressTurns turns_;
};

} // namespace texelscope::sim
