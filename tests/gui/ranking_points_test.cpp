#include "gui/ranking/ranking_scatter.hpp"
#include "tests/gui/ranking_space.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

using namespace texelscope;
using namespace texelscope::gui;

TEST_CASE("of the points of a cell the best-ranked is drawn, and what must be kept")
{
    const RankingRows rows = test::random_rows(11);
    std::vector<std::size_t> shown;
    for (std::size_t row = rows.size(); row-- > 0;) { // the order of the table does not matter
        if (row % 7 != 0) {
            shown.push_back(row);
        }
    }
    const int x = RankingColumn::predicted;
    const int y = RankingColumn::simulated;
    std::vector<std::size_t> placed;
    for (const std::size_t row : shown) {
        if (!std::isnan(rows.number(row, y))) {
            placed.push_back(row);
        }
    }
    std::sort(placed.begin(), placed.end());
    REQUIRE(placed.size() > 50);

    const RankingPoints fine = ranking_points(rows, shown, x, y, {}, {100'000, 100'000 / 50});
    CHECK(fine.all == placed.size());

    const std::pair<int, int> grid{6, 4};
    const std::vector<std::size_t> keep{placed[placed.size() / 2], placed.back()};
    const RankingPoints coarse = ranking_points(rows, shown, x, y, keep, grid);
    CHECK(coarse.all == placed.size());

    // The same by dividing the range of logarithms of each axis by hand.
    const auto cell = [&](std::size_t row, int column, int cells) {
        double low = INFINITY;
        double high = -INFINITY;
        for (const std::size_t other : placed) {
            low = std::min(low, std::log(rows.number(other, column)));
            high = std::max(high, std::log(rows.number(other, column)));
        }
        return std::min(cells - 1, static_cast<int>((std::log(rows.number(row, column)) - low) /
                                                    (high - low) * cells));
    };
    std::map<std::pair<int, int>, std::size_t> best;
    for (const std::size_t row : placed) { // from the best rank on
        best.try_emplace({cell(row, x, grid.first), cell(row, y, grid.second)}, row);
    }
    std::vector<std::size_t> expected = keep;
    for (const auto& [place, row] : best) {
        expected.push_back(row);
    }
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    std::vector<std::size_t> drawn;
    for (const RankingPoint& point : coarse.points) {
        drawn.push_back(point.row);
        CHECK(point.x == rows.number(point.row, x));
        CHECK(point.y == rows.number(point.row, y));
    }
    std::sort(drawn.begin(), drawn.end());
    CHECK(drawn == expected);
    CHECK(drawn.size() < placed.size());
}

TEST_CASE("points that all have one coordinate are drawn")
{
    const RankingRows rows = test::random_rows(12);
    const RankingPoints points =
        ranking_points(rows, {5}, RankingColumn::tile, RankingColumn::rank, {});
    REQUIRE(points.points.size() == 1);
    CHECK(points.points[0].y == 6);
    CHECK(ranking_points(rows, {}, RankingColumn::tile, RankingColumn::rank, {}).points.empty());
}
