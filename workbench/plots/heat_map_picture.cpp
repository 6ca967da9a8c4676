#include "workbench/plots/heat_map_picture.hpp"

#include "base/error.hpp"
#include "workbench/plots/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace texelscope::workbench::plots {
// A picture is laid out in whole pixels: title above, the map with its coordinates, the colour bar
// on the right, and below it a sample of the colour of untouched texels.
namespace {

constexpr Rgb legend_ink{40, 40, 40};
constexpr Rgb frame{120, 120, 120};

constexpr double text_size = 15;
constexpr double capital = 0.73 * text_size; ///< height of a capital letter or a digit
constexpr int line = 18;                     ///< of text
constexpr int part_gap = 8;                  ///< between parts
constexpr int tick = 4;                      ///< length of a tick
constexpr int bar_width = 18;
constexpr int least_bar = 120; ///< the colour bar stays legible beside a flat map
constexpr int longest_side_ratio = 8;

int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

/// Cells along one side of the map. A map that is larger than the picture has several texels in a
/// cell.
struct Side {
    int cells = 0;
    int pixels = 1; ///< of a cell
    int texels = 1; ///< of a cell

    [[nodiscard]] int length() const { return cells * pixels; }
    /// Pixel, from the start of the side, at the middle of a texel.
    [[nodiscard]] int middle(int texel) const { return texel / texels * pixels + pixels / 2; }
};

/// Cells for so many texels in so many pixels: as large as fit, or with several texels in a pixel.
Side fit(int texels, int pixels)
{
    if (texels <= pixels) {
        return {texels, pixels / texels, 1};
    }
    const int together = ceil_div(texels, pixels);
    return {ceil_div(texels, together), 1, together};
}

/// The other side of the map, with cells as high as they are wide.
Side with_cells_of(int texels, const Side& other)
{
    return {ceil_div(texels, other.texels), other.pixels, other.texels};
}

/// The values that are drawn.
struct Values {
    Extent2D extent;
    std::vector<double> texels; ///< row-major; not a number: nothing there
    std::string nothing;        ///< what the legend calls that
    bool zero = false;          ///< 0 is a value as well
    double max = 0;

    [[nodiscard]] bool any() const { return zero ? max >= 0 : max > 0; }
};

/// A number in few characters: 99999, 120k, 1.5M, 0.25.
std::string short_number(double value)
{
    if (value < 100'000) {
        return value == std::floor(value) ? fmt::format("{:.0f}", value)
                                          : fmt::format("{:.3g}", value);
    }
    std::size_t power = 0;
    while (value >= 999.5 && power < 6) {
        value /= 1000;
        ++power;
    }
    return fmt::format("{:.3g}{}", value, std::string_view(" kMGTPE").substr(power, 1));
}

/// Coordinates to label: multiples of a power of two, the least that leaves `room` pixels between
/// labels.
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

int width_of(const std::string& words)
{
    return static_cast<int>(std::ceil(text_width(words, text_size)));
}

/// Width of what stands left of the map: the title of the axis, the y coordinates and their ticks.
int label_margin(int height)
{
    return part_gap + line + width_of(fmt::format("{}", std::max(height - 1, 0))) + tick + 4;
}

struct BarTick {
    int y = 0; ///< pixel from the top of the bar
    std::string label;
};

/// Where on the scale the bar begins. The bar of counts begins at 1, since 0 has its own colour.
double lowest_position(const Values& values, ColourScale scale)
{
    return values.zero || values.max <= 1 ? 0 : value_position(1, values.max, scale);
}

std::vector<BarTick> bar_ticks(const Values& values, ColourScale scale, int height)
{
    // So many fit beside the shortest bar.
    constexpr int most = 5;
    std::vector<double> wanted = scale_ticks(values.max, scale, most, !values.zero);
    // The largest value comes first, so that no other takes its room.
    std::rotate(wanted.begin(), wanted.end() - 1, wanted.end());
    std::vector<BarTick> ticks;
    for (const double value : wanted) {
        if (value == 0 && !values.zero) { // has its own colour
            continue;
        }
        const double low = lowest_position(values, scale);
        const double position = (value_position(value, values.max, scale) - low) / (1 - low);
        const int y = static_cast<int>(std::lround((1.0 - position) * (height - 1)));
        const bool free = std::none_of(ticks.begin(), ticks.end(), [&](const BarTick& other) {
            return std::abs(other.y - y) < line;
        });
        if (free) {
            ticks.push_back({y, short_number(value)});
        }
    }
    return ticks;
}

/// A picture under construction.
class MapDrawing {
public:
    void text(double x, double base, const std::string& words, DrawnText::Anchor anchor)
    {
        drawing.shapes.emplace_back(
            DrawnText{{x, base}, words, anchor, text_size, false, legend_ink});
    }
    void box(double left, double top, double width, double height, Rgb colour)
    {
        drawing.shapes.emplace_back(DrawnBox{{left, top}, width, height, colour, {}});
    }
    void upright(double base, double middle, const std::string& words)
    {
        drawing.shapes.emplace_back(DrawnText{
            {base, middle}, words, DrawnText::Anchor::middle, text_size, true, legend_ink});
    }
    /// Draws a picture with a frame of one pixel around it.
    void pixels(int left, int top, int cell_width, int cell_height, Picture picture)
    {
        box(left - 1, top - 1, picture.width * cell_width + 2, picture.height * cell_height + 2,
            frame);
        drawing.shapes.emplace_back(
            DrawnPixels{{static_cast<double>(left), static_cast<double>(top)},
                        static_cast<double>(cell_width),
                        static_cast<double>(cell_height),
                        std::move(picture)});
    }

