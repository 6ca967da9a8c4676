#pragma once

#include "base/units.hpp"
#include "sim/cache/replacement.hpp"

#include <cstdint>
#include <string>

namespace texelscope::sim {

/// How a line address selects its set.
enum class SetIndex {
    modulo, ///< line address mod sets
    /// Xor of the line address's groups of log2(sets) bits; sets must be a power of two.
    xor_folded,
};

/// What a cache is, apart from its contents.
struct CacheGeometry {
    Bytes capacity{0};
    Bytes line{64};
    int ways = 0; ///< 0: fully associative
    ReplacementKind replacement = ReplacementKind::lru;
    /// 0: none; else a line is tagged once and its sectors are fetched on their own.
    Bytes sector{0};
    SetIndex index = SetIndex::modulo;
    std::uint64_t seed = 1; ///< of the random replacement

    bool operator==(const CacheGeometry&) const = default;

    [[nodiscard]] std::int64_t lines() const { return capacity / line; }
    [[nodiscard]] int ways_per_set() const { return ways == 0 ? static_cast<int>(lines()) : ways; }
    [[nodiscard]] std::int64_t sets() const { return lines() / ways_per_set(); }
    [[nodiscard]] bool is_fully_associative_lru() const
    {
        return sets() == 1 && replacement == ReplacementKind::lru;
    }
    /// Bytes that one fetch brings: a sector, or a line where there are none.
    [[nodiscard]] Bytes granule() const { return sector.value > 0 ? sector : line; }
};

/// Throws bad_input, naming `prefix` + ".line" and the like, unless the numbers fit together.
void validate(const CacheGeometry& geometry, const std::string& prefix);

} // namespace texelscope::sim
