#include "experiments/panel_plot.hpp"

#include "experiments/plot_axis.hpp"
#include "traces/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace texelscope {
namespace {

using Anchor = DrawnText::Anchor;
using Panel = PanelPlot::Panel;
using Point = PanelPlot::Point;

constexpr Rgb ink{0x22, 0x22, 0x22};
constexpr Rgb frame_grey{0x99, 0x99, 0x99};
constexpr Rgb grid_grey{0xe4, 0xe4, 0xe4};
constexpr Rgb rule_grey{0x80, 0x80, 0x80};

constexpr double panel_height = 230;
constexpr double gap = 16;
constexpr double left_margin = 66;
constexpr double top = 74;
constexpr double bottom_margin = 50;
constexpr double side_margin = 20;
constexpr double tick_line = 13; ///< from one line of a tick's name to the next
constexpr double letter = 6.4;   ///< mean width of a letter of the legend

/// Largest finite value of the points on an axis.
double highest(const std::vector<Point>& points)
{
    double most = 0;
    for (const Point& point : points) {
        most = std::isfinite(point.y) ? std::max(most, point.y) : most;
    }
    return most;
}

LinearAxis axis_of(const PanelPlot& plot, PanelPlot::Axis side)
{
    double most = 0;
    for (const Panel& panel : plot.panels) {
        for (const PanelPlot::Curve& curve : panel.curves) {
            most = curve.axis == side ? std::max(most, highest(curve.points)) : most;
        }
        for (const PanelPlot::Bars& bars : panel.bars) {
            most = side == PanelPlot::Axis::left ? std::max(most, highest(bars.points)) : most;
        }
    }
    return linear_axis(0, most, 5);
}

/// The plot under construction.
class Painter {
public:
    explicit Painter(const PanelPlot& plot)
        : plot_(plot), left_axis_(axis_of(plot, PanelPlot::Axis::left)),
          right_axis_(axis_of(plot, PanelPlot::Axis::right))
    {
        const auto count = static_cast<double>(plot.panels.size());
        drawing_.width = left_margin + count * plot.panel_width + (count - 1) * gap + right_margin();
        const bool two_lines =
            std::any_of(plot.x_tick_names.begin(), plot.x_tick_names.end(),
                        [](const std::string& name) { return name.find('\n') != std::string::npos; });
        drawing_.height = top + panel_height + bottom_margin + (two_lines ? tick_line : 0);
    }

    Drawing draw()
    {
        text({drawing_.width / 2, 20}, plot_.title, Anchor::middle, 14);
        legend();
        for (std::size_t i = 0; i < plot_.panels.size(); ++i) {
            panel(plot_.panels[i], left_margin + static_cast<double>(i) * (plot_.panel_width + gap));
        }
        axis_numbers(left_axis_, left_margin - 6, Anchor::end);
        upright({18, top + panel_height / 2}, plot_.left_label);
        if (!plot_.right_label.empty()) {
            axis_numbers(right_axis_, drawing_.width - left_margin + 6, Anchor::start);
            upright({drawing_.width - 12, top + panel_height / 2}, plot_.right_label);
        }
        const double middle = (left_margin + drawing_.width - right_margin()) / 2;
        text({middle, drawing_.height - 10}, plot_.x_label, Anchor::middle, 12);
        return std::move(drawing_);
    }

private:
    void text(DrawnPoint at, const std::string& words, Anchor anchor, double size)
    {
        drawing_.shapes.emplace_back(DrawnText{at, words, anchor, size, false, ink});
    }
    void upright(DrawnPoint at, const std::string& words)
    {
        drawing_.shapes.emplace_back(DrawnText{at, words, Anchor::middle, 12, true, ink});
    }
    void line(DrawnPoint from, DrawnPoint to, Rgb colour, double width = 1, bool dashed = false)
    {
        drawing_.shapes.emplace_back(DrawnLine{from, to, colour, width, dashed});
    }

    [[nodiscard]] double right_margin() const
    {
        return !plot_.right_label.empty() ? left_margin : plot_.x_tick_names.empty() ? side_margin : 2 * side_margin;
    }
    [[nodiscard]] double x_of(double x, double left) const
    {
        return left + plot_.panel_width * (x - plot_.x_low) / (plot_.x_high - plot_.x_low);
    }
    [[nodiscard]] double y_of(double y, const LinearAxis& axis) const
    {
        return top + panel_height * (axis.high - y) / (axis.high - axis.low);
    }

    void axis_numbers(const LinearAxis& axis, double x, Anchor anchor)
    {
        const int steps = static_cast<int>(std::lround((axis.high - axis.low) / axis.step));
        for (int i = 0; i <= steps; ++i) {
            const double value = axis.low + i * axis.step;
            text({x, y_of(value, axis) + 4}, tick_text(value), anchor, 11);
        }
    }

