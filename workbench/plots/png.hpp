#pragma once

#include "workbench/plots/colour_map.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::plots {

/// RGB pixels, row-major: width * height of them.
struct Picture {
    int width = 0;
    int height = 0;
    std::vector<Rgb> pixels;
};

/// The bytes of a PNG file. Throws bad_input where a side is not positive, the pixels are not width
/// * height, or the PNG library refuses.
[[nodiscard]] std::string to_png(const Picture& picture);

} // namespace texelscope::workbench::plots
