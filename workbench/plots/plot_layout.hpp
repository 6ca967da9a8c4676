#pragma once

#include "workbench/plots/panel_plot.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::plots {

/// Where the parts of a plot's drawing are.
struct PlotLayout {
    PlotAxis x;
    PlotAxis left;
    PlotAxis right;
    struct Tick {
        double value = 0;
        std::string text;
        std::string second; ///< second line of the name; may be empty
    };
    std::vector<Tick> x_ticks;
    std::vector<Tick> left_ticks;
    std::vector<Tick> right_ticks;

    struct Entry {
        std::string name;
        Rgb colour{};
        enum class Look { curve, plain, disc, cross, box, dashed } look = Look::curve;

        [[nodiscard]] double width() const;
    };
    std::vector<std::vector<Entry>> legend; ///< in rows
    double legend_top = 0;

    std::vector<DrawnBox> panels; ///< area of each panel
    double width = 0;
    double height = 0;
};

// Sizes of texts, and room around them, in units of the drawing.
inline constexpr double title_size = 14;
inline constexpr double label_size = 12;
inline constexpr double number_size = 11;
inline constexpr double panel_gap = 16;   ///< between panels side by side
inline constexpr double number_gap = 6;   ///< between numbers and their axis
inline constexpr double tick_drop = 17;   ///< from the x axis to the base line of its numbers
inline constexpr double tick_line = 13;   ///< from one line of a tick's name to the next
inline constexpr double legend_line = 16; ///< from one row of the legend to the next
/// Width of the sign in front of a name of the legend.
inline constexpr double legend_sign = 24;
inline constexpr double legend_space = 22;
inline constexpr Rgb rule_grey{0x80, 0x80, 0x80};

[[nodiscard]] double row_width(const std::vector<PlotLayout::Entry>& row);

/// Throws as placed() does.
[[nodiscard]] PlotLayout layout_of(const PanelPlot& plot);

} // namespace texelscope::workbench::plots
