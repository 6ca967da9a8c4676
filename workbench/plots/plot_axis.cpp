#include "workbench/plots/plot_axis.hpp"

#include "base/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace texelscope::workbench::plots {
namespace {

/// The least number of the form 1, 2 or 5 times a power of ten that is at least `value`. The margin
/// of 1e-9 keeps rounding from going up a step.
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

std::vector<double> even_ticks(double low, double high, double step)
{
    std::vector<double> ticks;
    for (double number = std::ceil(low / step - 1e-9); number * step <= high + 1e-9 * step;
         ++number) {
        ticks.push_back(number == 0 ? 0.0 : number * step); // no -0
    }
    return ticks;
}

/// Values of the form factor * power of ten that lie on the axis; of the powers every `stride`-th.
std::vector<double> multiples(const PlotAxis& axis, std::span<const double> factors, int stride)
{
    const int first = static_cast<int>(std::floor(std::log10(axis.low)));
    const int last = static_cast<int>(std::ceil(std::log10(axis.high)));
    std::vector<double> ticks;
    for (int power = first; power <= last; ++power) {
        for (const double factor : factors) {
            const double tick = factor * std::pow(10.0, power);
            if (power % stride == 0 && tick >= axis.low && tick <= axis.high) {
                ticks.push_back(tick);
            }
        }
    }
    return ticks;
}

/// The densest series whose ticks are at least `nearest` of the axis apart.
std::vector<double> log_ticks(const PlotAxis& axis, double nearest)
{
    const auto fits = [&](const std::vector<double>& ticks) {
        return std::adjacent_find(ticks.begin(), ticks.end(), [&](double a, double b) {
                   return axis.place(b) - axis.place(a) < nearest;
               }) == ticks.end();
    };
    std::vector<double> tenths;
    for (int tenth = 10; tenth < 100; ++tenth) {
        tenths.push_back(tenth / 10.0);
    }
    std::vector<double> kept;
    for (const std::vector<double>& factors :
         {tenths, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5}, {1}}) {
        std::vector<double> ticks = multiples(axis, factors, 1);
        if (!ticks.empty()) {
            kept = std::move(ticks);
            if (fits(kept)) {
                return kept;
            }
        }
    }
    for (int stride = 2; !fits(kept); ++stride) {
        std::vector<double> powers = multiples(axis, std::array{1.0}, stride);
        if (powers.empty()) { // the axis lies between two such powers
            kept.resize(1);
        } else {
            kept = std::move(powers);
        }
    }
    if (kept.empty()) { // an axis shorter than a tenth
        kept.push_back(axis.value_at(0.5));
    }
    return kept;
}

} // namespace

double PlotAxis::place(double value) const
{
    if (log) {
        return value > 0 ? std::log(value / low) / std::log(high / low)
                         : std::numeric_limits<double>::quiet_NaN();
    }
    return (value - low) / (high - low);
}

double PlotAxis::value_at(double place) const
{
    return log ? low * std::pow(high / low, place) : low + place * (high - low);
}

std::vector<double> PlotAxis::ticks(int most) const
{
    const double nearest = 1.0 / std::max(1, most);
    const auto [from, to] = std::minmax(low, high);
    return log ? log_ticks(*this, nearest) : even_ticks(from, to, nice_step((to - from) * nearest));
}

PlotAxis linear_axis(double low, double high, int steps)
{
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
    if (high - low <= 0) {
        return {};
    }
    const double step = nice_step((high - low) / steps);
    return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step};
}

PlotAxis log_axis(std::span<const double> values)
{
    double low = 0;
    double high = 0;
    for (const double value : values) {
        if (value > 0 && std::isfinite(value)) {
            low = low > 0 ? std::min(low, value) : value;
            high = std::max(high, value);
        }
    }
    // No value is positive: any decade will do.
    if (low <= 0) {
        return {1, 10, true};
    }
    // So that no mark lies on the frame.
    const double margin = std::max(1.15, std::pow(high / low, 0.06));
    return {low / margin, high * margin, true};
}

std::string tick_text(double value)
{
    const double size = std::abs(value);
    for (const auto& [unit, name] :
         {std::pair{1e12, "T"}, std::pair{1e9, "G"}, std::pair{1e6, "M"}}) {
        if (size >= unit && size < 1e15) {
            return fmt::format("{:.4g} {}", value / unit, name);
        }
    }
    if (size >= 1e4 && size < 1e6 && value == std::floor(value)) {
        return base::count_text(std::llround(value));
    }
    if (size != 0 && (size >= 1e15 || size < 1e-3)) {
        const int power = static_cast<int>(std::floor(std::log10(size) + 1e-9));
        return fmt::format("{:.3g}e{}", value / std::pow(10.0, power), power);
    }
    return fmt::format("{:.6g}", value);
}

} // namespace texelscope::workbench::plots
