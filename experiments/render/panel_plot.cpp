#include "experiments/render/panel_plot.hpp"

#include "base/error.hpp"
#include "experiments/render/plot_axis.hpp"
#include "experiments/render/plot_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace texelscope::experiments {
namespace {

using Anchor = DrawnText::Anchor;
using Panel = PanelPlot::Panel;
using Point = PanelPlot::Point;

constexpr Rgb ink{0x22, 0x22, 0x22};
constexpr Rgb frame_grey{0x99, 0x99, 0x99};
constexpr Rgb grid_grey{0xe4, 0xe4, 0xe4};
constexpr Rgb rule_grey{0x80, 0x80, 0x80};

constexpr double gap = 16;
constexpr double left_margin = 66;
constexpr double first_top = 74;   ///< of the panels, under a legend of one row
constexpr double legend_line = 16; ///< from one row of the legend to the next
constexpr double bottom_margin = 50;
constexpr double side_margin = 20;
constexpr double tick_line = 13; ///< from one line of a tick's name to the next
constexpr double letter = 6.4;   ///< mean width of a letter of the legend
constexpr double sign = 24;      ///< width of the line in front of a name there
constexpr double space = 22;     ///< between two entries

/// Largest finite value of the points on an axis.
double highest(const std::vector<Point>& points)
{
    double most = 0;
    for (const Point& point : points) {
        most = std::isfinite(point.y) ? std::max(most, point.y) : most;
    }
    return most;
}

/// A value as a place on its axis: itself, or its power of ten.
double on_axis(double value, bool log)
{
    return !log ? value : value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

/// Of powers of ten, whole decades around all positive values.
LinearAxis decades(const PanelPlot& plot)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    const auto add = [&](const std::vector<Point>& points) {
        for (const Point& point : points) {
            const double power = on_axis(point.y, true);
            if (std::isfinite(power)) {
                low = std::min(low, std::floor(power));
                high = std::max(high, std::ceil(power));
            }
        }
    };
    for (const Panel& panel : plot.panels) {
        for (const PanelPlot::Curve& curve : panel.curves) {
            if (curve.axis == PanelPlot::Axis::left) {
                add(curve.points);
            }
        }
        for (const PanelPlot::Bars& bars : panel.bars) {
            add(bars.points);
        }
    }
    return low < high ? LinearAxis{low, high, 1} : std::isfinite(low) ? LinearAxis{low, low + 1, 1} : LinearAxis{};
}

LinearAxis axis_of(const PanelPlot& plot, PanelPlot::Axis side)
{
    if (side == PanelPlot::Axis::left && plot.left_log) {
        return decades(plot);
    }
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
        legend_ = legend_rows();
        top_ = first_top + legend_line * (static_cast<double>(legend_.size()) - 1);
        drawing_.height = top_ + plot.panel_height + bottom_margin + (two_lines ? tick_line : 0);
    }

    Drawing draw()
    {
        text({drawing_.width / 2, 20}, plot_.title, Anchor::middle, 14);
        legend();
        for (std::size_t i = 0; i < plot_.panels.size(); ++i) {
            panel(plot_.panels[i], left_of_panel(i));
        }
        axis_numbers(left_axis_, plot_.left_log, left_margin - 6, Anchor::end);
        upright({18, top_ + plot_.panel_height / 2}, plot_.left_label);
        if (!plot_.right_label.empty()) {
            axis_numbers(right_axis_, false, drawing_.width - left_margin + 6, Anchor::start);
            upright({drawing_.width - 12, top_ + plot_.panel_height / 2}, plot_.right_label);
        }
        const double middle = (left_margin + drawing_.width - right_margin()) / 2;
        text({middle, drawing_.height - 10}, plot_.x_label, Anchor::middle, 12);
        return std::move(drawing_);
    }

