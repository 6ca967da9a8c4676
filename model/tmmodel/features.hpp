#pragma once

#include "sim/observers/cross_block_histogram.hpp"

#include <vector>

namespace texelscope::model {

/// The features of a histogram for one access: the x- and y-bin of each shape in turn, over the number of accesses,
/// then 1 for the access itself. Of length 2 * bins + 1. Throws bad_input for a histogram without accesses.
[[nodiscard]] std::vector<double> per_access_features(const CrossBlockHistogram& histogram);

/// The shapes of its bins, in order.
[[nodiscard]] std::vector<Extent2D> block_shapes(const CrossBlockHistogram& histogram);

} // namespace texelscope::model
