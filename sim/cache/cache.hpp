#pragma once

#include "sim/cache/cache_geometry.hpp"
#include "sim/cache/cache_statistics.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace texelscope::sim {

enum class MissKind : std::uint8_t {
    none,       ///< a hit
    compulsory, ///< first touch of the line (sector) by this cache
    capacity,   ///< misses also in a fully associative LRU cache of the same capacity
    conflict,   ///< the rest
};

struct LookupOutcome {
    MissKind miss = MissKind::none;
    /// Address of the first byte of the line that was thrown out, if one was.
    std::optional<std::int64_t> evicted;

    [[nodiscard]] bool hit() const { return miss == MissKind::none; }
};

/// One cache, empty at first. Read-only: there are no write-backs.
class Cache {
public:
    /// `footprint`: every address looked up is below it (it sizes tables; 4-8 bytes per granule).
    /// Without `miss_kinds` every miss of a line that was there before counts as one of capacity, which is faster.
    /// Throws bad_input for a geometry that does not validate.
    Cache(const CacheGeometry& geometry, Bytes footprint, bool miss_kinds = true);
    ~Cache();
    Cache(Cache&&) noexcept;
    Cache& operator=(Cache&&) noexcept;

    /// Looks up the line (sector) that holds `address`; on a miss, fills it.
    LookupOutcome lookup(std::int64_t address);

    [[nodiscard]] const CacheStatistics& statistics() const;
    [[nodiscard]] const CacheGeometry& geometry() const;
    /// Whether the line (sector) that holds `address` is present. Changes nothing.
    [[nodiscard]] bool contains(std::int64_t address) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace texelscope::sim
