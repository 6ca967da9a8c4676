#pragma once

#include "model/identification/identify.hpp"

namespace texelscope::model {

/// What the explanations, weighted, say about each property: layout, granule, capacity, line, sector, sets, ways, index,
/// replacement.
[[nodiscard]] std::vector<PropertySupport> property_support(const std::vector<Explanation>& explanations,
                                                            Extent2D extent, Bytes bytes_per_texel);

} // namespace texelscope::model
