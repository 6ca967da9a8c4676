#pragma once

#include "workbench/plots/png.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace texelscope::workbench::plots {

// A drawing as a value: shapes in the order in which they are painted, in units from the top left
// corner. One drawing gives what the window shows, an SVG file and a picture, which look the same.
// It is made for a white ground: where the ground is another one, greys and white go from its ink
// to itself.

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
        ringed, ///< a disc in a ring of the ground, which keeps it apart from others
        cross,
    } look = Look::disc;
};

struct DrawnText {
    DrawnPoint at; ///< on the base line
    std::string words;
    /// What of the words is at `at`.
    enum class Anchor { start, middle, end } anchor = Anchor::start;
    double size = 11;     ///< height of the font
    bool upright = false; ///< turned left by a quarter
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

/// Width of a text of DejaVu Sans, the font of pictures; others are hardly wider.
[[nodiscard]] double text_width(std::string_view words, double size);
/// How far to the left of DrawnText::at the text starts.
[[nodiscard]] double before_anchor(const DrawnText& text, double width);

/// A whole SVG file on a white ground. All text is escaped.
[[nodiscard]] std::string to_svg(const Drawing& drawing, const std::string& title);
/// An SVG element for an HTML page, in the page's text colour, on its ground; the page's style
/// sheet may override the other colours by their attributes. It scales with the column that it
/// stands in.
[[nodiscard]] std::string svg_element(const Drawing& drawing, const std::string& title);

/// The drawing on a white ground with `scale` pixels to a unit, edges smoothed. Throws bad_input
/// where that is less than a pixel, or more than 16384 along a side.
[[nodiscard]] Picture to_picture(const Drawing& drawing, double scale);

} // namespace texelscope::workbench::plots
