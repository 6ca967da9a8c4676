#include "workbench/plots/plot_layout.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace texelscope::workbench::plots {
namespace {

using Panel = PanelPlot::Panel;
using Entry = PlotLayout::Entry;
using Tick = PlotLayout::Tick;

constexpr double stack_gap = 26; ///< between panels one above the other: the lower one's title
constexpr double edge = 6;       ///< around all
constexpr double side_margin = 14;
constexpr double label_room = 18;

// Masataka Okabe and Kei Ito, Color Universal Design.
constexpr std::array<Rgb, 8> palette{{{0x00, 0x00, 0x00},
                                      {0x00, 0x72, 0xb2},
                                      {0xe6, 0x9f, 0x00},
                                      {0x00, 0x9e, 0x73},
                                      {0xcc, 0x79, 0xa7},
                                      {0xd5, 0x5e, 0x00},
                                      {0x56, 0xb4, 0xe9},
                                      {0xf0, 0xe4, 0x42}}};

/// The axis that holds all values of one side. A logarithmic left axis goes over whole decades.
PlotAxis axis_of(const PanelPlot& plot, PanelPlot::Axis side)
{
    const bool log = side == PanelPlot::Axis::left && plot.left_log;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    const auto add = [&](const std::vector<PanelPlot::Point>& points) {
        for (const PanelPlot::Point& point : points) {
            const double value = !log ? point.y : point.y > 0 ? std::log10(point.y) : NAN;
            if (std::isfinite(value)) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
        }
    };
    for (const Panel& panel : plot.panels) {
        for (const PanelPlot::Curve& curve : panel.curves) {
            if (curve.axis == side) {
                add(curve.points);
            }
        }
        for (const PanelPlot::Bars& bars : panel.bars) {
            if (side == PanelPlot::Axis::left) {
                add(bars.points);
            }
        }
    }
    // No value at all.
    if (low > high) {
        return log ? PlotAxis{1, 10, true} : PlotAxis{};
    }
    if (!log) {
        return linear_axis(low, high);
    }
    low = std::floor(low);
    return {std::pow(10.0, low), std::pow(10.0, std::max(low + 1, std::ceil(high))), true};
}

std::vector<Tick> numbers_of(const PlotAxis& axis, double height,
                             const std::function<std::string(double)>& text)
{
    // Room that a number needs on the axis.
    const double pitch = axis.log ? 24 : 40;
    std::vector<Tick> ticks;
    for (const double value : axis.ticks(std::max(2, static_cast<int>(height / pitch)))) {
        ticks.push_back({value, text ? text(value) : tick_text(value), {}});
    }
    return ticks;
}

double width_of(const Tick& tick)
{
    return std::max(text_width(tick.text, number_size), text_width(tick.second, number_size));
}

double widest_of(const std::vector<Tick>& ticks)
{
    double widest = 0;
    for (const Tick& tick : ticks) {
        widest = std::max(widest, width_of(tick));
    }
    return widest;
}

/// Whether the names of every `apart`-th tick have room beside each other.
bool have_room(const std::vector<Tick>& ticks, const PlotAxis& x, double width, std::size_t apart)
{
    constexpr double least_gap = 3;
    for (std::size_t i = apart; i < ticks.size(); ++i) {
        const double pitch =
            std::abs(x.place(ticks[i].value) - x.place(ticks[i - apart].value)) * width;
        if (pitch < (width_of(ticks[i]) + width_of(ticks[i - apart])) / 2 + least_gap) {
            return false;
        }
    }
    return true;
}

/// The ticks along x with their names. If names have no room beside each other, those of bars take
/// turns on two lines, and some are left out if that does not suffice; otherwise some ticks are
/// left out.
std::vector<Tick> x_ticks_of(const PanelPlot& plot, const PlotAxis& x)
{
    const auto name = [&](double value) {
        return plot.x_text ? plot.x_text(value) : tick_text(value);
    };
    std::vector<Tick> ticks;
    bool two_lines = false;
    for (std::size_t i = 0; i < plot.x_ticks.size(); ++i) {
        const std::string words =
            i < plot.x_tick_names.size() ? plot.x_tick_names[i] : name(plot.x_ticks[i]);
        const std::size_t first = std::min(words.find('\n'), words.size());
        ticks.push_back({plot.x_ticks[i], words.substr(0, first),
                         first < words.size() ? words.substr(first + 1) : std::string()});
        two_lines = two_lines || first < words.size();
    }
    if (ticks.empty() && plot.x_text) {
        for (int most = std::max(1, static_cast<int>(plot.panel_width / 40)); most > 0; --most) {
            ticks.clear();
            for (const double value : x.ticks(most)) {
                ticks.push_back({value, name(value), {}});
            }
            if (have_room(ticks, x, plot.panel_width, 1)) {
                break;
            }
        }
        return ticks;
    }
    if (have_room(ticks, x, plot.panel_width, 1)) {
        return ticks;
    }
    if (std::any_of(plot.panels.begin(), plot.panels.end(),
                    [](const Panel& panel) { return !panel.bars.empty(); })) {
        std::size_t every = 1;
        while (!two_lines && !have_room(ticks, x, plot.panel_width, 2 * every)) {
            ++every;
        }
        for (std::size_t i = 0; i < ticks.size() && !two_lines; ++i) {
            const std::string text = std::exchange(ticks[i].text, {});
            if (i % every == 0) {
                (i / every % 2 == 0 ? ticks[i].text : ticks[i].second) = text;
            }
        }
        return ticks;
    }
    std::size_t every = 2;
    while (!have_room(ticks, x, plot.panel_width, every)) {
        ++every;
    }
    std::vector<Tick> kept;
    for (std::size_t i = 0; i < ticks.size(); i += every) {
        kept.push_back(ticks[i]);
    }
    return kept;
}

Entry::Look look_of(const PanelPlot::Curve& curve)
{
    if (curve.colour == 0 || !curve.marks) {
        return curve.dashed ? Entry::Look::dashed : Entry::Look::plain;
    }
    return curve.line                             ? Entry::Look::curve
           : curve.look == DrawnMark::Look::cross ? Entry::Look::cross
                                                  : Entry::Look::disc;
}

/// The legend: every name once, in rows that fit into the drawing.
std::vector<std::vector<Entry>> legend_of(const PanelPlot& plot, double width)
{
    std::vector<Entry> entries;
    const auto add = [&](const std::string& name, Rgb colour, Entry::Look look) {
        const bool known = std::any_of(entries.begin(), entries.end(),
                                       [&](const Entry& e) { return e.name == name; });
        if (!known && !name.empty()) {
            entries.push_back({name, colour, look});
        }
    };
    for (const Panel& panel : plot.panels) {
        for (const PanelPlot::Bars& bars : panel.bars) {
            add(bars.name, plot_colour(bars.colour), Entry::Look::box);
        }
        for (const PanelPlot::Curve& curve : panel.curves) {
            add(curve.name, plot_colour(curve.colour), look_of(curve));
        }
    }
    const auto in_panel = [&](double rule) { return rule > plot.x_low && rule < plot.x_high; };
    if (std::any_of(plot.panels.begin(), plot.panels.end(), [&](const Panel& panel) {
            return std::ranges::any_of(panel.rules, in_panel);
        })) {
        add(plot.rule_label, rule_grey, Entry::Look::dashed);
    }
    std::vector<std::vector<Entry>> rows;
    for (Entry& entry : entries) {
        if (rows.empty() ||
            row_width(rows.back()) + legend_space + entry.width() > width - 2 * edge) {
            rows.emplace_back();
        }
        rows.back().push_back(std::move(entry));
    }
    return plot.legend ? rows : std::vector<std::vector<Entry>>{};
}

} // namespace