    [[nodiscard]] std::vector<PlacedPoint> places() const
    {
        std::vector<PlacedPoint> places;
        for (std::size_t i = 0; i < plot_.panels.size(); ++i) {
            for (const PanelPlot::Curve& curve : plot_.panels[i].curves) {
                for (std::size_t k = 0; k < curve.points.size(); ++k) {
                    const Point& point = curve.points[k];
                    const DrawnPoint at{x_of(point.x, left_of_panel(i)), height_of(point, curve.axis)};
                    if (std::isfinite(at.y)) {
                        places.push_back({i, curve.name, k, at, point.about});
                    }
                }
            }
        }
        return places;
    }
    [[nodiscard]] std::vector<DrawnBox> areas() const
    {
        std::vector<DrawnBox> areas;
        for (std::size_t i = 0; i < plot_.panels.size(); ++i) {
            areas.push_back({{left_of_panel(i), top_}, plot_.panel_width, plot_.panel_height, grid_grey, {}});
        }
        return areas;
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
    [[nodiscard]] double left_of_panel(std::size_t number) const
    {
        return left_margin + static_cast<double>(number) * (plot_.panel_width + gap);
    }
    [[nodiscard]] double x_of(double x, double left) const
    {
        const auto place = [&](double value) { return on_axis(value, plot_.x_log); };
        return left + plot_.panel_width * (place(x) - place(plot_.x_low)) / (place(plot_.x_high) - place(plot_.x_low));
    }
    [[nodiscard]] double y_of(double y, const LinearAxis& axis) const
    {
        return top_ + plot_.panel_height * (axis.high - y) / (axis.high - axis.low);
    }
    /// Of a value on the left axis; not finite where it has no place there.
    [[nodiscard]] double left_of(double value) const { return y_of(on_axis(value, plot_.left_log), left_axis_); }
    [[nodiscard]] double height_of(const Point& point, PanelPlot::Axis axis) const
    {
        return axis == PanelPlot::Axis::left ? left_of(point.y) : y_of(point.y, right_axis_);
    }

    void axis_numbers(const LinearAxis& axis, bool log, double x, Anchor anchor)
    {
        const int steps = static_cast<int>(std::lround((axis.high - axis.low) / axis.step));
        for (int i = 0; i <= steps; ++i) {
            const double value = axis.low + i * axis.step;
            text({x, y_of(value, axis) + 4}, tick_text(log ? std::pow(10.0, value) : value), anchor, 11);
        }
    }

    struct Entry {
        std::string name;
        Rgb colour;
        enum class Look { curve, plain, disc, box, rule } look;

        [[nodiscard]] double width() const { return sign + 6 + letter * static_cast<double>(name.size()); }
    };

    /// What the plot shows, each name once.
    [[nodiscard]] std::vector<Entry> entries() const
    {
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
                const bool plain = curve.colour == 0 || !curve.marks;
                add(curve.name, plot_colour(curve.colour),
                    plain        ? Entry::Look::plain
                    : curve.line ? Entry::Look::curve
                                 : Entry::Look::disc);
            }
        }
        add(plot_.rule_label, rule_grey, Entry::Look::rule);
        return entries;
    }

    /// The entries in rows that are no wider than the drawing.
    [[nodiscard]] std::vector<std::vector<Entry>> legend_rows() const
    {
        std::vector<std::vector<Entry>> rows(1);
        for (Entry& entry : entries()) {
            if (!rows.back().empty() && row_width(rows.back()) + space + entry.width() > drawing_.width - gap) {
                rows.emplace_back();
            }
            rows.back().push_back(std::move(entry));
        }
        return rows;
    }
    [[nodiscard]] static double row_width(const std::vector<Entry>& row)
    {
        double width = -space;
        for (const Entry& entry : row) {
            width += entry.width() + space;
        }
        return width;
    }

    void legend()
    {
        double y = 38;
        for (const std::vector<Entry>& row : legend_) {
            double x = (drawing_.width - row_width(row)) / 2;
            for (const Entry& entry : row) {
                if (entry.look == Entry::Look::box) {
                    drawing_.shapes.emplace_back(DrawnBox{{x + 7, y - 6}, 12, 12, entry.colour, {}});
                } else if (entry.look != Entry::Look::disc) {
                    const bool rule = entry.look == Entry::Look::rule;
                    line({x, y}, {x + sign, y}, entry.colour, entry.look == Entry::Look::curve ? 2 : 1.2, rule);
                }
                if (entry.look == Entry::Look::curve || entry.look == Entry::Look::disc) {
                    drawing_.shapes.emplace_back(DrawnDisc{{x + sign / 2, y}, 3.2, entry.colour, {}});
                }
                text({x + sign + 6, y + 4}, entry.name, Anchor::start, 11);
                x += entry.width() + space;
            }
            y += legend_line;
        }
    }

    void panel(const Panel& panel, double left)
    {
        const double right = left + plot_.panel_width;
        const double bottom = top_ + plot_.panel_height;
        text({left + plot_.panel_width / 2, top_ - 9}, panel.title, Anchor::middle, 12);
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
                line({x_of(rule, left), top_}, {x_of(rule, left), bottom}, rule_grey, 1, true);
            }
        }
        for (const DrawnPoint corner : {DrawnPoint{left, top_}, DrawnPoint{right, bottom}}) {
            line(corner, {right, top_}, frame_grey);
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
            const double y = left_of(point.y);
            if (std::isfinite(y)) {
                const double x = x_of(point.x - half, left);
                drawing_.shapes.emplace_back(DrawnBox{{x, y},
                                                      x_of(point.x + half, left) - x,
                                                      y_of(plot_.left_log ? left_axis_.low : 0, left_axis_) - y,
                                                      plot_colour(bars.colour),
                                                      point.about});
            }
        }
    }

    void draw_curve(const PanelPlot::Curve& curve, double left)
    {
        const auto height = [&](const Point& point) { return height_of(point, curve.axis); };
        const Rgb colour = plot_colour(curve.colour);
        const bool plain = curve.colour == 0;
        const bool marks = curve.marks && !plain;
        for (std::size_t i = 1; curve.line && i < curve.points.size(); ++i) {
            const Point& a = curve.points[i - 1];
            const Point& b = curve.points[i];
            if (std::isfinite(height(a)) && std::isfinite(height(b))) {
                line({x_of(a.x, left), height(a)}, {x_of(b.x, left), height(b)}, colour, plain ? 1.2 : 2);
            }
        }
        for (const Point& point : curve.points) {
            if (marks && std::isfinite(height(point))) {
                drawing_.shapes.emplace_back(
                    DrawnDisc{{x_of(point.x, left), height(point)}, point.radius, colour, point.about});
            }
        }
    }

    const PanelPlot& plot_;
    LinearAxis left_axis_;
    LinearAxis right_axis_;
    std::vector<std::vector<Entry>> legend_;
    double top_ = first_top; ///< of the panels
    Drawing drawing_;
};

} // namespace

