#include "model/curves/optimal_partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace texelscope::model {
namespace {

/// Part of a sum of squares that is left when it has been found as a difference: rounding must not
/// make it negative.
double remainder(double total, double explained)
{
    return std::max(0.0, total - explained);
}

/// xy^2 / xx, or 0 where there is no spread in x.
double explained_by(double xy, double xx, double scale)
{
    return xx > 1e-12 * scale ? xy * xy / xx : 0.0;
}

constexpr double never = std::numeric_limits<double>::infinity();

struct BestEnd {
    double cost = never; ///< of the points before this place
    PartitionSegment segment;
};

struct Start {
    std::size_t point = 0;
    std::size_t useless_from = std::numeric_limits<std::size_t>::max();
};

void take_if_better(BestEnd& best, double cost, const PartitionSegment& segment)
{
    if (cost < best.cost) {
        best = {cost, segment};
    }
}

} // namespace

SegmentCosts::SegmentCosts(std::span<const double> x, std::span<const double> y,
                           std::span<const double> deviation)
    : x_(x.begin(), x.end()), origin_(x.front()), width_(x.size() > 1 ? x.back() - x.front() : 1.0)
{
    double weights = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double weight = 1 / (deviation[i] * deviation[i]);
        weights += weight;
        middle_ += weight * y[i];
    }
    middle_ /= weights;
    before_.resize(x.size() + 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double weight = 1 / (deviation[i] * deviation[i]);
        const double place = scaled(x[i]);
        const double height = y[i] - middle_;
        const Sums& sum = before_[i];
        before_[i + 1] = {sum.one + weight,
                          sum.x + weight * place,
                          sum.xx + weight * place * place,
                          sum.y + weight * height,
                          sum.xy + weight * place * height,
                          sum.yy + weight * height * height};
    }
}

SegmentCosts::Sums SegmentCosts::sums(PointRange range) const
{
    const Sums& a = before_[range.first];
    const Sums& b = before_[range.last];
    return {b.one - a.one, b.x - a.x, b.xx - a.xx, b.y - a.y, b.xy - a.xy, b.yy - a.yy};
}

double SegmentCosts::plateau(PointRange range) const
{
    const Sums s = sums(range);
    return range.size() < 2 ? 0.0 : remainder(s.yy, s.y * s.y / s.one);
}

double SegmentCosts::ramp(PointRange range) const
{
    if (range.size() < 3) {
        return 0;
    }
    const Sums s = sums(range);
    const double yy = remainder(s.yy, s.y * s.y / s.one);
    const double xx = remainder(s.xx, s.x * s.x / s.one);
    return remainder(yy, explained_by(s.xy - s.x * s.y / s.one, xx, s.xx));
}

CurveLine SegmentCosts::plateau_line(PointRange range) const
{
    const Sums s = sums(range);
    return {x_[range.first], middle_ + s.y / s.one, 0};
}

CurveLine SegmentCosts::ramp_line(PointRange range) const
{
    const Sums s = sums(range);
    const double xx = remainder(s.xx, s.x * s.x / s.one);
    const double slope = range.size() > 1 && xx > 0 ? (s.xy - s.x * s.y / s.one) / xx : 0.0;
    return {origin_ + width_ * s.x / s.one, middle_ + s.y / s.one, slope / width_};
}

std::size_t SegmentCosts::first_beyond(PointRange range, double place) const
{
    const auto first = x_.begin() + static_cast<std::ptrdiff_t>(range.first);
    const auto last = x_.begin() + static_cast<std::ptrdiff_t>(range.last);
    return static_cast<std::size_t>(std::upper_bound(first, last, place) - x_.begin());
}

TransitionFit SegmentCosts::transition(PointRange range, double start, double end) const
{
    // y = before + (after - before) u with u = 0 up to the ramp, 1 from its end on: a regression on
    // u.
    const std::size_t ramp_first = first_beyond(range, start);
    const std::size_t ramp_last = std::max(ramp_first, first_beyond(range, end));
    const Sums all = sums(range);
    const Sums right = sums({ramp_last, range.last});
    double u = right.one;
    double uu = right.one;
    double uy = right.y;
    if (ramp_first < ramp_last) {
        const Sums ramp = sums({ramp_first, ramp_last});
        const double from = scaled(start);
        const double length = scaled(end) - from;
        u += (ramp.x - from * ramp.one) / length;
        uu += (ramp.xx - 2 * from * ramp.x + from * from * ramp.one) / (length * length);
        uy += (ramp.xy - from * ramp.y) / length;
    }
    const double yy = remainder(all.yy, all.y * all.y / all.one);
    const double u_spread = remainder(uu, u * u / all.one);
    const double uy_spread = uy - u * all.y / all.one;
    const double difference = u_spread > 1e-12 * all.one ? uy_spread / u_spread : 0.0;
    const double before = middle_ + (all.y - difference * u) / all.one;
    return {before, before + difference, remainder(yy, difference * uy_spread)};
}