Rgb plot_colour(int number)
{
    return number >= 0 && static_cast<std::size_t>(number) < palette.size()
               ? palette[static_cast<std::size_t>(number)]
               : palette[0];
}

int series_colour(std::size_t series)
{
    constexpr std::array order{1, 2, 3, 4, 6, 5, 7};
    return order[series % order.size()];
}

double PlotLayout::Entry::width() const
{
    return legend_sign + number_gap + text_width(name, number_size);
}

double row_width(const std::vector<PlotLayout::Entry>& row)
{
    double width = -legend_space;
    for (const Entry& entry : row) {
        width += entry.width() + legend_space;
    }
    return width;
}

PlotLayout layout_of(const PanelPlot& plot)
{
    if (plot.panels.empty() || !(plot.x_low < plot.x_high) || (plot.x_log && !(plot.x_low > 0))) {
        throw bad_input("a plot needs a panel, and a range along x, of positive numbers where it "
                        "is logarithmic");
    }
    PlotLayout layout;
    layout.x = {plot.x_low, plot.x_high, plot.x_log};
    layout.left = plot.left.value_or(axis_of(plot, PanelPlot::Axis::left));
    layout.right = axis_of(plot, PanelPlot::Axis::right);
    layout.x_ticks = x_ticks_of(plot, layout.x);
    layout.left_ticks = numbers_of(layout.left, plot.panel_height, plot.left_text);
    // The names of the outermost ticks reach beyond the panel on both sides.
    double left = edge;
    double right = side_margin;
    for (const Tick& tick : layout.x_ticks) {
        const double at = layout.x.place(tick.value) * plot.panel_width;
        left = std::max(left, edge + width_of(tick) / 2 - at);
        right = std::max(right, edge + width_of(tick) / 2 - (plot.panel_width - at));
    }
    left = std::max(left, (plot.left_label.empty() ? edge : edge + label_room) +
                              widest_of(layout.left_ticks) + number_gap);
    if (!plot.right_label.empty()) {
        layout.right_ticks = numbers_of(layout.right, plot.panel_height, {});
        right = std::max(right, edge + label_room + widest_of(layout.right_ticks) + number_gap);
    }

    const std::size_t columns = plot.across();
    const auto across = static_cast<double>(columns);
    layout.width = left + across * plot.panel_width + (across - 1) * panel_gap + right;
    layout.legend = legend_of(plot, layout.width);
    layout.legend_top = plot.title.empty() ? edge : edge + 24;
    double top = layout.legend_top + legend_line * static_cast<double>(layout.legend.size());
    const bool titles = std::any_of(plot.panels.begin(), plot.panels.end(),
                                    [](const Panel& panel) { return !panel.title.empty(); });
    top += titles ? 26 : 6;
    for (std::size_t i = 0; i < plot.panels.size(); ++i) {
        const double x = static_cast<double>(i % columns) * (plot.panel_width + panel_gap);
        const double y = static_cast<double>(i / columns) * (plot.panel_height + stack_gap);
        layout.panels.push_back({{left + x, top + y}, plot.panel_width, plot.panel_height, {}, {}});
    }
    const bool second_line = std::any_of(layout.x_ticks.begin(), layout.x_ticks.end(),
                                         [](const Tick& tick) { return !tick.second.empty(); });
    layout.height = layout.panels.back().corner.y + plot.panel_height + tick_drop + 5 +
                    (second_line ? tick_line : 0) + (plot.x_label.empty() ? 0 : 20);
    return layout;
}

PanelPlot fitted(PanelPlot plot, double width, double height)
{
    constexpr double narrowest = 100;
    constexpr double lowest = 20;
    constexpr double least_with_legend = 110;
    // A low plot has no room for a legend.
    plot.legend = plot.legend && height >= least_with_legend;
    const std::size_t columns = plot.across();
    const auto across = static_cast<double>(columns);
    const auto rows = static_cast<double>((plot.panels.size() + columns - 1) / columns);
    // Margins depend on the size (how many numbers have room, rows of the legend), so the size is
    // approached in a few rounds.
    for (int time = 0; time < 3; ++time) {
        const PlotLayout layout = layout_of(plot);
        plot.panel_width = std::max(narrowest, plot.panel_width + (width - layout.width) / across);
        plot.panel_height = std::max(lowest, plot.panel_height + (height - layout.height) / rows);
    }
    return plot;
}

} // namespace texelscope::workbench::plots
