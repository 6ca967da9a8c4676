#pragma once

#include "workbench/plots/png.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace texelscope::workbench::plots {

// A drawing as a value: shapes in the order in which they are painted, in units from the top left
// corner. The window, SVG files and pictures are all made from one drawing, so they look the same.
//
// Drawings are made for a white ground. On another ground, greys and white are mapped to the range
// from its text colour to the ground itself.

struct DrawnPoint {
    double x = 0;
    double y = 0;
};

struct DrawnLine {
    std::vector<DrawnPoint> through; ///< two or more
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

struct DrawnMark {
    DrawnPoint centre;
    double radius = 1;
    Rgb colour{};
    std::string about;
    enum class Look {
        disc,
        /// A disc with a ring in the ground's colour, which sets it apart from others.
        ringed,
        cross,
    } look = Look::disc;
};

struct DrawnText {
    DrawnPoint at; ///< on the base line
    std::string words;
    /// Which point of the text lies at `at`.
    enum class Anchor { start, middle, end } anchor = Anchor::start;
    double size = 11;     ///< height of the font
    bool upright = false; ///< turned left by 90 degrees
    Rgb colour{0x22, 0x22, 0x22};
};

/// A picture whose pixels are rectangles.
struct DrawnPixels {
    DrawnPoint corner; ///< top left
    double width = 1;  ///< of a pixel
    double height = 1;
    Picture picture;
};

struct Drawing {
    double width = 0;
    double height = 0;
    std::vector<std::variant<DrawnLine, DrawnBox, DrawnMark, DrawnText, DrawnPixels>> shapes;
};

inline constexpr double ring_width = 1; ///< of DrawnMark::Look::ringed

[[nodiscard]] bool is_grey(Rgb colour);

/// Width of a text in DejaVu Sans, the font of pictures. Other fonts are hardly wider.
[[nodiscard]] double text_width(std::string_view words, double size);
/// How far to the left of DrawnText::at the text starts.
[[nodiscard]] double before_anchor(const DrawnText& text, double width);

/// A whole SVG file on a white ground. All text is escaped.
[[nodiscard]] std::string to_svg(const Drawing& drawing, const std::string& title);
/// An SVG element for an HTML page, in the page's text colour, on its ground; the page's style
/// sheet may override the other colours by their attributes. It scales with the column that it
/// stands in.
[[nodiscard]] std::string svg_element(const Drawing& drawing, const std::string& title);

/// The drawing on a white ground with `scale` pixels per unit and smoothed edges. Throws bad_input
/// where the picture would be smaller than a pixel, or larger than 16384 pixels along a side.
[[nodiscard]] Picture to_picture(const Drawing& drawing, double scale);

} // namespace texelscope::workbench::plots
