#pragma once

#include "sim/cache/cache.hpp"
#include "sim/memory/distinct_granules.hpp"
#include "sim/memory/image_storage.hpp"
#include "sim/options/options.hpp"
#include "sim/result/simulation_observer.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::sim {

/// The storage of the images and the caches in front of it: one L1 a core, one L2 for all (or none).
class MemoryHierarchy {
public:
    MemoryHierarchy(std::span<const Image> images, const SimulationOptions& options);

    /// One warp access, looked up: the lanes that touch memory, and the distinct lines (sectors) in the order of their
    /// first occurrence over the lanes. Valid until the next access.
    struct Outcome {
        std::span<const LaneRead> lanes;
        std::span<const LookupEvent> lookups; ///< image, texel, address, l1, l2 are set
        std::int64_t border_reads = 0;
    };
    Outcome access(int core, const WarpAccess& access);

    [[nodiscard]] CacheStatistics l1(int core) const;
    [[nodiscard]] CacheStatistics l2() const;
    [[nodiscard]] Bytes memory_bytes() const;

private:
    std::vector<StoredImage> images_;
    std::vector<Cache> l1_;
    std::vector<Cache> l2_; ///< one or none
    std::vector<std::int64_t> texel_reads_;
    std::int64_t granule_bytes_;
    std::int64_t line_bytes_;

    std::vector<LaneRead> lanes_;
    std::vector<LookupEvent> lookups_;
    DistinctGranules distinct_;
};

} // namespace texelscope::sim
