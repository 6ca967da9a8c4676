#pragma once

#include "sim/heat_map.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope {

using Rgb = std::array<std::uint8_t, 3>;

/// The viridis colour map (CC0, Smith, van der Walt and Firing), t in [0, 1] clamped; linear between 17 table entries.
[[nodiscard]] Rgb viridis(double t);

enum class ColourScale { linear, logarithmic };

/// Position of a count on the scale from 0 to `max`, in [0, 1]; logarithmic: log(1 + count) / log(1 + max).
[[nodiscard]] double scale_position(std::int64_t count, std::int64_t max, ColourScale scale);

/// RGB pixels, row-major.
struct Picture {
    int width = 0;
    int height = 0;
    std::vector<Rgb> pixels;
};

/// A heat map with a colour bar, labelled with the quantity and the counts. Texels are whole squares of pixels; where the
/// map is larger than `largest` pixels, a pixel shows the maximum of the texels under it, so that no hot texel is lost.
/// Texels that were never touched (count 0) are drawn in a neutral grey outside of the colour map.
[[nodiscard]] Picture heat_map_picture(const HeatMap& map, const std::string& title, ColourScale scale, int largest = 1024);

/// The file's bytes.
[[nodiscard]] std::string to_png(const Picture& picture);
/// "x,y,count" rows of the texels with a count.
[[nodiscard]] std::string to_csv(const HeatMap& map);
/// NumPy array format 1.0, int64, shape (height, width), C order.
[[nodiscard]] std::string to_npy(const HeatMap& map);

} // namespace texelscope
