#pragma once

#include "sim/memory/distinct_granules.hpp"
#include "sim/memory/image_storage.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::sim {

/// Finds the distinct granules (lines, or sectors where there are some) that warp accesses need.
class Coalescer {
public:
    /// `images` must outlive this; `granule` in bytes.
    Coalescer(std::span<const StoredImage> images, std::int64_t granule);

    /// Valid until the next access.
    struct Coalesced {
        std::span<const std::int32_t> granules; ///< in the order of the first lane that needs each
        std::span<const std::uint16_t> images;  ///< of each granule; empty where `image` is that of all of them
        std::uint16_t image = 0;
        std::int64_t texel_reads = 0; ///< lanes that touch memory
        /// Of each granule, where it was asked for: index of the first lane that needs it.
        std::span<const std::uint16_t> first_lanes;
    };
    Coalesced coalesce(std::span<const LaneRead> lanes, bool first_lanes = false);
    /// Lanes that read one image at these texels, all moved by `first`. Tells the first lanes.
    Coalesced coalesce(std::uint16_t image, std::span<const Texel> lanes, Texel first);

private:
    /// Lanes that read one image. The length of granules_ is that of most granules; `count` of them are in use.
    struct Progress {
        std::size_t count = 0;
        std::int64_t texel_reads = 0;
    };
    void start(std::size_t lanes);
    /// Lanes [begin, end), each at texel_of(lane). Notes the first lanes.
    template <class TexelOf>
    Progress add(const StoredImage& image, std::size_t begin, std::size_t end, const TexelOf& texel_of,
                 Progress progress);
    /// The same where layout offsets are sums over x and y, and no texel lies across granules. Notes no lanes.
    Progress add_sums(const StoredImage& image, std::span<const LaneRead> lanes, Progress progress);

    std::span<const StoredImage> images_;
    std::int64_t granule_;
    int granule_shift_ = -1; ///< log2(granule) where that is whole
    std::size_t granules_per_texel_;
    DistinctGranules distinct_;
    std::vector<std::int32_t> granules_;
    std::vector<std::uint16_t> granule_images_;
    std::vector<std::uint16_t> first_lanes_;
};

} // namespace texelscope::sim