    Drawing drawing;
};

/// The colour of each cell: that of its largest value, so that no hot texel is lost.
Picture cells_of(const Values& values, ColourScale scale, const HeatMapPlacement& place)
{
    std::vector<double> highest(static_cast<std::size_t>(place.columns) *
                                    static_cast<std::size_t>(place.rows),
                                std::nan(""));
    auto value = values.texels.begin();
    for (int y = 0; y < values.extent.height; ++y) {
        const auto row =
            static_cast<std::size_t>(y / place.texels_y) * static_cast<std::size_t>(place.columns);
        for (int x = 0; x < values.extent.width; ++x, ++value) {
            double& cell = highest[row + static_cast<std::size_t>(x / place.texels_x)];
            cell = std::fmax(cell, *value); // of a number and none, the number
        }
    }
    Picture cells{place.columns, place.rows, {}};
    for (const double cell : highest) {
        cells.pixels.push_back(std::isnan(cell) ? untouched_colour
                                                : viridis(value_position(cell, values.max, scale)));
    }
    return cells;
}

Drawing draw(const Values& values, const std::string& title, ColourScale scale,
             const HeatMapPlacement& place)
{
    using Anchor = DrawnText::Anchor;
    const Side x_side{place.columns, place.cell_width, place.texels_x};
    const Side y_side{place.rows, place.cell_height, place.texels_y};
    const std::string last_x = fmt::format("{}", values.extent.width - 1);
    const int map_right = place.left + std::max(x_side.length(), width_of(last_x));
    const int bar_left = map_right + 2 * part_gap;
    const int bar_height = std::max(y_side.length(), least_bar);
    std::vector<BarTick> ticks;
    if (values.any()) {
        ticks = bar_ticks(values, scale, bar_height);
    }
    int label_width = width_of(values.nothing);
    for (const BarTick& label : ticks) {
        label_width = std::max(label_width, width_of(label.label));
    }
    const int bar_label = bar_left + bar_width + tick + 4;
    // The title stands above all; the untouched colour's sample below the bar.
    MapDrawing out;
    out.drawing.width = part_gap + std::max(bar_label + label_width, part_gap + width_of(title));
    out.drawing.height =
        place.top +
        std::max(y_side.length() + tick + 4 + 2 * line, bar_height + part_gap + bar_width) +
        part_gap;
    out.text(part_gap, part_gap + line - 4, title, Anchor::start);
    out.pixels(place.left, place.top, place.cell_width, place.cell_height,
               cells_of(values, scale, place));

    const int below = place.top + y_side.length();
    for (const int x : coordinate_ticks(x_side, values.extent.width, width_of(last_x) + line)) {
        const int at = place.left + x_side.middle(x);
        out.box(at, below + 1, 1, tick, legend_ink);
        out.text(at, below + tick + 4 + capital, fmt::format("{}", x), Anchor::middle);
    }
    for (const int y : coordinate_ticks(y_side, values.extent.height, 2 * line)) {
        const int at = place.top + y_side.middle(y);
        out.box(place.left - 1 - tick, at, tick, 1, legend_ink);
        out.text(place.left - tick - 4, at + capital / 2, fmt::format("{}", y), Anchor::end);
    }
    out.text(place.left + x_side.length() / 2.0, below + tick + 4 + line + capital, "x, texels",
             Anchor::middle);
    const char* const y_name = y_side.length() >= width_of("y, texels") ? "y, texels" : "y";
    out.upright(part_gap + capital, place.top + y_side.length() / 2.0, y_name);

    if (values.any()) {
        Picture bar{1, bar_height, {}};
        for (int y = 0; y < bar_height; ++y) {
            const double low = lowest_position(values, scale);
            const double share = 1.0 - static_cast<double>(y) / static_cast<double>(bar_height - 1);
            bar.pixels.push_back(viridis(low + share * (1 - low)));
        }
        out.pixels(bar_left, place.top, bar_width, 1, std::move(bar));
    }
    for (const BarTick& label : ticks) {
        out.box(bar_left + bar_width + 1, place.top + label.y, tick, 1, legend_ink);
        out.text(bar_label, place.top + label.y + capital / 2, label.label, Anchor::start);
    }
    const int sample = place.top + bar_height + part_gap;
    out.pixels(bar_left, sample, bar_width, bar_width, {1, 1, {untouched_colour}});
    out.text(bar_label, sample + (bar_width + capital) / 2, values.nothing, Anchor::start);
    return std::move(out.drawing);
}

void check_size(Extent2D extent, std::size_t size)
{
    if (size != static_cast<std::size_t>(extent.area())) {
        throw bad_input(fmt::format("a heat map of {}x{} texels has {} values", extent.width,
                                    extent.height, size));
    }
}

} // namespace

