#include "workbench/plots/colour_map.hpp"

#include "workbench/plots/plot_axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace texelscope::workbench::plots {
namespace {

// Every 1/32 of the viridis colour map by Nathaniel Smith, Stefan van der Walt and Eric Firing,
// which its authors gave to the public domain (CC0 1.0), rounded to 8 bits.
constexpr std::array<Rgb, 33> viridis_table{{
    {68, 1, 84},    {71, 13, 96},   {72, 24, 106},  {72, 35, 116},  {71, 45, 123},  {69, 54, 129},
    {66, 64, 134},  {63, 73, 137},  {59, 82, 139},  {55, 90, 141},  {51, 99, 141},  {47, 106, 142},
    {44, 114, 142}, {41, 122, 142}, {38, 129, 142}, {35, 137, 142}, {33, 144, 140}, {31, 152, 139},
    {31, 159, 136}, {33, 166, 133}, {40, 174, 128}, {49, 181, 123}, {62, 188, 116}, {76, 194, 108},
    {93, 201, 99},  {110, 206, 88}, {130, 211, 76}, {150, 216, 63}, {171, 220, 50}, {192, 223, 36},
    {213, 226, 26}, {234, 229, 26}, {253, 231, 37},
}};

} // namespace

Rgb viridis(double t)
{
    // The comparison is false for NaN, which therefore gets the first colour.
    const double position =
        (t > 0 ? std::min(t, 1.0) : 0.0) * static_cast<double>(viridis_table.size() - 1);
    const std::size_t below =
        std::min(static_cast<std::size_t>(position), viridis_table.size() - 2);
    const double share = position - static_cast<double>(below);
    Rgb colour{};
    for (std::size_t channel = 0; channel < colour.size(); ++channel) {
        const double low = viridis_table[below][channel];
        const double high = viridis_table[below + 1][channel];
        colour[channel] = static_cast<std::uint8_t>(std::lround(low + (high - low) * share));
    }
    return colour;
}

double scale_position(std::int64_t count, std::int64_t max, ColourScale scale)
{
    return value_position(static_cast<double>(count), static_cast<double>(max), scale);
}

/// log1p, so that a value of 0 has a place: log(1 + value) / log(1 + max).
double value_position(double value, double max, ColourScale scale)
{
    if (value <= 0 || max <= 0) {
        return 0;
    }
    return std::min(1.0, scale == ColourScale::linear ? value / max
                                                      : std::log1p(value) / std::log1p(max));
}

std::vector<double> scale_ticks(double max, ColourScale scale, int most, bool whole)
{
    std::vector<double> ticks{0};
    if (scale == ColourScale::logarithmic) {
        // Powers of ten are evenly spaced, but for 0, which log1p puts at the start.
        for (double value = 1; value < max; value *= 10) {
            ticks.push_back(value);
        }
    } else if (max > 0) {
        for (const double value : PlotAxis{0, max}.ticks(most)) {
            if (value > 0 && value < max && (!whole || value == std::floor(value))) {
                ticks.push_back(value);
            }
        }
    }
    if (max > 0) {
        ticks.push_back(max);
    }
    return ticks;
}

} // namespace texelscope::workbench::plots
