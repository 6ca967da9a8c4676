#pragma once

#include "model/walks/measured_walks.hpp"
#include "sim/layout/texel_layout.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::model {

/// Which lines and sectors one walk touches under a storage layout. A read of the same sector as
/// the read before hits in every cache and changes nothing there, so it is left out.
struct WalkLines {
    struct Access {
        std::uint32_t line = 0;   ///< index into `lines`
        std::uint32_t sector = 0; ///< within the line
    };
    std::vector<Access> accesses;
    /// Line numbers (address / line size), in the order of the first touch.
    std::vector<std::int64_t> lines;
    std::int64_t reads = 0; ///< of the walk, with those that were left out
};

/// `line` and `sector` in bytes, sector at most line and a divisor of it; 0 for a cache without
/// sectors.
[[nodiscard]] WalkLines walk_lines(std::span<const Texel> texels, const TexelLayout& layout,
                                   Bytes line, Bytes sector);

/// Hash of a walk's sequence of lines (of `line` bytes each) up to renaming: two layouts and line
/// sizes have the same one where they put the same reads of the walk on a common line.
[[nodiscard]] std::uint64_t line_pattern(std::span<const Texel> texels, const TexelLayout& layout,
                                         Bytes line);

/// One step of a hash over numbers.
[[nodiscard]] constexpr std::uint64_t hash_step(std::uint64_t hash, std::uint64_t value)
{
    // Multiply and fold (an odd constant from the golden ratio), so that every bit of the value
    // reaches every bit.
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 32U);
}

} // namespace texelscope::model