namespace {

// Masataka Okabe and Kei Ito, Color Universal Design.
constexpr std::array<Rgb, 7> palette{{{0x00, 0x00, 0x00},
                                      {0x00, 0x72, 0xb2},
                                      {0xe6, 0x9f, 0x00},
                                      {0x00, 0x9e, 0x73},
                                      {0xcc, 0x79, 0xa7},
                                      {0xd5, 0x5e, 0x00},
                                      {0x56, 0xb4, 0xe9}}};

} // namespace

Rgb plot_colour(int number)
{
    return number >= 0 && static_cast<std::size_t>(number) < palette.size() ? palette[static_cast<std::size_t>(number)]
                                                                            : palette[0];
}

int series_colour(std::size_t series)
{
    return static_cast<int>(1 + series % (palette.size() - 1));
}

namespace {

Painter painter_of(const PanelPlot& plot)
{
    if (plot.panels.empty() || !(plot.x_low < plot.x_high) || (plot.x_log && !(plot.x_low > 0))) {
        throw bad_input("a plot needs a panel, and a range along x, of positive numbers where it is logarithmic");
    }
    return Painter(plot);
}

} // namespace

Drawing draw(const PanelPlot& plot)
{
    return painter_of(plot).draw();
}

std::vector<PlacedPoint> placed_points(const PanelPlot& plot)
{
    return painter_of(plot).places();
}

std::vector<DrawnBox> panel_areas(const PanelPlot& plot)
{
    return painter_of(plot).areas();
}

} // namespace texelscope::experiments
