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

/// Finds out which granules of a warp access were met before in the same access. For each granule
/// of memory it keeps the number of the access that met it last: 4 bytes per granule.
class DistinctGranules {
public:
    /// For granule numbers below `granule_count`.
    explicit DistinctGranules(std::int64_t granule_count) : met_(granule_count) {}

    /// Starts an access.
    void clear()
    {
        if (++access_ ==
            0) { // the counter has wrapped around: old numbers would look like new ones
            met_.clear();
            access_ = 1;
        }
    }

    /// Adds a granule; true where it is the first time since clear().
    bool insert(std::int64_t granule)
    {
        std::uint32_t& met = met_[granule];
        const bool is_new = met != access_;
        met = access_;
        return is_new;
    }

    /// Adds `count` granules and moves those that are new, in order, to the front of the array.
    /// Returns how many are new.
    std::size_t keep_new(std::int32_t* granules, std::size_t count)
    {
        // Local copies, so that the compiler knows that writes to the table do not change them.
        std::uint32_t* const met = met_.data();
        const std::uint32_t access = access_;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int32_t granule = granules[i];
            std::uint32_t& last = met[line_place(granule)];
            granules[kept] = granule; // the next granule overwrites it if it is not new
            kept += last != access ? std::size_t{1} : std::size_t{0};
            last = access;
        }
        return kept;
    }

private:
    LineTable<std::uint32_t> met_;
    std::uint32_t access_ = 0; ///< number of the present access
};

/// Where the lanes of a warp access read, relative to the texel of the first lane.
struct LaneShape {
    std::vector<Texel> lanes; ///< by lane; the first is (0, 0)
    Texel min;                ///< least column and row of all lanes
    Texel max;                ///< greatest column and row of all lanes

    /// Whether all lanes lie inside of an image when the first one is at that texel.
    [[nodiscard]] bool fits(Texel first, Extent2D extent) const
    {
        return first.x + min.x >= 0 && first.y + min.y >= 0 && first.x + max.x < extent.width &&
               first.y + max.y < extent.height;
    }
};

/// The distinct shapes of a launch, numbered in the order in which they are met.
class LaneShapes {
public:
    /// Number of the shape whose lanes read columns x and rows y; there must be at least one lane.
    /// A shape that was not met before gets the next number.
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

/// Finds the distinct granules (sectors, or lines where there are none) that warp accesses need.
class Coalescer {
public:
    /// `images` must outlive this; `granule` in bytes.
    Coalescer(std::span<const StoredImage> images, std::int64_t granule);

    /// The granules of one access. Valid until the next access.
    struct Coalesced {
        /// Numbers of the distinct granules, in the order of the first lane that needs each.
        std::span<const std::int32_t> granules;
        /// By granule: its image. Empty where all of them are of the image `image`.
        std::span<const std::uint16_t> images;
        std::uint16_t image = 0;
        std::int64_t texel_reads = 0; ///< number of lanes that touch memory
        /// By granule: index of the first lane that needs it; empty where it was not asked for.
        std::span<const std::uint16_t> first_lanes;
    };
    /// `first_lanes`: whether Coalesced::first_lanes is wanted.
    Coalesced coalesce(std::span<const LaneRead> lanes, bool first_lanes = false);
    /// Coalesces lanes that read one image at the texels `lanes`, each moved by `first`. The result
    /// has first_lanes.
    Coalesced coalesce(std::uint16_t image, std::span<const Texel> lanes, Texel first);

private:
    /// What was found so far in an access.
    struct Progress {
        std::size_t count = 0; ///< entries of granules_ in use
        std::int64_t texel_reads = 0;
    };
    /// Starts an access of so many lanes: makes room for as many granules as they can need.
    void start(std::size_t lanes);
    const std::optional<GranuleSums>& sums_of(std::uint16_t image);
    /// Adds lanes [begin, end), which read `image` at texel_of(lane), with their first lanes.
    template <class TexelOf>
    Progress add(const StoredImage& image, std::size_t begin, std::size_t end,
                 const TexelOf& texel_of, Progress progress);

    std::span<const StoredImage> images_;
    std::int64_t granule_;
    /// The GranuleSums of an image, made when they are first needed: most simulations use
    /// LinePatterns and never need them.
    struct ImageSums {
        bool made = false;
        std::optional<GranuleSums> sums;
    };
    std::vector<ImageSums> sums_; ///< by image
    std::size_t granules_per_texel_;
    DistinctGranules distinct_;
    std::vector<std::int32_t> granules_;
    std::vector<std::uint16_t> granule_images_;
    std::vector<std::uint16_t> first_lanes_;
};

} // namespace texelscope::sim
