#include "gui/ranking/ranking_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace texelscope::gui {
namespace {

/// From the least to the largest logarithm.
struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(double value)
    {
        low = std::min(low, std::log(value));
        high = std::max(high, std::log(value));
    }
    [[nodiscard]] std::size_t cell(double value, int cells) const
    {
        const double share = high > low ? (std::log(value) - low) / (high - low) : 0;
        return static_cast<std::size_t>(std::min(cells - 1, static_cast<int>(share * cells)));
    }
};

} // namespace

RankingPoints ranking_points(const RankingRows& rows, const std::vector<std::size_t>& shown, int x, int y,
                             const std::vector<std::size_t>& keep, std::pair<int, int> grid)
{
    std::vector<RankingPoint> points;
    Extent along_x;
    Extent along_y;
    for (const std::size_t row : shown) {
        const RankingPoint point{row, rows.number(row, x), rows.number(row, y)};
        if (point.x > 0 && point.y > 0 && std::isfinite(point.x) && std::isfinite(point.y)) {
            points.push_back(point);
            along_x.add(point.x);
            along_y.add(point.y);
        }
    }
    RankingPoints result;
    result.all = points.size();
    constexpr std::size_t free = std::numeric_limits<std::size_t>::max();
    const auto [columns, lines] = grid;
    std::vector<std::size_t> best(static_cast<std::size_t>(columns) * static_cast<std::size_t>(lines), free);
    const auto cell_of = [&, columns = columns, lines = lines](const RankingPoint& point) {
        return along_y.cell(point.y, lines) * static_cast<std::size_t>(columns) + along_x.cell(point.x, columns);
    };
    for (const RankingPoint& point : points) {
        std::size_t& row = best[cell_of(point)];
        row = std::min(row, point.row);
    }
    for (const RankingPoint& point : points) {
        if (best[cell_of(point)] == point.row || std::binary_search(keep.begin(), keep.end(), point.row)) {
            result.points.push_back(point);
        }
    }
    return result;
}

} // namespace texelscope::gui
