#include "experiments/render/heat_map_picture.hpp"

#include "base/error.hpp"
#include "experiments/render/bitmap_font.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace texelscope::experiments {
namespace {

constexpr Rgb paper{255, 255, 255};
constexpr Rgb legend_ink{40, 40, 40};
constexpr Rgb frame{120, 120, 120};

constexpr int dot = 2;                  ///< pixels of a dot of the font
constexpr int line = font_height * dot; ///< pixels of a line of text
constexpr int part_gap = 8;             ///< between parts
constexpr int tick = 4;                 ///< length of a tick
constexpr int bar_width = 18;
constexpr int least_bar = 120; ///< the colour bar stays legible beside a flat map
constexpr int longest_side_ratio = 8;

int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

/// Cells along one side of the map.
struct Side {
    int cells = 0;
    int pixels = 1; ///< of a cell
    int texels = 1; ///< of a cell

    [[nodiscard]] int length() const { return cells * pixels; }
    /// Pixel, from the start of the side, at the middle of a texel.
    [[nodiscard]] int middle(int texel) const { return texel / texels * pixels + pixels / 2; }
};

Side fit(int texels, int pixels)
{
    if (texels <= pixels) {
        return {texels, pixels / texels, 1};
    }
    const int together = ceil_div(texels, pixels);
    return {ceil_div(texels, together), 1, together};
}

/// The other side where cells are squares.
Side with_cells_of(int texels, const Side& other)
{
    return {ceil_div(texels, other.texels), other.pixels, other.texels};
}

void fill(Picture& picture, int left, int top, int width, int height, Rgb colour)
{
    for (int y = std::max(top, 0); y < std::min(top + height, picture.height); ++y) {
        for (int x = std::max(left, 0); x < std::min(left + width, picture.width); ++x) {
            picture.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                           static_cast<std::size_t>(x)] = colour;
        }
    }
}

/// A frame of one pixel around a rectangle.
void outline(Picture& picture, int left, int top, int width, int height)
{
    fill(picture, left - 1, top - 1, width + 2, 1, frame);
    fill(picture, left - 1, top + height, width + 2, 1, frame);
    fill(picture, left - 1, top - 1, 1, height + 2, frame);
    fill(picture, left + width, top - 1, 1, height + 2, frame);
}

/// What is drawn.
struct Values {
    Extent2D extent;
    std::vector<double> texels; ///< row-major; not a number: nothing there
    std::string nothing;        ///< what the legend calls that
    bool zero = false;          ///< 0 is a value as well
    double max = 0;

    [[nodiscard]] bool any() const { return zero ? max >= 0 : max > 0; }
};

/// Few characters: 99999, 120k, 1.5M, 0.25.
std::string short_number(double value)
{
    if (value < 100'000) {
        return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
    }
    std::size_t power = 0;
    while (value >= 999.5 && power < 6) {
        value /= 1000;
        ++power;
    }
    return fmt::format("{:.3g}{}", value, std::string_view(" kMGTPE").substr(power, 1));
}

/// Coordinates to label: multiples of the least power of two that keeps labels `room` pixels apart.
std::vector<int> coordinate_ticks(const Side& side, int texels, int room)
{
    int step = 1;
    while (step < texels && static_cast<double>(step) * side.pixels / side.texels < room) {
        step *= 2;
    }
    std::vector<int> ticks;
    for (int at = 0; at < texels; at += step) {
        ticks.push_back(at);
    }
    return ticks;
}

/// Values to label on the colour bar; the greatest comes first, so that no other pushes it out. `whole`: no fractions.
std::vector<double> value_ticks(const Values& values, ColourScale scale)
{
    const double max = values.max;
    std::vector<double> ticks{max};
    if (values.zero) {
        ticks.push_back(0);
    }
    if (scale == ColourScale::logarithmic) {
        for (double value = 1; value < max; value *= 10) {
            ticks.push_back(value);
        }
    } else if (max > 0) {
        const double power = std::pow(10.0, std::floor(std::log10(max)));
        const double ratio = max / power;
        double step = power / (ratio < 3 ? 5 : ratio < 6 ? 2 : 1);
        if (!values.zero) {
            step = std::max(1.0, std::floor(step));
        }
        for (int i = 1; i * step < max; ++i) {
            ticks.push_back(i * step);
        }
    }
    return ticks;
}

