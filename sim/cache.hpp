#pragma once

#include "sim/cache_statistics.hpp"
#include "sim/replacement.hpp"
#include "traces/units.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace texelscope {

/// How a line address selects its set.
enum class SetIndex {
    modulo,     ///< line address mod sets
    xor_folded, ///< xor of the line address's groups of log2(sets) bits; sets must be a power of two
};

/// What a cache is, apart from its contents.
struct CacheGeometry {
    Bytes capacity{0};
    Bytes line{64};
    int ways = 0; ///< 0: fully associative
    ReplacementKind replacement = ReplacementKind::lru;
    Bytes sector{0}; ///< 0: none; else a line is tagged once and its sectors are fetched on their own
    SetIndex index = SetIndex::modulo;
    std::uint64_t seed = 1; ///< of the random replacement

    bool operator==(const CacheGeometry&) const = default;

    [[nodiscard]] std::int64_t lines() const { return capacity / line; }
    [[nodiscard]] int ways_per_set() const { return ways == 0 ? static_cast<int>(lines()) : ways; }
    [[nodiscard]] std::int64_t sets() const { return lines() / ways_per_set(); }
    /// Bytes that one fetch brings: a sector, or a line where there are none.
    [[nodiscard]] Bytes granule() const { return sector.value > 0 ? sector : line; }
};

/// Throws bad_input, naming `prefix` + ".line" and the like, unless the numbers fit together.
void validate(const CacheGeometry& geometry, const std::string& prefix);

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
    /// Throws bad_input for a geometry that does not validate.
    Cache(const CacheGeometry& geometry, Bytes footprint);
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

} // namespace texelscope
