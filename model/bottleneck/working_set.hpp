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

/// Lines of one image that so many work-items touch with one read each.
struct WorkingSet {
    double lines = 1;
    double across = 0, down = 0; ///< columns and rows between their outermost texels
    SetCover sets = SetCover::first();
};

/// The sets of a cache as a SetCover has them: neighbouring sets of larger caches share a bit.
struct CacheSets {
    double lines = 0;      ///< of the whole cache; 0: there is none
    double ways = 0;       ///< of what one bit stands for
    int bits = 1;          ///< that are used
    std::int64_t fold = 1; ///< sets to a bit
    /// Whether lines are taken to fall on all sets alike: the index folds addresses, or there is
    /// one set only.
    bool even = true;

    CacheSets() = default;
    /// Of a cache of that geometry; none where there is none, or its capacity is 0.
    explicit CacheSets(const std::optional<CacheGeometry>& geometry);

    /// Share of these lines that is still there when another warp comes to them, in whose way other
    /// reads were.
    [[nodiscard]] double holds(const WorkingSet& set) const;

    /// The bit of the set of a line, by its number in memory.
    [[nodiscard]] int bit_of(std::int64_t line) const
    {
        return static_cast<int>(line / fold % bits);
    }
    /// All sums of a set of the one and one of the other.
    [[nodiscard]] SetCover sums(const SetCover& a, const SetCover& b) const;
    /// Lines of work-items each of which touches as many as the other says, from places of its own
    /// on.
    [[nodiscard]] WorkingSet sums(const WorkingSet& a, const WorkingSet& b) const;
};

/// Lines of one cache that work-items side by side touch when each of them reads one texel of an
/// image.
struct LineSpread {
    struct Axis {
        /// Distinct ones of n work-items: lines[n - 1]; empty: the axis makes no difference.
        std::vector<double> lines;
        /// The set of each work-item's line, relative to the first one's.
        std::vector<int> bits;
        /// Columns and rows of texels from the first work-item's to the n-th's.
        std::vector<double> across, down;
    };
    std::array<Axis, 3> along;
    /// Distinct lines of n texels in a row, and in a column: at [n - 1].
    std::array<std::vector<double>, 2> of_run;

    /// Lines of a box of texels, which has so many columns and rows more than one; infinity where
    /// runs are not known.
    [[nodiscard]] double of_box(double across, double down) const;
};

[[nodiscard]] WorkingSet working_set(const LineSpread& spread,
                                     const std::array<std::int64_t, 3>& items,
                                     const CacheSets& cache);

/// What one work-item reads of one image between two reads of the same place, the first of them
/// among it.
struct LineWindow {
    float lines = 0;            ///< distinct
    float across = 0, down = 0; ///< columns and rows between the outermost texels
    SetCover sets;              ///< relative to that of the first

    bool operator==(const LineWindow&) const = default;
};

/// Share of the lines of an image that a cache with least-recently-used replacement still has when
/// work-items that keep in step come back to them: `sets` is what these touch of each image in one
/// read, `windows` what each of them reads in between. Lines fall on the sets that the sums of both
/// name, evenly; where those of other images lie relative to them is left to chance.
[[nodiscard]] double share_kept(std::size_t image, std::span<const LineWindow> windows,
                                std::span<const WorkingSet> sets,
                                std::span<const LineSpread* const> spreads, const CacheSets& cache);

} // namespace texelscope::model
