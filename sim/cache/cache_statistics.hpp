#pragma once

#include "base/layers.hpp"
#include "base/units.hpp"

#include <cstdint>

namespace texelscope::sim {

/// Counters of one cache. They add up, however a launch is cut into parts. (The kinds of misses do
/// not: they follow at the end, see Cache::statistics().)
struct CacheCounts {
    std::int64_t texel_reads = 0; ///< lanes that touch memory; L1 only
    std::int64_t lookups = 0;
    std::int64_t misses = 0;
    /// Misses that a fully associative LRU cache of the same capacity has, too; all misses where
    /// kinds are not asked for.
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
        return {a.texel_reads * factor, a.lookups * factor, a.misses * factor,
                a.ideal_misses * factor, a.evictions * factor};
    }
};

/// Counters of one cache, or the sum over several. To get one phase alone, subtract the counters
/// before it from those after it.
struct CacheStatistics {
    std::int64_t texel_reads = 0; ///< lanes that touch memory; L1 only
    std::int64_t lookups = 0;
    std::int64_t hits = 0;
    std::int64_t compulsory = 0;
    std::int64_t capacity = 0;
    std::int64_t conflict = 0;
    std::int64_t evictions = 0;
    Bytes bytes_filled{0};
    std::int64_t unclassified = 0; ///< all misses, where kinds are not asked for

    [[nodiscard]] std::int64_t misses() const
    {
        return compulsory + capacity + conflict + unclassified;
    }
    /// Whether every miss has its kind.
    [[nodiscard]] bool kinds_known() const { return unclassified == 0; }
    /// These counters with all misses unclassified.
    [[nodiscard]] CacheStatistics without_kinds() const
    {
        CacheStatistics s = *this;
        s.unclassified = misses();
        s.compulsory = s.capacity = s.conflict = 0;
        return s;
    }
    /// Misses per lookup; 0 where nothing was looked up.
    [[nodiscard]] double miss_rate() const
    {
        return lookups == 0 ? 0.0 : static_cast<double>(misses()) / static_cast<double>(lookups);
    }

    bool operator==(const CacheStatistics&) const = default;
    /// Adds `factor` times the other.
    CacheStatistics& add(const CacheStatistics& other, std::int64_t factor)
    {
        texel_reads += other.texel_reads * factor;
        lookups += other.lookups * factor;
        hits += other.hits * factor;
        compulsory += other.compulsory * factor;
        capacity += other.capacity * factor;
        conflict += other.conflict * factor;
        unclassified += other.unclassified * factor;
        evictions += other.evictions * factor;
        bytes_filled += other.bytes_filled * factor;
        return *this;
    }
    CacheStatistics& operator+=(const CacheStatistics& other) { return add(other, 1); }
    friend CacheStatistics operator+(CacheStatistics a, const CacheStatistics& b)
    {
        return a.add(b, 1);
    }
    friend CacheStatistics operator-(CacheStatistics a, const CacheStatistics& b)
    {
        return a.add(b, -1);
    }
};

} // namespace texelscope::sim
