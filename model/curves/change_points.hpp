#pragma once

#include "base/layers.hpp"
#include "model/curves/curve_outline.hpp"
#include "model/curves/probe_curve.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace texelscope::model {

/// How many data a curve has, which limits how well its noise is known.
struct CurveSize {
    std::size_t points = 0;
    std::size_t samples = 0; ///< of all points together; at least one each
};

/// By how much a change has to lower the sum of squared, standardised residuals, so that a curve
/// without changes shows one with a chance of at most `false_positives` in all, wherever and
/// however many. In (0, 1).
///
/// Were the noise Gaussian and its deviation known, 2 ln(points / false_positives) would do, as
/// there are so many places for a change (compare Yao's 2 ln n a change, Statistics and Probability
/// Letters 6, 1988). But the deviation is estimated, robustly and so from less than the points have
/// to give: the statistic has the heavier tails of Student's, and a gain g counts for no more than
/// v ln(1 + g / v). The degrees of freedom v are 0.4 times the samples, and at most 40, or 20 where
/// points have one sample. Simulated curves of 10 to 200 points without changes then stay within 5
/// % and 1 %, for Gaussian and log-normal noise and Student's with 3 degrees of freedom, and from
/// three samples a point on with 5 % of samples far off; for exponential noise they stay within 5
/// %, but show up to 2 % where 1 % are asked for. Single samples cannot tell runs of outliers from
/// a plateau: with 5 % of outliers, 200 of them show a change in every tenth curve.
[[nodiscard]] double change_penalty(const CurveSize& size, double false_positives);

/// The inverse: the chance that a curve without changes shows one which lowers the sum by `gain` or
/// more. At most 1.
[[nodiscard]] double chance_of_gain(const CurveSize& size, double gain);

/// How much more than the least a sum of squared, standardised residuals may be, where `known`
/// would do if the deviation of the noise were known. Not less than `known`, for the reason above.
[[nodiscard]] double widened_threshold(const CurveSize& size, double known);

/// A ramp pays this share of a penalty on top of what a plateau pays: it has one parameter more.
inline constexpr double ramp_surcharge = 0.5;

/// The value below which the square of a standard normal variable lies with this probability, in
/// (0, 1).
[[nodiscard]] double chi_squared_quantile(double probability);

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
    /// Chance that a curve without changes, as long and noisy as this one, shows a change which
    /// explains as much.
    double p_value = 1;
};

/// A plateau or a ramp of the curve, with the fitted levels of its ends.
struct CurveSegment {
    SegmentShape shape = SegmentShape::plateau;
    double from = 0;       ///< x of the change before it, or of the first point
    double to = 0;         ///< x of the change after it, or of the last point
    double from_level = 0; ///< y at x = from
    double to_level = 0;   ///< y at x = to; on a plateau, the same
    PointRange points;     ///< points that belong to it
};

struct ChangePoints {
    std::vector<CurveSegment> segments; ///< one more than changes
    std::vector<ChangePoint> changes;   ///< ascending
    CurveNoise noise;
    std::vector<std::size_t> outliers; ///< points that stand out alone or in pairs
};

/// Finds where a probe curve changes: plateaus, and ramps between them, with jumps or bends in
/// between.
///
/// The model: y = level(x) (1 + noise), with a level that is piecewise constant or linear and noise
/// of one relative standard deviation on all medians of points. Noise may have heavy tails, see
/// robust_curve(). The partition is the one of least penalised squared residuals
/// (optimal_partition()), the penalty is such that a curve without changes shows one with the
/// chance asked for (change_penalty()), and intervals come from likelihood ratios
/// (change_location.hpp), each with the neighbouring changes in place. A plateau, a ramp and a
/// plateau are made continuous unless the points say otherwise, and become a jump where they do not
/// say ramp.
///
/// A change in the first or last two points cannot be seen. Throws bad_input as robust_curve()
/// does, and for options out of range.
[[nodiscard]] ChangePoints find_change_points(std::span<const ProbePoint> points,
                                              const ChangePointOptions& options = {});

} // namespace texelscope::model
