#include "workbench/plots/miss_ratio_plot.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace texelscope::workbench::plots {
namespace {

constexpr double percent = 100;

/// Capacities lie on a logarithmic axis, by their lines.
double place(std::int64_t lines)
{
    return std::log2(static_cast<double>(lines));
}

/// The steps of a curve from one line to `x_high`. Steps that fall into the same column of pixels
/// are drawn as one, since curves may have hundreds of thousands.
PanelPlot::Curve drawn(const MissRatioCurves::Named& named, Bytes line, int colour, double x_high)
{
    constexpr double columns = 1200;
    PanelPlot::Curve out{named.name, colour, PanelPlot::Axis::left, {}, false};
    const MissRatioCurve& curve = named.curve;
    const auto ratio = [&](std::int64_t lines) { return percent * curve.miss_ratio(lines); };
    const auto about = [&](std::int64_t lines) {
        return fmt::format("{}: {:.2f} % of {} lookups miss from {} on ({} lines)", named.name,
                           ratio(lines), curve.lookups, capacity_text(line * lines), lines);
    };
    out.points.push_back({0, ratio(1), about(1)});
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
        if (curve.points[i].lines <= 1) {
            continue;
        }
        const double x = place(curve.points[i].lines);
        const bool last = i + 1 == curve.points.size();
        if (!last && std::floor(place(curve.points[i + 1].lines) / x_high * columns) ==
                         std::floor(x / x_high * columns)) {
            continue;
        }
        // A step: level up to the capacity, then down.
        out.points.push_back({x, out.points.back().y, out.points.back().about});
        out.points.push_back({x, ratio(curve.points[i].lines), about(curve.points[i].lines)});
    }
    out.points.push_back(
        {curve.limit ? place(*curve.limit) : x_high, out.points.back().y, out.points.back().about});
    return out;
}

} // namespace

std::string capacity_text(Bytes bytes)
{
    constexpr double kib = 1024;
    const auto value = static_cast<double>(bytes.value);
    return value >= kib * kib ? fmt::format("{:.4g} MiB", value / (kib * kib))
           : value >= kib     ? fmt::format("{:.4g} KiB", value / kib)
                              : fmt::format("{} B", bytes.value);
}

std::vector<MissRatioCurves::Named> named_curves(const ReuseDistances& distances,
                                                 std::span<const Image> images)
{
    std::vector<MissRatioCurves::Named> curves;
    for (std::size_t image = 0; image < images.size(); ++image) {
        curves.push_back({images[image].name, miss_ratio_curve(distances.images[image])});
    }
    if (images.size() != 1) {
        curves.push_back({"together", miss_ratio_curve(distances.together)});
    }
    return curves;
}

PanelPlot miss_ratio_plot(const MissRatioCurves& curves)
{
    if (curves.curves.empty()) {
        throw bad_input("there is no miss-ratio curve to draw");
    }
    std::int64_t most = std::max<std::int64_t>(2, curves.l1_capacity / curves.line);
    for (const MissRatioCurves::Named& named : curves.curves) {
        most = std::max({most, named.curve.points.back().lines, named.curve.limit.value_or(1)});
    }
    // A quarter of a doubling more, so that the last step is seen.
    const int doublings = static_cast<int>(std::ceil(place(most) + 0.25));
    PanelPlot plot;
    plot.title = "Miss ratio by capacity: " + curves.device;
    plot.x_label =
        fmt::format("capacity of a fully associative LRU cache, in bytes and in lines of {} B",
                    curves.line.value);
    plot.left_label = "misses of all lookups, %";
    plot.rule_label = "L1: " + capacity_text(curves.l1_capacity);
    plot.x_low = 0;
    plot.x_high = doublings;
    plot.panel_width = 600;
    constexpr int most_ticks = 10;
    for (int tick = 0; tick <= doublings; tick += (doublings + most_ticks - 1) / most_ticks) {
        const std::int64_t lines = std::int64_t{1} << tick;
        plot.x_ticks.push_back(tick);
        plot.x_tick_names.push_back(capacity_text(curves.line * lines) + "\n" +
                                    std::to_string(lines));
    }
    PanelPlot::Panel panel;
    constexpr std::size_t longest = 80; // letters above the panel
    panel.title =
        curves.source.size() <= longest ? curves.source : curves.source.substr(0, longest) + "...";
    panel.rules = {place(curves.l1_capacity / curves.line)};
    for (std::size_t i = 0; i < curves.curves.size(); ++i) {
        // The curve of all images together is black (colour 0), as it is compared with the others.
        const bool together = curves.curves.size() > 1 && i + 1 == curves.curves.size();
        panel.curves.push_back(
            drawn(curves.curves[i], curves.line, together ? 0 : series_colour(i), plot.x_high));
    }
    plot.panels = {panel};
    return plot;
}

ResultTable miss_ratio_table(const MissRatioCurves& curves)
{
    ResultTable table{{"curve", "lines", "bytes", "lookups", "misses", "miss_ratio"}, {}};
    for (const MissRatioCurves::Named& named : curves.curves) {
        for (const MissRatioCurve::Point& point : named.curve.points) {
            table.rows.push_back({named.name, point.lines, (curves.line * point.lines).value,
                                  named.curve.lookups, point.misses,
                                  named.curve.miss_ratio(point.lines)});
        }
    }
    return table;
}

} // namespace texelscope::workbench::plots
