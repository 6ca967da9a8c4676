#pragma once

#include "base/units.hpp"
#include "sim/layout/bit_layout.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::sim {

/// A published storage layout of real devices.
struct NamedLayoutInfo {
    std::string name;
    std::string about;                     ///< one line: which devices, which tiles
    std::string source;                    ///< where it is published
    std::vector<std::int64_t> texel_bytes; ///< bytes per texel for which it is known, ascending; empty: any
};

/// Every named layout, by vendor.
[[nodiscard]] const std::vector<NamedLayoutInfo>& named_layouts();

/// A named layout as it is for one image: its bits depend on the bytes per texel, and for some on the image's size.
/// Throws bad_input for an unknown name, and for a texel size for which it is not known.
[[nodiscard]] BitLayout named_layout(const std::string& name, Extent2D extent, Bytes bytes_per_texel);

} // namespace texelscope::sim
