#pragma once

#include "base/layers.hpp"
#include "model/bottleneck/set_cover.hpp"
#include "sim/cache/cache_geometry.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::model {

/// The lines of one image that a box of work-items touches when each of them makes one read.
struct WorkingSet {
    double lines = 1;
    double across = 0, down = 0; ///< columns and rows between the outermost texels that are read
    SetCover sets = SetCover::first();
};

/// A cache as the model sees it: its lines, and its sets as bits of a SetCover. Where a cache has
/// more sets than SetCover has bits, `fold` neighbouring sets share a bit.
struct CacheSets {
    double lines = 0;      ///< lines of the whole cache; 0: there is no cache
    double ways = 0;       ///< ways of all sets that one bit stands for, added up
    int bits = 1;          ///< bits of a SetCover that are used
    std::int64_t fold = 1; ///< sets that share one bit
    /// Whether lines are assumed to be spread evenly over all sets, so that sets need not be told
    /// apart: the cache folds addresses into the index, it has one set only, or its sets cannot be
    /// folded into bits.
    bool even = true;

    CacheSets() = default;
    /// Describes a cache of that geometry. Without a geometry, or with a capacity of 0, there is no
    /// cache (lines = 0).
    explicit CacheSets(const std::optional<CacheGeometry>& geometry);

    /// Share of these lines that is still in the cache when the next warp makes the same read,
    /// after other reads came in between.
    [[nodiscard]] double holds(const WorkingSet& set) const;

    /// The bit that stands for the set of a line; `line` is the line's number in memory.
    [[nodiscard]] int bit_of(std::int64_t line) const
    {
        return static_cast<int>(line / fold % bits);
    }
    /// The sets on which lines fall that lie at an offset of `b` from a line of `a`: see
    /// model::sums().
    [[nodiscard]] SetCover sums(const SetCover& a, const SetCover& b) const;
    /// The lines that several work-items touch together: `a` is where they begin, `b` is what each
    /// of them touches from there.
    [[nodiscard]] WorkingSet sums(const WorkingSet& a, const WorkingSet& b) const;
};

/// The lines of one cache that work-items side by side touch when each of them reads one texel of
/// one image, as tables over the number of work-items.
struct LineSpread {
    struct Axis {
        /// Distinct lines that n work-items along this axis touch: lines[n - 1]. Empty: it is one
        /// line for any n, as the read does not depend on this axis.
        std::vector<double> lines;
        /// The bit (CacheSets::bit_of()) of each work-item's line, relative to that of the first.
        std::vector<int> bits;
        /// Columns and rows of texels from the first work-item's to the n-th's.
        std::vector<double> across, down;
    };
    std::array<Axis, 3> along;
    /// Distinct lines that n neighbouring texels of a row touch (of_run[0][n - 1]), and those of a
    /// column (of_run[1][n - 1]).
    std::array<std::vector<double>, 2> of_run;

    /// Lines of a box of (across + 1) x (down + 1) texels. Infinite where `of_run` is not known, so
    /// that the box gives no upper bound.
    [[nodiscard]] double of_box(double across, double down) const;
};

/// The lines that a box of `items` work-items along x, y, z touches with one read each. Their
/// number is the product over the axes, but at most that of the box of texels around all reads.
[[nodiscard]] WorkingSet working_set(const LineSpread& spread,
                                     const std::array<std::int64_t, 3>& items,
                                     const CacheSets& cache);

/// What one work-item reads of one image between two reads of the same place; the first of the two
/// reads is included.
struct LineWindow {
    float lines = 0;            ///< distinct lines
    float across = 0, down = 0; ///< columns and rows between the outermost texels
    SetCover sets;              ///< sets of these lines, relative to the set of the first line

    bool operator==(const LineWindow&) const = default;
};

/// Share of an image's lines that a cache with least-recently-used replacement still holds when
/// work-items that keep in step come back to them. `image` is the place of this image in the other
/// arguments, which have an entry for each image: `windows` is what each work-item reads in
/// between, `sets` is what all resident work-items touch with one read, `spreads` is what `sets`
/// was made from.
///
/// The lines of an image fall on those sets that the sums of its window and its working set name,
/// evenly. How the images lie relative to each other is not known, so that the result is the
/// expected value over all relative positions. At most 31 images: the time doubles with each.
[[nodiscard]] double share_kept(std::size_t image, std::span<const LineWindow> windows,
                                std::span<const WorkingSet> sets,
                                std::span<const LineSpread* const> spreads, const CacheSets& cache);

} // namespace texelscope::model