double SegmentCosts::bend(PointRange range, double bend) const
{
    // y = a + b x + c v with v = max(0, x - bend): a regression on two variables.
    const Sums all = sums(range);
    const Sums right = sums({first_beyond(range, bend), range.last});
    const double at = scaled(bend);
    const double v = right.x - at * right.one;
    const double vv = remainder(right.xx - 2 * at * right.x + at * at * right.one, v * v / all.one);
    const double xv = right.xx - at * right.x - all.x * v / all.one;
    const double vy = right.xy - at * right.y - v * all.y / all.one;
    const double xx = remainder(all.xx, all.x * all.x / all.one);
    const double xy = all.xy - all.x * all.y / all.one;
    const double left =
        remainder(remainder(all.yy, all.y * all.y / all.one), explained_by(xy, xx, all.xx));
    if (!(xx > 0)) {
        return left;
    }
    // What is left of v and y when x has explained its part (Frisch, Waugh and Lovell).
    const double v_left = remainder(vv, xv * xv / xx);
    return remainder(left, explained_by(vy - xv * xy / xx, v_left, vv));
}

std::vector<PartitionSegment> optimal_partition(const SegmentCosts& costs,
                                                const PartitionRules& rules)
{
    const std::size_t count = costs.size();
    if (count < rules.plateau_points) {
        return {{SegmentShape::plateau, {0, count}}};
    }
    const std::size_t fewest =
        rules.ramps ? std::min(rules.plateau_points, rules.ramp_points) : rules.plateau_points;
    const std::size_t most_of_fewest = std::max(rules.plateau_points, rules.ramp_points);
    std::vector<BestEnd> best(count + 1);
    best[0].cost = 0;
    std::vector<Start> starts;
    for (std::size_t last = fewest; last <= count; ++last) {
        if (best[last - fewest].cost < never) {
            starts.push_back({last - fewest});
        }
        BestEnd& here = best[last];
        for (const Start& start : starts) {
            const PointRange range{start.point, last};
            const double before = best[start.point].cost;
            if (range.size() >= rules.plateau_points) {
                take_if_better(here, before + costs.plateau(range) + rules.plateau_penalty,
                               {SegmentShape::plateau, range});
            }
            if (rules.ramps && range.size() >= rules.ramp_points) {
                take_if_better(here, before + costs.ramp(range) + rules.ramp_penalty,
                               {SegmentShape::ramp, range});
            }
        }
        // A segment from `start` to any end from here on costs at least as much as its part up to
        // here and its part beyond, taken apart. So where the first part alone costs no less than
        // what is best up to here, a segment that begins here does at least as well: as soon as it
        // can be long enough.
        for (Start& start : starts) {
            const PointRange range{start.point, last};
            const double part = rules.ramps ? costs.ramp(range) : costs.plateau(range);
            if (best[start.point].cost + part >= here.cost) {
                start.useless_from = std::min(start.useless_from, last + most_of_fewest);
            }
        }
        std::erase_if(starts, [&](const Start& start) { return start.useless_from <= last + 1; });
    }
    std::vector<PartitionSegment> segments;
    for (std::size_t last = count; last > 0; last = segments.back().points.first) {
        segments.push_back(best[last].segment);
    }
    std::reverse(segments.begin(), segments.end());
    return segments;
}

double partition_cost(const SegmentCosts& costs, const PartitionRules& rules,
                      const std::vector<PartitionSegment>& segments)
{
    double sum = 0;
    for (const PartitionSegment& segment : segments) {
        sum += segment.shape == SegmentShape::plateau
                   ? costs.plateau(segment.points) + rules.plateau_penalty
                   : costs.ramp(segment.points) + rules.ramp_penalty;
    }
    return sum;
}

} // namespace texelscope::model
