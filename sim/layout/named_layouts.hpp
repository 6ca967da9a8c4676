#pragma once

#include "base/units.hpp"
#include "sim/layout/bit_layout.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::sim {

/// What tells the generations of Adreno's tiling apart.
struct AdrenoTiling {
    int highest_bank_bit = 15;             ///< of the address
    std::vector<int> swizzle_levels{2, 3}; ///< of the bank swizzle: 1, 2, 3
    bool eight_channels = false;           ///< of memory; else four
};

/// TILE6_3: blocks of 256 bytes, macrotiles of 2x4 blocks with xors, rows of macrotiles, and above
/// these the bank swizzle: the bits of the block row that it uses are xored into the bits of the
/// macrotile's column. Where such a bit is used, a row of macrotiles is a whole multiple of the
/// stretch that it moves about in, which is the tile here. `log2_bytes` of a texel is 0 to 4.
/// Images narrower than 16 texels are linear. Source: Mesa 25.0.7
/// src/freedreno/fdl/fd6_tiled_memcpy.cc, fd6_layout.c; Linux drivers/soc/qcom/ubwc_config.c.
[[nodiscard]] BitLayout adreno_tile3(const AdrenoTiling& gpu, Extent2D extent, int log2_bytes);

/// A published storage layout of real devices.
struct NamedLayoutInfo {
    std::string name;
    std::string about;  ///< one line: which devices, which tiles
    std::string source; ///< where it is published
    /// Bytes per texel for which it is known, ascending; empty: any.
    std::vector<std::int64_t> texel_bytes;
};

/// Every named layout, by vendor.
[[nodiscard]] const std::vector<NamedLayoutInfo>& named_layouts();

/// A named layout as it is for one image: its bits depend on the bytes per texel, and for some on
/// the image's size. Throws bad_input for an unknown name, and for a texel size for which it is not
/// known.
[[nodiscard]] BitLayout named_layout(const std::string& name, Extent2D extent,
                                     Bytes bytes_per_texel);

} // namespace texelscope::sim
