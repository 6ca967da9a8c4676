#pragma once

#include "experiments/render/png.hpp"

#include <string>
#include <variant>
#include <vector>

namespace texelscope::experiments {

// A drawing as a value: shapes in the order in which they are painted, in units from the top left corner. One drawing
// gives an SVG file and a picture that look the same.

struct DrawnPoint {
    double x = 0;
    double y = 0;
};

struct DrawnLine {
    DrawnPoint from;
    DrawnPoint to;
    Rgb colour{};
    double width = 1;
    bool dashed = false; ///< 4 units drawn, 3 left out
};

struct DrawnBox {
    DrawnPoint corner; ///< top left
    double width = 0;
    double height = 0;
    Rgb colour{};
    std::string about; ///< shown on hover in an SVG; empty: nothing
};

struct DrawnDisc {
    DrawnPoint centre;
    double radius = 1;
    Rgb colour{};
    std::string about;
};

struct DrawnText {
    DrawnPoint at; ///< on the base line
    std::string words;
    enum class Anchor { start, middle, end } anchor = Anchor::start; ///< what of the words is at `at`
    double size = 11;                                                ///< height of the font
    bool upright = false;                                            ///< turned left by a quarter
    Rgb colour{0x22, 0x22, 0x22};
};

struct Drawing {
    double width = 0;
    double height = 0;
    std::vector<std::variant<DrawnLine, DrawnBox, DrawnDisc, DrawnText>> shapes;
};

/// A whole SVG file on a white ground. All text is escaped.
[[nodiscard]] std::string to_svg(const Drawing& drawing, const std::string& title);

/// The drawing on a white ground with `scale` pixels to a unit, edges smoothed, text in the font of bitmap_font.hpp.
/// Throws bad_input where that is less than a pixel, or more than 16384 along a side.
[[nodiscard]] Picture to_picture(const Drawing& drawing, double scale);

} // namespace texelscope::experiments
