#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::bench {

/// The baseline of the benchmarks: a set-associative LRU cache as one writes it by hand, fed with
/// byte addresses from memory. Returns the misses.
inline std::int64_t plain_lru_misses(std::span<const std::uint64_t> addresses,
                                     std::uint64_t capacity, std::uint64_t line, std::uint64_t ways)
{
    struct Way {
        std::uint64_t tag = ~std::uint64_t{0};
        std::uint64_t last_use = 0;
    };
    const std::uint64_t sets = capacity / line / ways;
    std::vector<Way> cache(sets * ways);
    std::int64_t misses = 0;
    std::uint64_t now = 0;
    int shift = 0;
    while ((std::uint64_t{1} << shift) < line) {
        ++shift;
    }
    for (const std::uint64_t address : addresses) {
        const std::uint64_t tag = address >> shift;
        Way* const set = cache.data() + (tag & (sets - 1)) * ways;
        Way* victim = set;
        bool hit = false;
        for (std::uint64_t way = 0; way < ways; ++way) {
            if (set[way].tag == tag) {
                set[way].last_use = ++now;
                hit = true;
                break;
            }
            if (set[way].last_use < victim->last_use) {
                victim = set + way;
            }
        }
        if (!hit) {
            *victim = {tag, ++now};
            ++misses;
        }
    }
    return misses;
}

} // namespace texelscope::bench
