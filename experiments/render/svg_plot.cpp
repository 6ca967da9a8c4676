#include "experiments/render/svg_plot.hpp"

#include "base/error.hpp"
#include "experiments/render/html.hpp"
#include "experiments/render/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace texelscope::experiments {
namespace {

// Masataka Okabe and Kei Ito, Color Universal Design: blue, orange, bluish green, reddish purple; vermillion to warn.
constexpr std::array<std::string_view, 4> series_colours{"#0072B2", "#E69F00", "#009E73", "#CC79A7"};
constexpr std::string_view marked_colour = "#D55E00";

/// Text of an SVG element under construction.
class Svg {
public:
    Svg(double width, double height, const std::string& title)
    {
        // Without a height the picture scales with the column that it stands in.
        add(R"svg(<svg viewBox="0 0 {0:g} {1:g}" width="{0:g}" role="img" aria-label="{2}" font-size="11" fill="currentColor">)svg",
            width, height, escape_html(title));
        text(width / 2, 14, title, "middle", "title");
    }

    template <class... Arguments>
    void add(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
        out_ += '\n';
    }
    void text(double x, double y, const std::string& words, std::string_view anchor, std::string_view style = "label")
    {
        add(R"svg(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" class="{}"{}>{}</text>)svg", x, y, anchor, style,
            style == "title"      ? R"svg( font-weight="600" font-size="12.5")svg"
            : style == "category" ? R"svg( font-size="9.5")svg" // up to six characters under a pair of bars
                                  : "",
            escape_html(words));
    }
    void upright_text(double x, double y, const std::string& words)
    {
        add(R"svg(<text transform="translate({:.1f} {:.1f}) rotate(-90)" text-anchor="middle" class="label">{}</text>)svg",
            x, y, escape_html(words));
    }
    void line(double x1, double y1, double x2, double y2, double opacity, std::string_view dashes = "")
    {
        add(R"svg(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="currentColor" stroke-opacity="{}"{}/>)svg",
            x1, y1, x2, y2, opacity, dashes.empty() ? "" : fmt::format(R"svg( stroke-dasharray="{}")svg", dashes));
    }
    [[nodiscard]] std::string finish() const { return out_ + "</svg>\n"; }

private:
    std::string out_;
};

/// A logarithmic axis between whole decades, or 1, 2, 5 times one.
struct LogAxis {
    double low = 1;
    double high = 10;
    std::vector<double> ticks;

    /// In [0, 1].
    [[nodiscard]] double position(double value) const
    {
        return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
    }
};
LogAxis log_axis(double low, double high)
{
    // A little air, so that no point sits on the frame.
    const double from = std::log10(low) - 0.04;
    const double to = std::log10(high) + 0.04;
    LogAxis axis{std::pow(10.0, from), std::pow(10.0, to), {}};
    const double decades = to - from;
    const int stride = std::max(1, static_cast<int>(std::ceil(decades / 6)));
    for (int decade = static_cast<int>(std::floor(from)); decade <= static_cast<int>(std::ceil(to)); ++decade) {
        const std::vector<double> factors = decades < 0.5   ? std::vector<double>{1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9}
                                            : decades < 1.5 ? std::vector<double>{1, 2, 3, 5}
                                                            : std::vector<double>{1};
        for (const double factor : factors) {
            const double value = factor * std::pow(10.0, decade);
            if (decade % stride == 0 && value >= axis.low && value <= axis.high) {
                axis.ticks.push_back(value);
            }
        }
    }
    if (axis.ticks.empty()) {
        axis.ticks.push_back(std::sqrt(low * high));
    }
    return axis;
}

} // namespace

