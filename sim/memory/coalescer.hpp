#pragma once

#include "sim/cache/line_table.hpp"
#include "sim/memory/granule_sums.hpp"
#include "sim/memory/image_storage.hpp"
#include "traces/image.hpp"
#include "traces/trace_source.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::sim {

/// Finds out which granules of a warp access were met before in the same access: a table over all
/// granules of the number of the access that met each last. 4 bytes a granule.
class DistinctGranules {
public:
    /// For granule numbers below `granule_count`.
    explicit DistinctGranules(std::int64_t granule_count) : met_(granule_count) {}

    /// Starts an access.
    void clear()
    {
        if (++access_ == 0) { // the numbers start again
            met_.clear();
            access_ = 1;
        }
    }

    /// True the first time that it is asked for a granule since clear().
    bool insert(std::int64_t granule)
    {
        std::uint32_t& met = met_[granule];
        const bool is_new = met != access_;
        met = access_;
        return is_new;
    }

    /// Leaves those that insert() would be true for, in order: how many.
    std::size_t keep_new(std::int32_t* granules, std::size_t count)
    {
        std::uint32_t* const met = met_.data(); // copies, which no write to the table can change
        const std::uint32_t access = access_;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int32_t granule = granules[i];
            std::uint32_t& last = met[line_place(granule)];
            granules[kept] = granule; // overwritten by the next one where it is not new
            kept += last != access ? std::size_t{1} : std::size_t{0};
            last = access;
        }
        return kept;
    }

private:
    LineTable<std::uint32_t> met_;
    std::uint32_t access_ = 0; ///< number of the one under way
};

/// Where the lanes of a warp access read, relative to the first one.
struct LaneShape {
    std::vector<Texel> lanes;
    Texel min; ///< corner of the box around them
    Texel max; ///< its opposite corner, included

    /// Whether all lanes lie inside of an image when the first one is at that texel.
    [[nodiscard]] bool fits(Texel first, Extent2D extent) const
    {
        return first.x + min.x >= 0 && first.y + min.y >= 0 && first.x + max.x < extent.width &&
               first.y + max.y < extent.height;
    }
};

/// The different shapes of a launch, numbered.
class LaneShapes {
public:
    /// Number of the shape whose lanes read these columns and rows; there is at least one lane.
    int number(std::span<const std::int32_t> x, std::span<const std::int32_t> y);
    [[nodiscard]] const LaneShape& operator[](int shape) const
    {
        return shapes_[static_cast<std::size_t>(shape)];
    }
    [[nodiscard]] int count() const { return static_cast<int>(shapes_.size()); }

private:
    std::map<std::vector<Texel>, int> numbers_;
    std::deque<LaneShape> shapes_; ///< grows without moving
};

/// Finds the distinct granules (lines, or sectors where there are some) that warp accesses need.
class Coalescer {
public:
    /// `images` must outlive this; `granule` in bytes.
    Coalescer(std::span<const StoredImage> images, std::int64_t granule);

    /// Valid until the next access.
    struct Coalesced {
        std::span<const std::int32_t> granules; ///< in the order of the first lane that needs each
        /// Of each granule; empty where `image` is that of all of them.
        std::span<const std::uint16_t> images;
        std::uint16_t image = 0;
        std::int64_t texel_reads = 0; ///< lanes that touch memory
        /// Of each granule, where it was asked for: index of the first lane that needs it.
        std::span<const std::uint16_t> first_lanes;
    };
    Coalesced coalesce(std::span<const LaneRead> lanes, bool first_lanes = false);
    /// Lanes that read one image at these texels, all moved by `first`. Tells the first lanes.
    Coalesced coalesce(std::uint16_t image, std::span<const Texel> lanes, Texel first);

private:
    /// Lanes that read one image. The length of granules_ is that of most granules; `count` of them
    /// are in use.
    struct Progress {
        std::size_t count = 0;
        std::int64_t texel_reads = 0;
    };
    void start(std::size_t lanes);
    const std::optional<GranuleSums>& sums_of(std::uint16_t image);
    /// Lanes [begin, end), each at texel_of(lane). Notes the first lanes.
    template <class TexelOf>
    Progress add(const StoredImage& image, std::size_t begin, std::size_t end,
                 const TexelOf& texel_of, Progress progress);

    std::span<const StoredImage> images_;
    std::int64_t granule_;
    /// Made when an image is first coalesced in this way: most simulations go by patterns and never
    /// ask.
    struct ImageSums {
        bool made = false;
        std::optional<GranuleSums> sums;
    };
    std::vector<ImageSums> sums_; ///< of each image
    std::size_t granules_per_texel_;
    DistinctGranules distinct_;
    std::vector<std::int32_t> granules_;
    std::vector<std::uint16_t> granule_images_;
    std::vector<std::uint16_t> first_lanes_;
};

} // namespace texelscope::sim
