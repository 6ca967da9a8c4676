#include "workbench/plots/panel_plot.hpp"

#include "base/error.hpp"
#include "workbench/plots/plot_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace texelscope::workbench::plots {
namespace {

using Anchor = DrawnText::Anchor;
using Panel = PanelPlot::Panel;
using Point = PanelPlot::Point;
using Entry = PlotLayout::Entry;
using Look = DrawnMark::Look;

constexpr Rgb frame_grey{0x99, 0x99, 0x99};
constexpr Rgb grid_grey{0xe4, 0xe4, 0xe4};
constexpr double mark_radius = 3.2; ///< in the legend

/// Paints a plot: layout_of() has decided where everything is, and this draws it and remembers
/// where points and bars are (PlacedPlot).
class Painter {
public:
    explicit Painter(const PanelPlot& plot) : plot_(plot), layout_(layout_of(plot))
    {
        placed_.x = layout_.x;
        placed_.left = layout_.left;
        placed_.areas = layout_.panels;
        placed_.drawing.width = layout_.width;
        placed_.drawing.height = layout_.height;
    }

    PlacedPlot paint()
    {
        text({layout_.width / 2, 20}, plot_.title, Anchor::middle, title_size);
        legend();
        for (std::size_t i = 0; i < plot_.panels.size(); ++i) {
            panel(i);
        }
        const DrawnBox& first = layout_.panels.front();
        const DrawnBox& last = layout_.panels.back(); // the lowest
        const double left = first.corner.x;
        const double right = layout_.panels[plot_.across() - 1].corner.x + last.width;
        const double bottom = last.corner.y + last.height;
        const double middle = (first.corner.y + bottom) / 2;
        upright({18, middle}, plot_.left_label);
        upright({layout_.width - 10, middle}, plot_.right_label);
        numbers(layout_.right_ticks, layout_.right, last, right + number_gap, Anchor::start);
        const double middle_x = (left + right) / 2;
        text_in(2 * std::min(middle_x, layout_.width - middle_x), {middle_x, layout_.height - 8},
                plot_.x_label);
        return std::move(placed_);
    }

private:
    template <class Shape>
    void add(Shape shape)
    {
        placed_.drawing.shapes.emplace_back(std::move(shape));
    }
    void text(DrawnPoint at, const std::string& words, Anchor anchor, double size)
    {
        if (!words.empty()) {
            add(DrawnText{at, words, anchor, size});
        }
    }
    /// Centred text. It is set in smaller letters where there is no room, and cut where these would
    /// be too small to read.
    void text_in(double room, DrawnPoint at, std::string words)
    {
        constexpr double smallest = 8;
        const double size = std::clamp(
            label_size * room / std::max(text_width(words, label_size), 1.0), smallest, label_size);
        if (text_width(words, size) > room) {
            constexpr const char* cut = "...";
            while (!words.empty() && text_width(words + cut, size) > room) {
                const auto inside = [](char byte) {
                    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80;
                };
                // Whole letters are cut: one may have several bytes.
                while (words.size() > 1 && inside(words.back())) {
                    words.pop_back();
                }
                words.pop_back();
            }
            words += cut;
        }
        text(at, words, Anchor::middle, size);
    }
    void upright(DrawnPoint at, const std::string& words)
    {
        if (!words.empty()) {
            add(DrawnText{at, words, Anchor::middle, label_size, true});
        }
    }
    void line(DrawnPoint from, DrawnPoint to, Rgb colour, double width = 1, bool dashed = false)
    {
        add(DrawnLine{{from, to}, colour, width, dashed});
    }

    [[nodiscard]] double height_of(double value, const PlotAxis& axis, const DrawnBox& area) const
    {
        return area.corner.y + area.height * (1 - axis.place(value));
    }
    [[nodiscard]] double x_of(double value, const DrawnBox& area) const
    {
        return area.corner.x + area.width * layout_.x.place(value);
    }

    void numbers(const std::vector<PlotLayout::Tick>& ticks, const PlotAxis& axis,
                 const DrawnBox& area, double x, Anchor anchor)
    {
        for (const PlotLayout::Tick& tick : ticks) {
            text({x, height_of(tick.value, axis, area) + 4}, tick.text, anchor, number_size);
        }
    }