HeatMapPlacement heat_map_placement(Extent2D extent, int largest)
{
    if (extent.width < 1 || extent.height < 1) {
        throw bad_input(
            fmt::format("a heat map of {}x{} texels cannot be drawn", extent.width, extent.height));
    }
    if (largest < 16) {
        throw bad_input(fmt::format("a heat map cannot be drawn in {} pixels", largest), {},
                        "give at least 16");
    }
    // The long side decides the size of a cell.
    const bool wide = extent.width >= extent.height;
    const int long_texels = wide ? extent.width : extent.height;
    const int short_texels = wide ? extent.height : extent.width;
    const Side long_side = fit(long_texels, largest);
    const Side short_side =
        long_texels / short_texels < longest_side_ratio
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

Picture heat_map_picture(const HeatMap& map, const std::string& title, ColourScale scale,
                         int largest)
{
    const HeatMapPlacement place = heat_map_placement(map.extent, largest);
    check_size(map.extent, map.counts.size());
    Values values{map.extent, {}, "0", false, 0};
    values.texels.reserve(map.counts.size());
    for (const std::int64_t count : map.counts) {
        // A count of 0 is no value here: it has the colour of untouched texels.
        values.texels.push_back(count > 0 ? static_cast<double>(count) : std::nan(""));
        values.max = std::fmax(values.max, values.texels.back());
    }
    return to_picture(draw(values, title, scale, place), 1);
}

Picture heat_map_picture(const HeatMeans& map, const std::string& title, ColourScale scale,
                         int largest)
{
    const HeatMapPlacement place = heat_map_placement(map.extent, largest);
    check_size(map.extent, map.values.size());
    Values values{map.extent, map.values, "none", true, -1};
    for (const double value : map.values) {
        values.max = std::fmax(values.max, value);
    }
    return to_picture(draw(values, title, scale, place), 1);
}

} // namespace texelscope::workbench::plots