/// Width of what is left of the map: the y coordinates and their ticks.
int label_margin(int height)
{
    return part_gap + text_width(fmt::format("{}", std::max(height - 1, 0)), dot) + tick + 4;
}

struct BarTick {
    int y = 0; ///< pixel from the top of the bar
    std::string label;
};

std::vector<BarTick> bar_ticks(const Values& values, ColourScale scale, int height)
{
    std::vector<BarTick> ticks;
    for (const double value : value_ticks(values, scale)) {
        const int y = static_cast<int>(std::lround((1.0 - value_position(value, values.max, scale)) * (height - 1)));
        const bool free = std::none_of(ticks.begin(), ticks.end(),
                                       [&](const BarTick& other) { return std::abs(other.y - y) < line; });
        if (free) {
            ticks.push_back({y, short_number(value)});
        }
    }
    return ticks;
}

Picture draw(const Values& values, const std::string& title, ColourScale scale, const HeatMapPlacement& place)
{
    const Side x_side{place.columns, place.cell_width, place.texels_x};
    const Side y_side{place.rows, place.cell_height, place.texels_y};

    const std::string last_x = fmt::format("{}", values.extent.width - 1);
    const int map_right = place.left + std::max(x_side.length(), text_width(last_x, dot));
    const int bar_left = map_right + 2 * part_gap;
    const int bar_height = std::max(y_side.length(), least_bar);
    std::vector<BarTick> ticks;
    if (values.any()) {
        ticks = bar_ticks(values, scale, bar_height);
    }
    int label_width = text_width(values.nothing, dot);
    for (const BarTick& label : ticks) {
        label_width = std::max(label_width, text_width(label.label, dot));
    }
    const int bar_label = bar_left + bar_width + tick + 4;
    // The title stands above all; the untouched colour's sample below the bar.
    Picture picture;
    picture.width = part_gap + std::max(bar_label + label_width, part_gap + text_width(title, dot));
    picture.height =
        place.top + std::max(y_side.length() + tick + 4 + line, bar_height + part_gap + bar_width) + part_gap;
    picture.pixels.assign(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height), paper);

    draw_text(picture, part_gap, part_gap, title, legend_ink, dot);

    std::vector<double> highest(static_cast<std::size_t>(place.columns) * static_cast<std::size_t>(place.rows),
                                std::nan(""));
    auto value = values.texels.begin();
    for (int y = 0; y < values.extent.height; ++y) {
        const auto row = static_cast<std::size_t>(y / place.texels_y) * static_cast<std::size_t>(place.columns);
        for (int x = 0; x < values.extent.width; ++x, ++value) {
            double& cell = highest[row + static_cast<std::size_t>(x / place.texels_x)];
            cell = std::fmax(cell, *value); // of a number and none, the number
        }
    }
    auto cell = highest.begin();
    for (int row = 0; row < place.rows; ++row) {
        for (int column = 0; column < place.columns; ++column, ++cell) {
            fill(picture, place.left + column * place.cell_width, place.top + row * place.cell_height, place.cell_width,
                 place.cell_height,
                 std::isnan(*cell) ? untouched_colour : viridis(value_position(*cell, values.max, scale)));
        }
    }
    outline(picture, place.left, place.top, x_side.length(), y_side.length());

    const int below = place.top + y_side.length();
    for (const int x :
         coordinate_ticks(x_side, values.extent.width, text_width(last_x, dot) + 2 * font_advance * dot)) {
        const std::string label = fmt::format("{}", x);
        const int at = place.left + x_side.middle(x);
        fill(picture, at, below + 1, 1, tick, legend_ink);
        draw_text(picture, at - text_width(label, dot) / 2, below + tick + 4, label, legend_ink, dot);
    }
    for (const int y : coordinate_ticks(y_side, values.extent.height, 2 * line)) {
        const std::string label = fmt::format("{}", y);
        const int at = place.top + y_side.middle(y);
        fill(picture, place.left - 1 - tick, at, tick, 1, legend_ink);
        draw_text(picture, place.left - tick - 4 - text_width(label, dot), at - 7 * dot / 2, label, legend_ink, dot);
    }

    if (values.any()) {
        for (int y = 0; y < bar_height; ++y) {
            fill(picture, bar_left, place.top + y, bar_width, 1,
                 viridis(1.0 - static_cast<double>(y) / static_cast<double>(bar_height - 1)));
        }
        outline(picture, bar_left, place.top, bar_width, bar_height);
    }
    for (const BarTick& label : ticks) {
        fill(picture, bar_left + bar_width + 1, place.top + label.y, tick, 1, legend_ink);
        draw_text(picture, bar_label, place.top + label.y - 7 * dot / 2, label.label, legend_ink, dot);
    }
    const int sample = place.top + bar_height + part_gap;
    fill(picture, bar_left, sample, bar_width, bar_width, untouched_colour);
    outline(picture, bar_left, sample, bar_width, bar_width);
    draw_text(picture, bar_label, sample + (bar_width - 7 * dot) / 2, values.nothing, legend_ink, dot);
    return picture;
}