    void legend()
    {
        double y = layout_.legend_top + legend_line / 2;
        for (const std::vector<Entry>& row : layout_.legend) {
            double x = std::max(0.0, (layout_.width - row_width(row)) / 2);
            for (const Entry& entry : row) {
                const DrawnPoint middle{x + legend_sign / 2, y};
                switch (entry.look) {
                case Entry::Look::box:
                    add(DrawnBox{{x + 7, y - 6}, 12, 12, entry.colour, {}});
                    break;
                case Entry::Look::curve:
                    line({x, y}, {x + legend_sign, y}, entry.colour, 2);
                    [[fallthrough]];
                case Entry::Look::disc:
                    add(DrawnMark{middle, mark_radius, entry.colour, {}});
                    break;
                case Entry::Look::cross:
                    add(DrawnMark{middle, mark_radius, entry.colour, {}, Look::cross});
                    break;
                case Entry::Look::plain:
                case Entry::Look::dashed:
                    line({x, y}, {x + legend_sign, y}, entry.colour, 1.2,
                         entry.look == Entry::Look::dashed);
                    break;
                }
                text({x + legend_sign + number_gap, y + 4}, entry.name, Anchor::start, number_size);
                x += entry.width() + legend_space;
            }
            y += legend_line;
        }
    }

    void panel(std::size_t number)
    {
        const Panel& panel = plot_.panels[number];
        const DrawnBox& area = layout_.panels[number];
        const auto [left, top] = area.corner;
        const double right = left + area.width;
        const double bottom = top + area.height;
        text_in(area.width + panel_gap / 2, {left + area.width / 2, top - 9}, panel.title);
        // No grid line on the frame.
        for (const PlotLayout::Tick& tick : layout_.left_ticks) {
            constexpr double on_frame = 1e-6;
            const double place = layout_.left.place(tick.value);
            if (place > on_frame && place < 1 - on_frame) {
                const double y = height_of(tick.value, layout_.left, area);
                line({left, y}, {right, y}, tick.value == 0 ? frame_grey : grid_grey);
            }
        }
        // Panels share their axes, so numbers stand beside the first of a row, and below the last
        // of a column.
        if (number % plot_.across() == 0) {
            numbers(layout_.left_ticks, layout_.left, area, left - number_gap, Anchor::end);
        }
        for (const PlotLayout::Tick& tick : layout_.x_ticks) {
            const double x = x_of(tick.value, area);
            line({x, bottom}, {x, bottom + 4}, frame_grey);
            if (number + plot_.across() >= plot_.panels.size()) {
                text({x, bottom + tick_drop}, tick.text, Anchor::middle, number_size);
                text({x, bottom + tick_drop + tick_line}, tick.second, Anchor::middle, number_size);
            }
        }
        for (std::size_t i = 0; i < panel.bars.size(); ++i) {
            // Bars lie below rules, frame and curves.
            draw_bars(number, i);
        }
        for (const double rule : panel.rules) {
            if (rule > plot_.x_low && rule < plot_.x_high) {
                line({x_of(rule, area), top}, {x_of(rule, area), bottom}, rule_grey, 1, true);
            }
        }
        for (const DrawnPoint corner : {DrawnPoint{left, top}, DrawnPoint{right, bottom}}) {
            line(corner, {right, top}, frame_grey);
            line(corner, {left, bottom}, frame_grey);
        }
        for (const PanelPlot::Curve& curve : panel.curves) {
            draw_curve(number, curve);
        }
    }

    void draw_bars(std::size_t number, std::size_t series)
    {
        constexpr double half = 0.4;
        const DrawnBox& area = layout_.panels[number];
        const PanelPlot::Bars& bars = plot_.panels[number].bars[series];
        // A logarithmic axis has no zero, so bars begin at its lower end.
        const double zero = height_of(layout_.left.log ? layout_.left.low : 0, layout_.left, area);
        for (std::size_t i = 0; i < bars.points.size(); ++i) {
            const Point& point = bars.points[i];
            const double y = height_of(point.y, layout_.left, area);
            if (std::isfinite(y)) {
                const double x = x_of(point.x - half, area);
                DrawnBox box{{x, std::min(y, zero)},
                             x_of(point.x + half, area) - x,
                             std::abs(zero - y),
                             plot_colour(bars.colour),
                             point.about};
                placed_.bars.push_back({number, series, i, box});
                add(std::move(box));
            }
        }
    }

    void draw_curve(std::size_t number, const PanelPlot::Curve& curve)
    {
        const DrawnBox& area = layout_.panels[number];
        const PlotAxis& axis = curve.axis == PanelPlot::Axis::left ? layout_.left : layout_.right;
        const Rgb colour = plot_colour(curve.colour);
        // A line to compare with: thin, black, without marks.
        const bool plain = curve.colour == 0;
        const std::size_t first = placed_.points.size();
        std::vector<DrawnPoint> joined;
        const auto finish = [&] {
            if (curve.line && joined.size() > 1) {
                add(DrawnLine{joined, colour, plain ? 1.2 : 2, curve.dashed});
            }
            joined.clear();
        };
        for (std::size_t i = 0; i < curve.points.size(); ++i) {
            const Point& point = curve.points[i];
            const DrawnPoint at{x_of(point.x, area), height_of(point.y, axis, area)};
            if (std::isfinite(at.x) && std::isfinite(at.y)) {
                joined.push_back(at);
                placed_.points.push_back({number, curve.name, i, at, point.about});
            } else {
                // A value that is not finite interrupts the line.
                finish();
            }
        }
        finish();
        for (std::size_t i = first; curve.marks && !plain && i < placed_.points.size(); ++i) {
            const PlacedPoint& point = placed_.points[i];
            add(DrawnMark{point.at, curve.points[point.number].radius, colour, point.about,
                          curve.look});
        }
    }

