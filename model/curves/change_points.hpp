#pragma once

#include "model/curves/curve_outline.hpp"
#include "model/curves/probe_curve.hpp"

#include <span>
#include <vector>

namespace texelscope::model {

struct ChangePointOptions {
    /// Chance that a curve without changes shows any; in (0, 1).
    double false_positives = 0.01;
    /// Of the intervals; in (0, 1).
    double confidence = 0.95;
    /// False: only steps between plateaus are looked for.
    bool ramps = true;
    /// Least points of a plateau; at least 3, so that it cannot be a pair of outliers.
    std::size_t plateau_points = 3;
};

struct ChangePoint {
    ChangeKind kind = ChangeKind::jump;
    CurvePlace place;
    double before = 0; ///< y where the segment on the left ends
    double after = 0;  ///< y where the segment on the right begins; at a bend, the same
    /// Chance that a curve without changes, as long and noisy as this one, shows a change which explains as much.
    double p_value = 1;
};

/// With the levels that the fit gives its ends.
struct CurveSegment {
    SegmentShape shape = SegmentShape::plateau;
    double from = 0;       ///< x of the change before it, or of the first point
    double to = 0;         ///< x of the change after it, or of the last point
    double from_level = 0; ///< y at x = from
    double to_level = 0;   ///< y at x = to; on a plateau, the same
    PointRange points;     ///< those in between
};

struct ChangePoints {
    std::vector<CurveSegment> segments; ///< one more than changes
    std::vector<ChangePoint> changes;   ///< ascending
    CurveNoise noise;
    std::vector<std::size_t> outliers; ///< points that stand out alone or in pairs
};

/// Finds where a probe curve changes: plateaus, and ramps between them, with jumps or bends in between.
///
/// The model: y = level(x) (1 + noise), with a level that is piecewise constant or linear and noise of one relative
/// standard deviation on all medians of points. Noise may have heavy tails, see robust_curve(). The partition is the
/// one of least penalised squared residuals (optimal_partition()), the penalty is such that a curve without changes
/// shows one with the chance asked for (change_penalty()), and intervals come from likelihood ratios
/// (change_location.hpp), each with the neighbouring changes in place. A plateau, a ramp and a plateau are made
/// continuous unless the points say otherwise, and become a jump where they do not say ramp.
///
/// A change in the first or last two points cannot be seen. Throws bad_input as robust_curve() does, and for options
/// out of range.
[[nodiscard]] ChangePoints find_change_points(std::span<const ProbePoint> points,
                                              const ChangePointOptions& options = {});

} // namespace texelscope::model
