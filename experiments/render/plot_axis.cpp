#include "experiments/render/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace texelscope::experiments {
namespace {

/// The least of 1, 2, 5 times a power of ten that is at least `value`.
double nice_step(double value)
{
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= value * (1 - 1e-9)) {
            return factor * power;
        }
    }
    return 10 * power;
}

} // namespace

LinearAxis linear_axis(double low, double high, int steps)
{
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
    if (high - low <= 0) {
        return {};
    }
    const double step = nice_step((high - low) / steps);
    return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, step};
}

std::string tick_text(double value)
{
    const double size = std::abs(value);
    if (size != 0 && (size >= 1e5 || size < 1e-3)) {
        const int power = static_cast<int>(std::floor(std::log10(size) + 1e-9));
        return fmt::format("{:.3g}e{}", value / std::pow(10.0, power), power);
    }
    return fmt::format("{:.6g}", value); // 10000, not 1e+04
}

} // namespace texelscope::experiments
