#include "model/curves/probe_curve.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace texelscope::model {
namespace {

/// A Gaussian's standard deviation over the median of its absolute deviations.
constexpr double gaussian_mad = 1.4826;
/// Distance in standard deviations beyond which a point is an outlier.
constexpr double outlier_distance = 3;

void require_curve(std::span<const ProbePoint> points, std::string_view where)
{
    const std::string place(where);
    if (points.empty()) {
        throw bad_input("the curve has no points", place);
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!std::isfinite(points[i].x) || (i > 0 && !(points[i - 1].x < points[i].x))) {
            throw bad_input(
                fmt::format("x of point {} is {} but must be finite and ascending", i, points[i].x),
                place, "sort the points and merge those of one x");
        }
        if (points[i].samples.empty()) {
            throw bad_input(fmt::format("the point at x = {} has no samples", points[i].x), place);
        }
        for (const double sample : points[i].samples) {
            if (!std::isfinite(sample) || !(sample > 0)) {
                throw bad_input(fmt::format("a sample at x = {} is {}", points[i].x, sample), place,
                                "samples must be positive and finite");
            }
        }
    }
}

/// Scale of values about zero. Where timers are coarse, more than half may be zero while the rest
/// is not: then the root mean square of the smaller three quarters.
double robust_scale(std::vector<double> values)
{
    if (values.empty()) {
        return 0;
    }
    for (double& value : values) {
        value = std::abs(value);
    }
    if (const double typical = median(values); typical > 0) {
        return gaussian_mad * typical;
    }
    std::sort(values.begin(), values.end());
    values.resize((values.size() * 3 + 3) / 4);
    double squares = 0;
    for (const double value : values) {
        squares += value * value;
    }
    return std::sqrt(squares / static_cast<double>(values.size()));
}

/// Tukey's rule for an end: the median of the point, the smooth neighbour, and the line through the
/// two smooth neighbours, continued to one place beyond the end. Positive even where that line is
/// not.
double smooth_end(double point, double next, double after_next)
{
    return median({point, next, 3 * next - 2 * after_next});
}

std::vector<double> running_medians(const std::vector<double>& y)
{
    const std::size_t count = y.size();
    std::vector<double> smooth = y;
    if (count < 5) {
        std::fill(smooth.begin(), smooth.end(), median(y));
        return smooth;
    }
    smooth[1] = median({y[0], y[1], y[2]});
    smooth[count - 2] = median({y[count - 3], y[count - 2], y[count - 1]});
    for (std::size_t i = 2; i + 2 < count; ++i) {
        smooth[i] = median({y[i - 2], y[i - 1], y[i], y[i + 1], y[i + 2]});
    }
    smooth[0] = smooth_end(y[0], smooth[1], smooth[2]);
    smooth[count - 1] = smooth_end(y[count - 1], smooth[count - 2], smooth[count - 3]);
    return smooth;
}

/// Relative deviations of points from the line through their neighbours, each divided by what it
/// has of the variance of a point.
std::vector<double> pseudo_residuals(const RobustCurve& curve)
{
    std::vector<double> residuals;
    for (std::size_t i = 1; i + 1 < curve.x.size(); ++i) {
        const double right = (curve.x[i] - curve.x[i - 1]) / (curve.x[i + 1] - curve.x[i - 1]);
        const double left = 1 - right;
        const double deviation = curve.y[i] - left * curve.y[i - 1] - right * curve.y[i + 1];
        residuals.push_back(deviation / curve.level[i] /
                            std::sqrt(1 + left * left + right * right));
    }
    return residuals;
}

/// Variance of the median of `count` Gaussian samples over that of one: 1 for one sample, pi / (2
/// count) for many.
double variance_of_median(std::size_t count)
{
    return std::numbers::pi / (2 * static_cast<double>(count) + std::numbers::pi - 2);
}

CurveNoise noise_of(const RobustCurve& curve, std::span<const ProbePoint> points)
{
    std::vector<double> deviations;
    double factor = 0; // of a typical point's median
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto count = static_cast<double>(points[i].samples.size());
        factor += variance_of_median(points[i].samples.size()) / static_cast<double>(points.size());
        if (count < 3) {
            continue;
        }
        const double middle = median(points[i].samples);
        for (const double sample : points[i].samples) {
            // The median follows its own samples; for an odd number, one deviation is zero by
            // construction.
            deviations.push_back((sample - middle) / middle * std::sqrt(count / (count - 1)));
        }
    }
    const double of_samples = robust_scale(std::move(deviations));
    const double of_points =
        std::max(robust_scale(pseudo_residuals(curve)), of_samples * std::sqrt(factor));
    return {of_samples, std::max(of_points, least_noise)};
}

} // namespace

RobustCurve robust_curve(std::span<const ProbePoint> points, std::string_view where)
{
    require_curve(points, where);
    RobustCurve curve;
    for (const ProbePoint& point : points) {
        curve.x.push_back(point.x);
        curve.y.push_back(median(point.samples));
    }
    curve.level = running_medians(curve.y);
    curve.noise = noise_of(curve, points);
    for (std::size_t i = 0; i < curve.y.size(); ++i) {
        const double reach = outlier_distance * curve.noise.of_points * curve.level[i];
        const double drawn_in =
            std::clamp(curve.y[i], curve.level[i] - reach, curve.level[i] + reach);
        if (drawn_in != curve.y[i] && curve.y.size() >= 5) {
            curve.y[i] = drawn_in;
            curve.outliers.push_back(i);
        }
    }
    return curve;
}

} // namespace texelscope::model
