#include "model/curves/change_penalty.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace texelscope::model {

namespace {

double degrees_of_freedom(const CurveSize& size)
{
    const auto samples = static_cast<double>(size.samples);
    return std::min(0.4 * samples, 20 * std::min(2.0, samples / static_cast<double>(size.points)));
}

} // namespace

double change_penalty(const CurveSize& size, double false_positives)
{
    return widened_threshold(size, 2 * std::log(static_cast<double>(size.points) / false_positives));
}

double widened_threshold(const CurveSize& size, double known)
{
    const double freedom = degrees_of_freedom(size);
    return freedom * std::expm1(known / freedom);
}

double chance_of_gain(const CurveSize& size, double gain)
{
    const double freedom = degrees_of_freedom(size);
    return std::min(1.0, static_cast<double>(size.points) * std::exp(-freedom * std::log1p(gain / freedom) / 2));
}

double chi_squared_quantile(double probability)
{
    // P(Z^2 <= q) = erf(sqrt(q / 2)), inverted by bisection.
    double low = 0;
    double high = 40;
    for (int step = 0; step < 200; ++step) {
        const double middle = (low + high) / 2;
        (std::erf(middle / std::numbers::sqrt2) < probability ? low : high) = middle;
    }
    return low * low;
}

} // namespace texelscope::model
