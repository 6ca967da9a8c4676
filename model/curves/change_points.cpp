#include "model/curves/change_points.hpp"

#include "base/error.hpp"
#include "model/curves/optimal_partition.hpp"
#include "model/curves/probe_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace texelscope::model {
namespace {

double degrees_of_freedom(const CurveSize& size)
{
    const auto samples = static_cast<double>(size.samples);
    return std::min(0.4 * samples, 20 * std::min(2.0, samples / static_cast<double>(size.points)));
}

/// A curve's best partition and the costs that it was found with, in units of the noise's variance.
struct CurvePartition {
    SegmentCosts costs;
    std::vector<PartitionSegment> segments;
};

/// optimal_partition() of a curve whose noise is relative to its level. The level is what is to be
/// found, so this goes in two passes: first with the running medians for levels, then with the
/// segments that were fitted.
CurvePartition partition_curve(const RobustCurve& curve, const PartitionRules& rules)
{
    std::vector<double> deviation = curve.level;
    for (double& value : deviation) {
        value *= curve.noise.of_points;
    }
    const SegmentCosts first_costs(curve.x, curve.y, deviation);
    for (const PartitionSegment& segment : optimal_partition(first_costs, rules)) {
        const CurveLine line = segment.shape == SegmentShape::plateau
                                   ? first_costs.plateau_line(segment.points)
                                   : first_costs.ramp_line(segment.points);
        for (std::size_t i = segment.points.first; i < segment.points.last; ++i) {
            // A line through few points may go anywhere near its ends, below zero too.
            const double level =
                std::clamp(line.at(curve.x[i]), curve.level[i] / 2, curve.level[i] * 2);
            deviation[i] = level * curve.noise.of_points;
        }
    }
    SegmentCosts costs(curve.x, curve.y, deviation);
    std::vector<PartitionSegment> segments = optimal_partition(costs, rules);
    return {std::move(costs), std::move(segments)};
}

constexpr const char* where = "change points";

void require_share(double value, const char* name)
{
    if (!(value > 0 && value < 1)) {
        throw bad_input(fmt::format("{} is {}", name, value), where, "it must lie between 0 and 1");
    }
}

void require_options(const ChangePointOptions& options)
{
    require_share(options.false_positives, "the rate of false positives");
    require_share(options.confidence, "the confidence of the intervals");
    if (options.plateau_points < 3) {
        throw bad_input(fmt::format("a plateau of {} points", options.plateau_points), where,
                        "ask for at least 3, so that a pair of outliers is none");
    }
}

/// Segments between the boundaries: places, points, and the levels that each has by itself.
std::vector<CurveSegment> segments_between(const SegmentCosts& costs, const CurveOutline& made)
{
    std::vector<CurveSegment> segments;
    std::size_t first = 0;
    double from = costs.x(0);
    for (std::size_t i = 0; i < made.segments.size(); ++i) {
        const bool at_end = i == made.boundaries.size();
        // Intervals next to each other may have been fitted in the wrong order.
        const double to =
            at_end ? costs.x(costs.size() - 1) : std::max(from, made.boundaries[i].place.x);
        std::size_t last = at_end ? costs.size() : first;
        while (last < costs.size() && costs.x(last) <= to) {
            ++last;
        }
        const PartitionSegment& planned = made.segments[i];
        CurveSegment segment{planned.shape, from, to, 0, 0, {first, last}};
        const PointRange fitted = segment.points.size() > 1 || planned.points.size() == 0
                                      ? segment.points
                                      : planned.points;
        if (fitted.size() > 0) {
            const CurveLine line = planned.shape == SegmentShape::plateau
                                       ? costs.plateau_line(fitted)
                                       : costs.ramp_line(fitted);
            segment.from_level = line.at(from);
            segment.to_level = line.at(to);
        }
        segments.push_back(segment);
        first = last;
        from = to;
    }
    return segments;
}

/// Makes two segments meet at a bend: a plateau stays where it is.
void join(CurveSegment& left, CurveSegment& right)
{
    if (left.shape == SegmentShape::plateau) {
        right.from_level = left.to_level;
    } else if (right.shape == SegmentShape::plateau) {
        left.to_level = right.from_level;
    } else {
        left.to_level = right.from_level = (left.to_level + right.from_level) / 2;
    }
}

} // namespace

double change_penalty(const CurveSize& size, double false_positives)
{
    return widened_threshold(size,
                             2 * std::log(static_cast<double>(size.points) / false_positives));
}

double widened_threshold(const CurveSize& size, double known)
{
    const double freedom = degrees_of_freedom(size);
    return freedom * std::expm1(known / freedom);
}

double chance_of_gain(const CurveSize& size, double gain)
{
    const double freedom = degrees_of_freedom(size);
    return std::min(1.0, static_cast<double>(size.points) *
                             std::exp(-freedom * std::log1p(gain / freedom) / 2));
}

double chi_squared_quantile(double probability)
{
    // P(Z^2 <= q) = erf(sqrt(q / 2)), inverted by bisection.
    double low = 0;
    double high = 40;
    for (int step = 0; step < 200; ++step) {
        const double middle = (low + high) / 2;
        (std::erf(middle / std::numbers::sqrt2) < probability ? low : high) = middle;
    }
    return low * low;
}

ChangePoints find_change_points(std::span<const ProbePoint> points,
                                const ChangePointOptions& options)
{
    require_options(options);
    const RobustCurve curve = robust_curve(points, where);
    CurveSize size{points.size(), 0};
    for (const ProbePoint& point : points) {
        size.samples += point.samples.size();
    }
    const double penalty = change_penalty(size, options.false_positives);
    const PartitionRules rules{penalty, (1 + ramp_surcharge) * penalty, options.plateau_points, 2,
                               options.ramps};
    const CurvePartition partition = partition_curve(curve, rules);
    const PlaceThresholds places{
        widened_threshold(size, -2 * std::log(1 - std::sqrt(options.confidence))),
        widened_threshold(size, chi_squared_quantile(options.confidence))};
    // A ramp has one parameter more than a jump, and may reach to either side of it.
    const double ramp_evidence =
        widened_threshold(size, chi_squared_quantile(1 - options.false_positives / 2));
    const CurveOutline made =
        outline(partition.costs, {rules, places, ramp_evidence}, partition.segments);

    ChangePoints found{segments_between(partition.costs, made), {}, curve.noise, curve.outliers};
    for (std::size_t i = 0; i < made.boundaries.size(); ++i) {
        const OutlineBoundary& boundary = made.boundaries[i];
        if (boundary.kind == ChangeKind::bend) {
            join(found.segments[i], found.segments[i + 1]);
        }
        const double x = found.segments[i].to;
        found.changes.push_back(
            {boundary.kind,
             {x, std::min(boundary.place.low, x), std::max(boundary.place.high, x)},
             found.segments[i].to_level,
             found.segments[i + 1].from_level,
             chance_of_gain(size, boundary.gain)});
    }
    return found;
}

} // namespace texelscope::model
