#pragma once

#include "base/layers.hpp"

#include <cstdint>

namespace texelscope::sim {

/// Counters of one cache that add up over any cutting of a launch.
struct CacheCounts {
    std::int64_t texel_reads = 0; ///< L1 only
    std::int64_t lookups = 0;
    std::int64_t misses = 0;
    /// Misses that a fully associative LRU cache of the same capacity has too; all of them where kinds are not asked for.
    std::int64_t ideal_misses = 0;
    std::int64_t evictions = 0;

    CacheCounts& operator+=(const CacheCounts& other)
    {
        texel_reads += other.texel_reads;
        lookups += other.lookups;
        misses += other.misses;
        ideal_misses += other.ideal_misses;
        evictions += other.evictions;
        return *this;
    }
    friend CacheCounts operator-(CacheCounts a, const CacheCounts& b) { return a += b * -1; }
    friend CacheCounts operator*(const CacheCounts& a, std::int64_t factor)
    {
        return {a.texel_reads * factor, a.lookups * factor, a.misses * factor, a.ideal_misses * factor,
                a.evictions * factor};
    }
};

} // namespace texelscope::sim