    const PanelPlot& plot_;
    PlotLayout layout_;
    PlacedPlot placed_;
};

} // namespace

std::size_t PanelPlot::across() const
{
    const std::size_t all = std::max<std::size_t>(panels.size(), 1);
    return columns > 0 ? std::min(columns, all) : all;
}

DrawnPoint PlacedPlot::place(std::size_t panel, double x_value, double left_value) const
{
    const DrawnBox& area = areas[panel];
    return {area.corner.x + area.width * x.place(x_value),
            area.corner.y + area.height * (1 - left.place(left_value))};
}

PlacedPlot placed(const PanelPlot& plot)
{
    return Painter(plot).paint();
}

Drawing draw(const PanelPlot& plot)
{
    return placed(plot).drawing;
}

PanelPlot grouped_bars(const std::vector<std::string>& categories,
                       std::vector<std::vector<PanelPlot::Bars>> panels,
                       const std::vector<std::string>& titles)
{
    PanelPlot plot;
    plot.x_tick_names = categories;
    for (std::vector<PanelPlot::Bars>& series : panels) {
        const auto pitch = static_cast<double>(series.size() + 1); // of the groups, in bars
        // Each group is one bar wider than its series; x counts bars.
        plot.x_low = -1;
        plot.x_high = std::max(0.0, pitch * static_cast<double>(categories.size()));
        plot.x_ticks.clear();
        for (std::size_t c = 0; c < categories.size(); ++c) {
            plot.x_ticks.push_back(pitch * static_cast<double>(c) + (pitch - 2) / 2);
        }
        for (std::size_t s = 0; s < series.size(); ++s) {
            if (series[s].points.size() != categories.size()) {
                throw bad_input(fmt::format("the series '{}' has {} bars for {} categories",
                                            series[s].name, series[s].points.size(),
                                            categories.size()));
            }
            series[s].colour = series_colour(s);
            for (std::size_t c = 0; c < categories.size(); ++c) {
                series[s].points[c].x = pitch * static_cast<double>(c) + static_cast<double>(s);
            }
        }
        plot.panels.push_back({{}, std::move(series), {}, {}});
    }
    for (std::size_t i = 0; i < titles.size(); ++i) {
        plot.panels.at(i).title = titles[i];
    }
    return plot;
}

PanelPlot scatter_plot(std::vector<PanelPlot::Curve> curves, ScatterAxes axes)
{
    std::vector<double> xs;
    std::vector<double> ys;
    for (PanelPlot::Curve& curve : curves) {
        curve.line = false;
        for (const Point& point : curve.points) {
            if (point.x > 0 && point.y > 0 && std::isfinite(point.x) && std::isfinite(point.y)) {
                xs.push_back(point.x);
                ys.push_back(point.y);
            }
        }
    }
    if (axes == ScatterAxes::ratio) {
        ys.push_back(1); // the line at 1 is always in sight
    } else if (axes == ScatterAxes::one_scale) {
        xs.insert(xs.end(), ys.begin(), ys.end());
        // One scale for both.
        ys = xs;
    }
    const PlotAxis x = log_axis(xs);
    const PlotAxis y = log_axis(ys);
    PanelPlot plot;
    plot.x_low = x.low;
    plot.x_high = x.high;
    plot.x_log = plot.left_log = true;
    plot.left = y;
    plot.x_text = tick_text;
    Panel& panel = plot.panels.emplace_back();
    const double from = std::max(x.low, y.low);
    const double to = std::min(x.high, y.high);
    PanelPlot::Curve compared{"", 0, PanelPlot::Axis::left, {}, false, true, Look::disc, true};
    if (axes == ScatterAxes::ratio) {
        compared.points = {{x.low, 1, {}}, {x.high, 1, {}}};
    } else if (axes != ScatterAxes::unrelated && from < to) {
        compared.points = {{from, from, {}}, {to, to, {}}};
    }
    if (!compared.points.empty()) {
        panel.curves.push_back(std::move(compared));
    }
    std::move(curves.begin(), curves.end(), std::back_inserter(panel.curves));
    return plot;
}

} // namespace texelscope::workbench::plots