    void legend()
    {
        struct Entry {
            std::string name;
            Rgb colour;
            enum class Look { curve, plain, box, rule } look;
        };
        std::vector<Entry> entries;
        const auto add = [&](const std::string& name, Rgb colour, Entry::Look look) {
            const bool known =
                std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
            if (!known && !name.empty()) {
                entries.push_back({name, colour, look});
            }
        };
        for (const Panel& panel : plot_.panels) {
            for (const PanelPlot::Bars& bars : panel.bars) {
                add(bars.name, plot_colour(bars.colour), Entry::Look::box);
            }
            for (const PanelPlot::Curve& curve : panel.curves) {
                add(curve.name, plot_colour(curve.colour),
                    curve.colour == 0 || !curve.marks ? Entry::Look::plain : Entry::Look::curve);
            }
        }
        add(plot_.rule_label, rule_grey, Entry::Look::rule);

        constexpr double sign = 24;
        constexpr double space = 22;
        double width = -space;
        for (const Entry& entry : entries) {
            width += sign + 6 + letter * static_cast<double>(entry.name.size()) + space;
        }
        double x = (drawing_.width - width) / 2;
        constexpr double y = 38;
        for (const Entry& entry : entries) {
            if (entry.look == Entry::Look::box) {
                drawing_.shapes.emplace_back(DrawnBox{{x + 7, y - 6}, 12, 12, entry.colour, {}});
            } else {
                const bool rule = entry.look == Entry::Look::rule;
                line({x, y}, {x + sign, y}, entry.colour, entry.look == Entry::Look::curve ? 2 : 1.2, rule);
            }
            if (entry.look == Entry::Look::curve) {
                drawing_.shapes.emplace_back(DrawnDisc{{x + sign / 2, y}, 3.2, entry.colour, {}});
            }
            text({x + sign + 6, y + 4}, entry.name, Anchor::start, 11);
            x += sign + 6 + letter * static_cast<double>(entry.name.size()) + space;
        }
    }

    void panel(const Panel& panel, double left)
    {
        const double right = left + plot_.panel_width;
        const double bottom = top + panel_height;
        text({left + plot_.panel_width / 2, top - 9}, panel.title, Anchor::middle, 12);
        const int steps = static_cast<int>(std::lround((left_axis_.high - left_axis_.low) / left_axis_.step));
        for (int i = 1; i < steps; ++i) {
            const double y = y_of(left_axis_.low + i * left_axis_.step, left_axis_);
            line({left, y}, {right, y}, grid_grey);
        }
        for (std::size_t i = 0; i < plot_.x_ticks.size(); ++i) {
            const double x = x_of(plot_.x_ticks[i], left);
            line({x, bottom}, {x, bottom + 4}, frame_grey);
            const std::string name =
                i < plot_.x_tick_names.size() ? plot_.x_tick_names[i] : tick_text(plot_.x_ticks[i]);
            const std::size_t first = std::min(name.find('\n'), name.size());
            text({x, bottom + 17}, name.substr(0, first), Anchor::middle, 11);
            if (first < name.size()) {
                text({x, bottom + 17 + tick_line}, name.substr(first + 1), Anchor::middle, 11);
            }
        }
        for (const PanelPlot::Bars& bars : panel.bars) {
            draw_bars(bars, left);
        }
        for (const double rule : panel.rules) {
            if (rule > plot_.x_low && rule < plot_.x_high) {
                line({x_of(rule, left), top}, {x_of(rule, left), bottom}, rule_grey, 1, true);
            }
        }
        for (const DrawnPoint corner : {DrawnPoint{left, top}, DrawnPoint{right, bottom}}) {
            line(corner, {right, top}, frame_grey);
            line(corner, {left, bottom}, frame_grey);
        }
        for (const PanelPlot::Curve& curve : panel.curves) {
            draw_curve(curve, left);
        }
    }

    void draw_bars(const PanelPlot::Bars& bars, double left)
    {
        constexpr double half = 0.4;
        for (const Point& point : bars.points) {
            if (std::isfinite(point.y)) {
                const double x = x_of(point.x - half, left);
                const double y = y_of(point.y, left_axis_);
                drawing_.shapes.emplace_back(DrawnBox{{x, y},
                                                      x_of(point.x + half, left) - x,
                                                      y_of(0, left_axis_) - y,
                                                      plot_colour(bars.colour),
                                                      point.about});
            }
        }
    }

    void draw_curve(const PanelPlot::Curve& curve, double left)
    {
        const LinearAxis& axis = curve.axis == PanelPlot::Axis::left ? left_axis_ : right_axis_;
        const Rgb colour = plot_colour(curve.colour);
        const bool plain = curve.colour == 0;
        const bool marks = curve.marks && !plain;
        for (std::size_t i = 1; i < curve.points.size(); ++i) {
            const Point& a = curve.points[i - 1];
            const Point& b = curve.points[i];
            if (std::isfinite(a.y) && std::isfinite(b.y)) {
                line({x_of(a.x, left), y_of(a.y, axis)}, {x_of(b.x, left), y_of(b.y, axis)}, colour, plain ? 1.2 : 2);
            }
        }
        for (const Point& point : curve.points) {
            if (marks && std::isfinite(point.y)) {
                drawing_.shapes.emplace_back(
                    DrawnDisc{{x_of(point.x, left), y_of(point.y, axis)}, 3.2, colour, point.about});
            }
        }
    }

    const PanelPlot& plot_;
    LinearAxis left_axis_;
    LinearAxis right_axis_;
    Drawing drawing_;
};

} // namespace

Rgb plot_colour(int number)
{
    // Masataka Okabe and Kei Ito, Color Universal Design.
    constexpr std::array<Rgb, 7> colours{{{0x00, 0x00, 0x00},
                                          {0x00, 0x72, 0xb2},
                                          {0xe6, 0x9f, 0x00},
                                          {0x00, 0x9e, 0x73},
                                          {0xcc, 0x79, 0xa7},
                                          {0xd5, 0x5e, 0x00},
                                          {0x56, 0xb4, 0xe9}}};
    return number >= 0 && static_cast<std::size_t>(number) < colours.size() ? colours[static_cast<std::size_t>(number)]
                                                                            : colours[0];
}

Drawing draw(const PanelPlot& plot)
{
    if (plot.panels.empty() || !(plot.x_low < plot.x_high)) {
        throw bad_input("a plot needs a panel, and a range along x");
    }
    return Painter(plot).draw();
}

} // namespace texelscope
