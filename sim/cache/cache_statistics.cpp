#include "sim/cache/cache_statistics.hpp"

namespace texelscope::sim {

CacheStatistics& CacheStatistics::operator+=(const CacheStatistics& other)
{
    texel_reads += other.texel_reads;
    lookups += other.lookups;
    hits += other.hits;
    compulsory += other.compulsory;
    capacity += other.capacity;
    conflict += other.conflict;
    unclassified += other.unclassified;
    evictions += other.evictions;
    bytes_filled += other.bytes_filled;
    return *this;
}

CacheStatistics& CacheStatistics::operator-=(const CacheStatistics& other)
{
    texel_reads -= other.texel_reads;
    lookups -= other.lookups;
    hits -= other.hits;
    compulsory -= other.compulsory;
    capacity -= other.capacity;
    conflict -= other.conflict;
    unclassified -= other.unclassified;
    evictions -= other.evictions;
    bytes_filled -= other.bytes_filled;
    return *this;
}

} // namespace texelscope::sim
