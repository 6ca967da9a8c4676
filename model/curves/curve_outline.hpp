#pragma once

#include "model/curves/optimal_partition.hpp"

#include <vector>

namespace texelscope::model {

/// A place on the x axis and a confidence interval for it. low <= x <= high.
struct CurvePlace {
    double x = 0;
    double low = 0;
    double high = 0;
};

/// A place belongs to the confidence interval if its cost exceeds the least cost by at most so
/// much.
struct PlaceThresholds {
    /// For jumps. If the noise were known it would be -2 ln(1 - sqrt(confidence)), from the
    /// distribution of the likelihood ratio of a break's date (Eo and Morley, Quantitative
    /// Economics 6, 2015).
    double jump = 0;
    /// For bends. If the noise were known it would be the quantile of the chi-squared distribution
    /// with one degree of freedom, as the likelihood ratio of a bend's place has it (Feder, Annals
    /// of Statistics 3, 1975).
    double bend = 0;
};

/// A jump between two segments.
struct JumpLocation {
    CurvePlace place;
    std::size_t first_after = 0; ///< first point of the right segment
    double cost = 0;             ///< cost of both segments together
};
/// The best place of a jump inside of two neighbouring segments, whose outer ends stay. x is the
/// middle between two points, and the interval goes from the last point that may lie before the
/// jump to the first that may lie after it.
[[nodiscard]] JumpLocation locate_jump(const SegmentCosts& costs, const PartitionSegment& left,
                                       const PartitionSegment& right,
                                       const PlaceThresholds& thresholds);

/// A ramp between plateaus, or between a plateau and an end of the window.
struct RampLocation {
    CurvePlace start;
    CurvePlace end;
    TransitionFit fit;
};
/// Where a ramp may begin and end.
struct RampWindow {
    PointRange points;
    bool plateau_before = true; ///< false: the ramp begins at the first point
    bool plateau_after = true;  ///< false: it ends at the last point
};
/// The best continuous plateau, ramp and plateau. Intervals are those of the profile likelihood:
/// for each place of one end, the best of the other. Places are searched on a grid: all points
/// first, then ever smaller parts of the gaps around the good ones.
[[nodiscard]] RampLocation locate_ramp(const SegmentCosts& costs, const RampWindow& window,
                                       const PlaceThresholds& thresholds);

/// Where two ramps meet (two-phase regression: Hudson, JASA 61, 1966).
struct BendLocation {
    CurvePlace place;
    double cost = 0;
};
[[nodiscard]] BendLocation locate_bend(const SegmentCosts& costs, PointRange points,
                                       const PlaceThresholds& thresholds);

enum class ChangeKind {
    jump, ///< the level changes between two points
    bend, ///< the slope changes: where a ramp begins, ends or becomes steeper
};

/// A boundary between two segments, before levels are known.
struct OutlineBoundary {
    ChangeKind kind = ChangeKind::jump;
    CurvePlace place;
    /// By how much the costs rise where the two segments become one, or where the ramp is left out.
    double gain = 0;
};

/// The shapes of a curve from left to right, and the boundaries between them: one less.
struct CurveOutline {
    std::vector<PartitionSegment> segments; ///< with the points that the partition gave them
    std::vector<OutlineBoundary> boundaries;
};

struct OutlineRules {
    PartitionRules partition; ///< the rules by which the partition was found
    PlaceThresholds places;
    /// By how much the cost must be lower with a ramp than with a jump in its place.
    double ramp_evidence = 0;
};

/// Turns a partition, whose segments know nothing of each other, into a curve that is continuous
/// where the points allow it:
/// - a ramp and the plateaus beside it are fitted together, continuous, unless that costs more than
///   a change does;
/// - between two plateaus there is a ramp where that costs enough less than a jump, and a jump
///   where not;
/// - two ramps meet in a bend, unless that costs more than a change does.
[[nodiscard]] CurveOutline outline(const SegmentCosts& costs, const OutlineRules& rules,
                                   const std::vector<PartitionSegment>& partition);

} // namespace texelscope::model
