#include "model/curves/curve_partition.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::model {

CurvePartition partition_curve(const RobustCurve& curve, const PartitionRules& rules)
{
    std::vector<double> deviation = curve.level;
    for (double& value : deviation) {
        value *= curve.noise.of_points;
    }
    const SegmentCosts first_costs(curve.x, curve.y, deviation);
    for (const PartitionSegment& segment : optimal_partition(first_costs, rules)) {
        const CurveLine line = segment.shape == SegmentShape::plateau ? first_costs.plateau_line(segment.points)
                                                                      : first_costs.ramp_line(segment.points);
        for (std::size_t i = segment.points.first; i < segment.points.last; ++i) {
            // A line through few points may go anywhere near its ends, below zero too.
            const double level = std::clamp(line.at(curve.x[i]), curve.level[i] / 2, curve.level[i] * 2);
            deviation[i] = level * curve.noise.of_points;
        }
    }
    SegmentCosts costs(curve.x, curve.y, deviation);
    std::vector<PartitionSegment> segments = optimal_partition(costs, rules);
    return {std::move(costs), std::move(segments)};
}

} // namespace texelscope::model
