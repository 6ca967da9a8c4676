#pragma once

#include "model/curves/change_location.hpp"

#include <vector>

namespace texelscope::model {

enum class ChangeKind {
    jump, ///< the level changes between two points
    bend, ///< the slope changes: where a ramp begins, ends or becomes steeper
};

/// A boundary between two segments, before levels are known.
struct OutlineBoundary {
    ChangeKind kind = ChangeKind::jump;
    CurvePlace place;
    double gain = 0; ///< by how much the costs rise where the two segments become one, or where the ramp is left out
};

/// The shapes of a curve from left to right, and the boundaries between them: one less.
struct CurveOutline {
    std::vector<PartitionSegment> segments; ///< with the points that the partition gave them
    std::vector<OutlineBoundary> boundaries;
};

struct OutlineRules {
    PartitionRules partition; ///< that the partition was found with
    PlaceThresholds places;
    double ramp_evidence = 0; ///< by how much the cost must be lower with a ramp than with a jump in its place
};

/// Turns a partition, whose segments know nothing of each other, into a curve that is continuous where the points allow
/// it:
/// - a ramp and the plateaus beside it are fitted together, continuous, unless that costs more than a change does;
/// - between two plateaus there is a ramp where that costs enough less than a jump, and a jump where not;
/// - two ramps meet in a bend, unless that costs more than a change does.
[[nodiscard]] CurveOutline outline(const SegmentCosts& costs, const OutlineRules& rules,
                                   const std::vector<PartitionSegment>& partition);

} // namespace texelscope::model
