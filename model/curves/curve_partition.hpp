#pragma once

#include "model/curves/optimal_partition.hpp"
#include "model/curves/probe_curve.hpp"

#include <vector>

namespace texelscope::model {

/// A curve's best partition and the costs that it was found with, in units of the noise's variance.
struct CurvePartition {
    SegmentCosts costs;
    std::vector<PartitionSegment> segments;
};

/// optimal_partition() of a curve whose noise is relative to its level. The level is what is to be found, so this goes
/// in two passes: first with the running medians for levels, then with the segments that were fitted.
[[nodiscard]] CurvePartition partition_curve(const RobustCurve& curve, const PartitionRules& rules);

} // namespace texelscope::model
