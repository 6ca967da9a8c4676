#include "model/curves/optimal_partition.hpp"

#include <algorithm>
#include <limits>

namespace texelscope::model {
namespace {

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

std::vector<PartitionSegment> optimal_partition(const SegmentCosts& costs, const PartitionRules& rules)
{
    const std::size_t count = costs.size();
    if (count < rules.plateau_points) {
        return {{SegmentShape::plateau, {0, count}}};
    }
    const std::size_t fewest = rules.ramps ? std::min(rules.plateau_points, rules.ramp_points) : rules.plateau_points;
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
                take_if_better(here, before + costs.ramp(range) + rules.ramp_penalty, {SegmentShape::ramp, range});
            }
        }
        // A segment from `start` to any end from here on costs at least as much as its part up to here and its part
        // beyond, taken apart. So where the first part alone costs no less than what is best up to here, a segment that
        // begins here does at least as well: as soon as it can be long enough.
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
        sum += segment.shape == SegmentShape::plateau ? costs.plateau(segment.points) + rules.plateau_penalty
                                                      : costs.ramp(segment.points) + rules.ramp_penalty;
    }
    return sum;
}

} // namespace texelscope::model
