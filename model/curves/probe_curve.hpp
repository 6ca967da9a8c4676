#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace texelscope::model {

/// What a probe measured at one place: raw samples (positive: times, or bandwidths) of the same
/// thing.
struct ProbePoint {
    double x = 0;
    std::vector<double> samples;
};

/// Noise of a probe curve as relative standard deviations, all robust: that a few samples are far
/// off does not matter.
struct CurveNoise {
    /// Of one sample about the median of its point; 0 where no point has three samples.
    double of_samples = 0;
    /// Of the medians of points about a smooth curve; what counts for changes.
    double of_points = 0;
};

/// A probe curve as the search for changes sees it.
struct RobustCurve {
    std::vector<double> x;
    /// Median of the samples, drawn in where the point is an outlier.
    std::vector<double> y;
    /// Running median of the points: what the noise is relative to.
    std::vector<double> level;
    std::vector<std::size_t> outliers; ///< points that were drawn in, ascending
    CurveNoise noise;
};

/// Least noise that anything is believed to have, relative: a constant curve has no noise to
/// estimate.
inline constexpr double least_noise = 1e-3;

/// Summarises each point by its median, and estimates the noise of these medians as the larger of
/// two estimates:
/// - from differences, 1.4826 times the median of the absolute pseudo-residuals of Gasser, Sroka
///   and Jennen-Steinmetz (Biometrika 73, 1986), each a point against the line through its
///   neighbours, which slopes do not disturb and changes only where they are: less than half of the
///   points may be next to one;
/// - from the samples of the points, which says nothing of what all samples of a point have in
///   common. A point further than three standard deviations from the median of itself and two
///   neighbours on either side (at the ends, Tukey's rule of the median of the point, its neighbour
///   and the neighbours' extrapolation) is an outlier, and is drawn in to three (Hampel's
///   identifier, winsorised). Runs of less than three points that stand out are thus outliers;
///   steps and slopes are untouched.
///
/// Throws bad_input where there is no point or sample, x is not ascending, or a sample is not
/// positive and finite. `where` stands in messages.
[[nodiscard]] RobustCurve robust_curve(std::span<const ProbePoint> points, std::string_view where);

} // namespace texelscope::model
