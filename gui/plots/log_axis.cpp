#include "gui/plots/log_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace texelscope::gui {
namespace {

/// Values `factor` times a power of ten, every `stride`-th power, on the axis.
std::vector<double> multiples(const LogAxis& axis, std::span<const double> factors, int stride)
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

} // namespace

double LogAxis::place(double value) const
{
    return std::log(value / low) / std::log(high / low);
}

std::vector<double> LogAxis::ticks(int most) const
{
    const double nearest = 1.0 / std::max(1, most);
    const auto fits = [&](const std::vector<double>& ticks) {
        return std::adjacent_find(ticks.begin(), ticks.end(),
                                  [&](double a, double b) { return place(b) - place(a) < nearest; }) == ticks.end();
    };
    std::vector<double> tenths;
    for (int tenth = 10; tenth < 100; ++tenth) {
        tenths.push_back(tenth / 10.0);
    }
    std::vector<double> kept;
    for (const std::vector<double>& factors : {tenths, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5}, {1}}) {
        std::vector<double> ticks = multiples(*this, factors, 1);
        if (!ticks.empty()) {
            kept = std::move(ticks);
            if (fits(kept)) {
                return kept;
            }
        }
    }
    for (int stride = 2; !fits(kept); ++stride) {
        std::vector<double> powers = multiples(*this, std::array{1.0}, stride);
        if (powers.empty()) { // the axis lies between two such powers
            kept.resize(1);
        } else {
            kept = std::move(powers);
        }
    }
    return kept;
}

LogAxis log_axis(std::span<const double> values)
{
    double low = 0;
    double high = 0;
    for (const double value : values) {
        if (value > 0 && std::isfinite(value)) {
            low = low > 0 ? std::min(low, value) : value;
            high = std::max(high, value);
        }
    }
    if (low <= 0) {
        return {};
    }
    const double margin = std::max(1.15, std::pow(high / low, 0.06));
    return {low / margin, high * margin};
}

} // namespace texelscope::gui
