#pragma once

#include "base/units.hpp"

#include <cstdint>

namespace texelscope::sim {

/// Counters of one cache, or the sum over several. A value: subtract the one taken before a phase from the one taken
/// after it to get the phase alone.
struct CacheStatistics {
    std::int64_t texel_reads = 0; ///< lanes that read inside their image (L1 only)
    std::int64_t lookups = 0;
    std::int64_t hits = 0;
    std::int64_t compulsory = 0;
    std::int64_t capacity = 0;
    std::int64_t conflict = 0;
    std::int64_t evictions = 0;
    Bytes bytes_filled{0};
    std::int64_t unclassified = 0; ///< where kinds of misses are not asked for: all misses

    [[nodiscard]] std::int64_t misses() const { return compulsory + capacity + conflict + unclassified; }
    /// Whether every miss is told to be compulsory, capacity or conflict.
    [[nodiscard]] bool kinds_known() const { return unclassified == 0; }
    /// The same with all misses unclassified.
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
    CacheStatistics& operator+=(const CacheStatistics& other);
    CacheStatistics& operator-=(const CacheStatistics& other);
    friend CacheStatistics operator+(CacheStatistics a, const CacheStatistics& b) { return a += b; }
    friend CacheStatistics operator-(CacheStatistics a, const CacheStatistics& b) { return a -= b; }
};

} // namespace texelscope::sim
