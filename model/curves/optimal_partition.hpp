#pragma once

#include "model/curves/segment_costs.hpp"

#include <vector>

namespace texelscope::model {

enum class SegmentShape { plateau, ramp };

/// What each segment of a partition pays besides its cost, and how small it may be.
struct PartitionRules {
    double plateau_penalty = 0; ///< >= 0
    double ramp_penalty = 0;    ///< >= plateau_penalty
    std::size_t plateau_points = 3;
    std::size_t ramp_points = 2;
    bool ramps = true; ///< false: plateaus only
};

struct PartitionSegment {
    SegmentShape shape = SegmentShape::plateau;
    PointRange points;
};

/// The partition of the points into plateaus and ramps whose costs and penalties have the least sum, exactly: optimal
/// partitioning (Jackson et al., IEEE Signal Processing Letters 12, 2005) with the pruning of PELT (Killick, Fearnhead
/// and Eckley, JASA 107, 2012). At worst quadratic in the points. A curve of fewer points than a segment must have is one
/// plateau. Of equally good partitions, one with the longest last segment.
[[nodiscard]] std::vector<PartitionSegment> optimal_partition(const SegmentCosts& costs, const PartitionRules& rules);

/// Cost and penalties of a partition.
[[nodiscard]] double partition_cost(const SegmentCosts& costs, const PartitionRules& rules,
                                    const std::vector<PartitionSegment>& segments);

} // namespace texelscope::model