std::string to_svg(const BarPlot& plot)
{
    if (plot.series.size() > series_colours.size()) {
        throw bad_input("a plot of bars shows at most four series");
    }
    double low = 0;
    double high = 0;
    for (const BarPlot::Series& series : plot.series) {
        if (series.bars.size() != plot.categories.size()) {
            throw bad_input(fmt::format("the series '{}' has {} bars for {} categories", series.name,
                                        series.bars.size(), plot.categories.size()));
        }
        for (const BarPlot::Bar& bar : series.bars) {
            if (std::isfinite(bar.value)) {
                low = std::min(low, bar.value);
                high = std::max(high, bar.value);
            }
        }
    }
    const LinearAxis axis = linear_axis(low, high);

    constexpr double left = 58;
    constexpr double top = 44;
    constexpr double plot_height = 170;
    constexpr double bar_room = 12; ///< a bar with its gap
    const double group = std::max(37.0, bar_room * static_cast<double>(plot.series.size()) + 10);
    const double plot_width = std::max(160.0, group * static_cast<double>(plot.categories.size()));
    Svg svg(left + plot_width + 12, top + plot_height + 26, plot.title);
    const auto y_of = [&](double value) { return top + plot_height * (axis.high - value) / (axis.high - axis.low); };

    double legend = left;
    for (std::size_t s = 0; s < plot.series.size() && plot.series.size() > 1; ++s) {
        svg.add(R"svg(<rect x="{:.1f}" y="24" width="10" height="10" fill="{}" class="series-{}"/>)svg", legend,
                series_colours[s], s);
        svg.text(legend + 14, 33, plot.series[s].name, "start");
        legend += 32 + 6.5 * static_cast<double>(plot.series[s].name.size());
    }
    svg.upright_text(14, top + plot_height / 2, plot.unit);
    const int steps = static_cast<int>(std::lround((axis.high - axis.low) / axis.step));
    for (int i = 0; i <= steps; ++i) {
        const double raw = axis.low + i * axis.step;
        const double value = std::abs(raw) < axis.step * 1e-6 ? 0.0 : raw;
        svg.line(left, y_of(value), left + plot_width, y_of(value), value == 0 ? 0.7 : 0.15);
        svg.text(left - 6, y_of(value) + 4, tick_text(value), "end");
    }
    for (std::size_t c = 0; c < plot.categories.size(); ++c) {
        const double start = left + plot_width * static_cast<double>(c) / static_cast<double>(plot.categories.size());
        const double width = plot_width / static_cast<double>(plot.categories.size());
        const double bar = std::min(24.0, (width - 8) / static_cast<double>(plot.series.size()));
        const double first = start + (width - bar * static_cast<double>(plot.series.size())) / 2;
        for (std::size_t s = 0; s < plot.series.size(); ++s) {
            const BarPlot::Bar& value = plot.series[s].bars[c];
            if (!std::isfinite(value.value)) {
                continue;
            }
            const double y1 = y_of(std::max(value.value, 0.0));
            const double y2 = y_of(std::min(value.value, 0.0));
            svg.add(
                R"svg(<rect x="{:.1f}" y="{:.2f}" width="{:.1f}" height="{:.2f}" fill="{}" class="series-{}"><title>{}</title></rect>)svg",
                first + bar * static_cast<double>(s), y1, std::max(1.0, bar - 1), y2 - y1, series_colours[s], s,
                escape_html(value.about));
        }
        svg.text(start + width / 2, top + plot_height + 16, plot.categories[c], "middle", "category");
    }
    return svg.finish();
}

std::string to_svg(const ScatterPlot& plot)
{
    constexpr double left = 64;
    constexpr double top = 28;
    constexpr double side = 260;
    Svg svg(left + side + 12, top + side + 46, plot.title);
    svg.add(
        R"svg(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="currentColor" stroke-opacity="0.4"/>)svg",
        left, top, side, side);
    svg.text(left + side / 2, top + side + 38, plot.x_label, "middle");
    svg.upright_text(14, top + side / 2, plot.y_label);

    std::vector<ScatterPlot::Point> points;
    std::copy_if(plot.points.begin(), plot.points.end(), std::back_inserter(points), [](const ScatterPlot::Point& p) {
        return std::isfinite(p.x) && std::isfinite(p.y) && p.x > 0 && p.y > 0;
    });
    if (points.empty()) {
        svg.text(left + side / 2, top + side / 2, "no configuration has both values", "middle");
        return svg.finish();
    }
    const auto [least_x, most_x] =
        std::minmax_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    const auto [least_y, most_y] =
        std::minmax_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.y < b.y; });
    const LogAxis x_axis = log_axis(least_x->x, most_x->x);
    const LogAxis y_axis = log_axis(least_y->y, most_y->y);
    const auto x_of = [&](double value) { return left + side * x_axis.position(value); };
    const auto y_of = [&](double value) { return top + side * (1 - y_axis.position(value)); };

    for (const double value : x_axis.ticks) {
        svg.line(x_of(value), top, x_of(value), top + side, 0.15);
        svg.text(x_of(value), top + side + 16, tick_text(value), "middle");
    }
    for (const double value : y_axis.ticks) {
        svg.line(left, y_of(value), left + side, y_of(value), 0.15);
        svg.text(left - 6, y_of(value) + 4, tick_text(value), "end");
    }
    const double equal_from = std::max(x_axis.low, y_axis.low);
    const double equal_to = std::min(x_axis.high, y_axis.high);
    if (equal_from < equal_to) {
        svg.line(x_of(equal_from), y_of(equal_from), x_of(equal_to), y_of(equal_to), 0.6, "4 3");
    }
    for (const ScatterPlot::Point& point : points) {
        const double x = x_of(point.x);
        const double y = y_of(point.y);
        if (point.marked) {
            svg.add(
                R"svg(<g class="marked" stroke="{}" stroke-width="2"><title>{}</title><path d="M{:.1f} {:.1f}l8 8m0 -8l-8 8"/></g>)svg",
                marked_colour, escape_html(point.about), x - 4, y - 4);
        } else {
            svg.add(
                R"svg(<circle cx="{:.1f}" cy="{:.1f}" r="4" fill="{}" fill-opacity="0.7" class="series-0"><title>{}</title></circle>)svg",
                x, y, series_colours[0], escape_html(point.about));
        }
    }
    return svg.finish();
}

} // namespace texelscope::experiments