void check_size(Extent2D extent, std::size_t size)
{
    if (size != static_cast<std::size_t>(extent.area())) {
        throw bad_input(fmt::format("a heat map of {}x{} texels has {} values", extent.width, extent.height, size));
    }
}

} // namespace

HeatMapPlacement heat_map_placement(Extent2D extent, int largest)
{
    if (extent.width < 1 || extent.height < 1) {
        throw bad_input(fmt::format("a heat map of {}x{} texels cannot be drawn", extent.width, extent.height));
    }
    if (largest < 16) {
        throw bad_input(fmt::format("a heat map cannot be drawn in {} pixels", largest), {}, "give at least 16");
    }
    const bool wide = extent.width >= extent.height;
    const int long_texels = wide ? extent.width : extent.height;
    const int short_texels = wide ? extent.height : extent.width;
    const Side long_side = fit(long_texels, largest);
    const Side short_side = long_texels / short_texels < longest_side_ratio
                                ? with_cells_of(short_texels, long_side)
                                : fit(short_texels, std::max(1, long_side.length() / longest_side_ratio));
    const Side& x = wide ? long_side : short_side;
    const Side& y = wide ? short_side : long_side;
    return {.left = label_margin(extent.height),
            .top = part_gap + line + part_gap,
            .columns = x.cells,
            .rows = y.cells,
            .cell_width = x.pixels,
            .cell_height = y.pixels,
            .texels_x = x.texels,
            .texels_y = y.texels};
}

Picture heat_map_picture(const HeatMap& map, const std::string& title, ColourScale scale, int largest)
{
    const HeatMapPlacement place = heat_map_placement(map.extent, largest);
    check_size(map.extent, map.counts.size());
    Values values{map.extent, {}, "0", false, 0};
    values.texels.reserve(map.counts.size());
    for (const std::int64_t count : map.counts) {
        values.texels.push_back(count > 0 ? static_cast<double>(count) : std::nan(""));
        values.max = std::fmax(values.max, values.texels.back());
    }
    return draw(values, title, scale, place);
}

Picture heat_map_picture(const HeatMeans& map, const std::string& title, ColourScale scale, int largest)
{
    const HeatMapPlacement place = heat_map_placement(map.extent, largest);
    check_size(map.extent, map.values.size());
    Values values{map.extent, map.values, "none", true, -1};
    for (const double value : map.values) {
        values.max = std::fmax(values.max, value);
    }
    return draw(values, title, scale, place);
}

} // namespace texelscope::experiments
