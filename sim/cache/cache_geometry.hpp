#pragma once

#include "base/units.hpp"
#include "sim/cache/replacement.hpp"

#include <cstdint>
#include <string>

namespace texelscope::sim {

/// How a line address selects its set.
enum class SetIndex {
    modulo, ///< line number mod sets
    /// The bits of the line number are cut into groups of log2(sets) bits, and the set is the xor
    /// of all groups. The number of sets must be a power of two.
    xor_folded,
};

/// The parameters of a cache.
struct CacheGeometry {
    Bytes capacity{0};
    Bytes line{64};
    int ways = 0; ///< 0 means fully associative
    ReplacementKind replacement = ReplacementKind::lru;
    /// Size of a sector; 0 where there are none. A line has one tag, and each of its sectors is
    /// fetched on its own.
    Bytes sector{0};
    SetIndex index = SetIndex::modulo;
    std::uint64_t seed = 1; ///< of the random replacement policy

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

/// Throws bad_input unless the parameters fit together. Messages name the setting, such as
/// `prefix` + ".line".
void validate(const CacheGeometry& geometry, const std::string& prefix);

} // namespace texelscope::sim
