#pragma once

#include "base/layers.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace texelscope::workbench::plots {

using Rgb = std::array<std::uint8_t, 3>;

/// The viridis colour map (CC0; Smith, van der Walt and Firing), t in [0, 1] clamped; linear
/// between 33 table entries, which is within 2 of the full table in every channel.
[[nodiscard]] Rgb viridis(double t);

enum class ColourScale { linear, logarithmic };

/// Position of a count on the scale from 0 to `max`, in [0, 1]; on a logarithmic scale log(1 +
/// count) / log(1 + max). A count of 0 is at 0; everything is at 0 where `max` is 0.
[[nodiscard]] double scale_position(std::int64_t count, std::int64_t max, ColourScale scale);
/// scale_position() for values that are no counts.
[[nodiscard]] double value_position(double value, double max, ColourScale scale);
/// Values to label on a scale, ascending from 0, with `max` itself as the last. On a linear scale
/// they are at most `most` multiples of 1, 2 or 5 times a power of ten; on a logarithmic one powers
/// of ten from 1 on. `whole`: no fractions. The caller may not have room for all.
[[nodiscard]] std::vector<double> scale_ticks(double max, ColourScale scale, int most, bool whole);

} // namespace texelscope::workbench::plots
