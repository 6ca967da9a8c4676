#pragma once

#include "gui/ranking/ranking_rows.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace texelscope::gui {

/// A row of a ranking over two of its columns.
struct RankingPoint {
    std::size_t row = 0;
    double x = 1; ///< above zero, as is y
    double y = 1;
};
struct RankingPoints {
    std::vector<RankingPoint> points;
    std::size_t all = 0; ///< how many there are without thinning
};

/// What a plot of two columns draws of the rows that are shown: of the points that share a cell of a grid over
/// logarithmic axes only the one of the best rank, and those to `keep` (in ascending order) in any case. Rows without
/// both numbers are left out.
[[nodiscard]] RankingPoints ranking_points(const RankingRows& rows, const std::vector<std::size_t>& shown, int x, int y,
                                           const std::vector<std::size_t>& keep, std::pair<int, int> grid = {140, 90});

} // namespace texelscope::gui
