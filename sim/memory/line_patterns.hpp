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

/// The distinct granules (lines, or sectors where there are some) that a warp access needs, in the
/// order of the first lane that needs each; relative to some granule.
struct LinePattern {
    std::vector<std::int32_t> granules;
    std::vector<std::uint16_t> first_lane; ///< for each granule: index into the shape's lanes
    /// Lengths of the stretches of granules that go to one set of L1; empty where sets are not
    /// granules mod sets.
    std::vector<std::int32_t> runs;
    std::int32_t longest_run = 0;
    std::int64_t texel_reads = 0; ///< lanes that touch memory
    int turns = 0;                ///< of the texture unit for the addresses (AddressTurns)

    bool operator==(const LinePattern&) const = default;
};

/// Bytes by which a step that is a whole number of periods moves texels.
[[nodiscard]] inline std::int64_t bytes_moved(Texel step, const Translation& period)
{
    return step.x / period.texels.width * period.x_bytes +
           step.y / period.texels.height * period.y_bytes;
}

/// Coalesces the lanes of a warp access. A storage layout repeats itself from block to block, so
/// there are only as many different patterns of a shape as there are places in a block: the
/// Coalescer finds each once.
class LinePatterns {
public:
    /// `images` and `shapes` must outlive this.
    LinePatterns(std::span<const StoredImage> images, const SimulationOptions& options,
                 const LaneShapes& shapes);

    struct Placed {
        const LinePattern* pattern; ///< valid until the next call
        std::int64_t first;         ///< granule to which the pattern is relative
        bool is_remembered = false; ///< the pattern stays as it is, and is that of this image alone

        /// The granules, all different.
        [[nodiscard]] LineList lines() const
        {
            return {first, pattern->granules, true, pattern->runs, pattern->longest_run};
        }
    };
    /// Lanes of the shape with the first one at that texel; lanes may lie outside of the image.
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

    /// A step in x and one in y by which every granule of the image moves by whole lines of every
    /// cache, and the same number of them; and how far, in bytes.
    [[nodiscard]] const Translation& period(int image) const
    {
        return tables_[static_cast<std::size_t>(image)].period;
    }

private:
    /// Where a column or row of texels lies in the repetition of the layout.
    struct Column {
        std::int32_t phase = 0;  ///< place in the period; of rows, times the width of the period
        std::int64_t anchor = 0; ///< granules
    };
    struct Tables {
        Translation period;
        Extent2D extent;
        bool repeats = false; ///< few enough places in a period to remember them all
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
    /// Into scratch_.
    const LinePattern& coalesce(int image, const LaneShape& lanes, Texel first,
                                std::int64_t anchor);

    std::span<const StoredImage> images_;
    const LaneShapes& shapes_;
    std::int64_t granule_; ///< bytes
    std::int64_t sets_;    ///< of L1; 0 where a granule is no line, or its set no remainder
    std::vector<Tables> tables_;
    std::vector<std::vector<std::vector<const LinePattern*>>> memo_; ///< [image][shape][phase]
    std::deque<LinePattern> patterns_;
    LinePattern scratch_;
    Coalescer coalescer_;
    AddressTurns turns_;
};

} // namespace texelscope::sim
