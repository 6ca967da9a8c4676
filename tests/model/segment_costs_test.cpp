#include "base/random.hpp"
#include "model/curves/optimal_partition.hpp"

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

using namespace texelscope::model;

namespace {

struct Points {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> deviation;

    [[nodiscard]] SegmentCosts costs() const { return {x, y, deviation}; }
};

Points random_points(std::mt19937_64& random, std::size_t count)
{
    Points points;
    double x = 1000 * uniform_real(random);
    for (std::size_t i = 0; i < count; ++i) {
        x += 0.1 + 5 * uniform_real(random);
        points.x.push_back(x);
        points.y.push_back((uniform_below(random, 2) == 0 ? 20 : 40) + 5 * uniform_real(random));
        points.deviation.push_back(0.5 + uniform_real(random));
    }
    return points;
}

using Basis = std::vector<std::function<double(double)>>;

/// Weighted residual sum of squares of the best combination of functions, by QR on the whole
/// matrix.
double least_squares(const Points& points, PointRange range, const Basis& basis)
{
    const auto rows = static_cast<Eigen::Index>(range.size());
    Eigen::MatrixXd matrix(rows, static_cast<Eigen::Index>(basis.size()));
    Eigen::VectorXd target(rows);
    for (Eigen::Index row = 0; row < rows; ++row) {
        const std::size_t point = range.first + static_cast<std::size_t>(row);
        for (std::size_t column = 0; column < basis.size(); ++column) {
            matrix(row, static_cast<Eigen::Index>(column)) =
                basis[column](points.x[point]) / points.deviation[point];
        }
        target(row) = points.y[point] / points.deviation[point];
    }
    const Eigen::VectorXd solution = matrix.completeOrthogonalDecomposition().solve(target);
    return (target - matrix * solution).squaredNorm();
}

double one(double)
{
    return 1;
}

} // namespace

TEST_CASE("segment costs are those of least squares on the whole matrix")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const Points points = random_points(random, 2 + uniform_below(random, 30));
        const SegmentCosts costs = points.costs();
        const std::size_t first = uniform_below(random, points.x.size() - 1);
        const PointRange range{first,
                               first + 2 + uniform_below(random, points.x.size() - first - 1)};
        const double origin = points.x[first];
        const auto line = [&](double x) { return x - origin; };
        CHECK(costs.plateau(range) == Approx(least_squares(points, range, {one})).margin(1e-7));
        CHECK(costs.ramp(range) == Approx(least_squares(points, range, {one, line})).margin(1e-7));

        const double width = points.x[range.last - 1] - origin;
        const double start = origin + width * uniform_real(random) * 0.7;
        const double end = start + 0.01 + width * uniform_real(random) * 0.5;
        const auto transition = [&](double x) {
            return std::clamp((x - start) / (end - start), 0.0, 1.0);
        };
        const TransitionFit fit = costs.transition(range, start, end);
        CHECK(fit.cost == Approx(least_squares(points, range, {one, transition})).margin(1e-7));
        double direct = 0; // the levels are those of that cost
        for (std::size_t i = range.first; i < range.last; ++i) {
            const double level = fit.before + (fit.after - fit.before) * transition(points.x[i]);
            direct += std::pow((points.y[i] - level) / points.deviation[i], 2);
        }
        CHECK(fit.cost == Approx(direct).margin(1e-7));
        const auto beyond = [&](double x) { return std::max(0.0, x - start); };
        CHECK(costs.bend(range, start) ==
              Approx(least_squares(points, range, {one, line, beyond})).margin(1e-6));
    }
}

TEST_CASE("lines through segments are those that the costs belong to")
{
    std::mt19937_64 random(7);
    const Points points = random_points(random, 20);
    const SegmentCosts costs = points.costs();
    const PointRange range{3, 17};
    const CurveLine line = costs.ramp_line(range);
    const CurveLine constant = costs.plateau_line(range);
    double from_line = 0;
    double from_constant = 0;
    for (std::size_t i = range.first; i < range.last; ++i) {
        from_line += std::pow((points.y[i] - line.at(points.x[i])) / points.deviation[i], 2);
        from_constant +=
            std::pow((points.y[i] - constant.at(points.x[i])) / points.deviation[i], 2);
    }
    CHECK(from_line == Approx(costs.ramp(range)));
    CHECK(from_constant == Approx(costs.plateau(range)));
}

namespace {

/// The least cost over every partition of the points from `first` on, each tried.
double brute_force(const SegmentCosts& costs, const PartitionRules& rules,
                   std::vector<PartitionSegment>& begun)
{
    const std::size_t first = begun.empty() ? 0 : begun.back().points.last;
    if (first == costs.size()) {
        return partition_cost(costs, rules, begun);
    }
    double least = std::numeric_limits<double>::infinity();
    const auto try_next = [&](SegmentShape shape, std::size_t points) {
        if (first + points <= costs.size()) {
            begun.push_back({shape, {first, first + points}});
            least = std::min(least, brute_force(costs, rules, begun));
            begun.pop_back();
        }
    };
    for (std::size_t points = 1; points <= costs.size() - first; ++points) {
        if (points >= rules.plateau_points) {
            try_next(SegmentShape::plateau, points);
        }
        if (rules.ramps && points >= rules.ramp_points) {
            try_next(SegmentShape::ramp, points);
        }
    }
    return least;
}

} // namespace

TEST_CASE("the optimal partition costs as little as the best of all partitions")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const Points points = random_points(random, 1 + uniform_below(random, 12));
        const SegmentCosts costs = points.costs();
        PartitionRules rules;
        rules.plateau_penalty = 40 * uniform_real(random);
        rules.ramp_penalty = rules.plateau_penalty * (1 + uniform_real(random));
        rules.plateau_points = 1 + uniform_below(random, 4);
        rules.ramp_points = 2 + uniform_below(random, 3);
        rules.ramps = uniform_below(random, 3) > 0;
        const std::vector<PartitionSegment> found = optimal_partition(costs, rules);
        std::size_t next = 0;
        for (const PartitionSegment& segment : found) { // they cover the points, in order
            CHECK(segment.points.first == next);
            next = segment.points.last;
        }
        CHECK(next == costs.size());
        if (costs.size() >= rules.plateau_points) {
            std::vector<PartitionSegment> begun;
            CHECK(partition_cost(costs, rules, found) ==
                  Approx(brute_force(costs, rules, begun)).margin(1e-9));
        }
    }
}
