#include "cli/reuse_output.hpp"

#include "base/error.hpp"
#include "cli/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace texelscope::cli {
namespace {

/// The histogram that belongs to a curve.
const ReuseDistanceHistogram& histogram_of(const ReuseReport& report, std::size_t curve)
{
    const auto& images = report.distances.images;
    return curve < images.size() ? images[curve] : report.distances.together;
}

ordered_json curve_json(const MissRatioCurve& curve)
{
    ordered_json lines = ordered_json::array();
    ordered_json misses = ordered_json::array();
    for (const MissRatioCurve::Point& point : curve.points) {
        lines.push_back(point.lines);
        misses.push_back(point.misses);
    }
    ordered_json out{{"lookups", curve.lookups}, {"lines", lines}, {"misses", misses}};
    out["limit"] = curve.limit ? ordered_json(*curve.limit) : ordered_json();
    return out;
}

void add_histogram(ordered_json& out, const ReuseDistanceHistogram& histogram, bool bounded)
{
    out["first_touches"] = histogram.first_touches;
    out["counts"] = histogram.counts;
    if (bounded) {
        out["deeper"] = histogram.deeper;
    }
    out["miss_ratio_curve"] = curve_json(miss_ratio_curve(histogram));
}

/// Names of the columns: images, and "together" where there are several.
std::vector<std::string> header(const ReuseReport& report, const std::string& first)
{
    std::vector<std::string> names{first};
    for (const MissRatioCurves::Named& named : report.curves.curves) {
        names.push_back(named.name);
    }
    return names;
}

} // namespace

ReuseReport reuse_report(ReuseDistances distances, std::optional<int> depth, std::span<const Image> images)
{
    ReuseReport report{std::move(distances), depth, {}};
    for (std::size_t image = 0; image < images.size(); ++image) {
        report.curves.curves.push_back({images[image].name, miss_ratio_curve(report.distances.images[image])});
    }
    if (images.size() != 1) {
        report.curves.curves.push_back({"together", miss_ratio_curve(report.distances.together)});
    }
    return report;
}

ordered_json to_json(const ReuseReport& report)
{
    const bool bounded = report.depth.has_value();
    ordered_json out{{"unit", "L1 lines"},
                     {"device", report.curves.device},
                     {"line_bytes", report.curves.line.value},
                     {"l1_capacity", report.curves.l1_capacity.value}};
    out["depth"] = bounded ? ordered_json(*report.depth) : ordered_json();
    add_histogram(out, report.distances.together, bounded);
    ordered_json images = ordered_json::array();
    for (std::size_t image = 0; image < report.distances.images.size(); ++image) {
        ordered_json one{{"image", report.curves.curves[image].name}};
        add_histogram(one, report.distances.images[image], bounded);
        images.push_back(std::move(one));
    }
    out["images"] = images;
    return out;
}

std::string distances_text(const ReuseReport& report)
{
    const std::size_t columns = report.curves.curves.size();
    std::vector<std::vector<std::string>> rows;
    const auto add_row = [&](const std::string& name, const auto& count) {
        rows.push_back({name});
        for (std::size_t column = 0; column < columns; ++column) {
            rows.back().push_back(count_text(count(histogram_of(report, column))));
        }
    };
    add_row("first touch", [](const ReuseDistanceHistogram& histogram) { return histogram.first_touches; });
    std::size_t longest = 0;
    for (std::size_t column = 0; column < columns; ++column) {
        longest = std::max(longest, histogram_of(report, column).counts.size());
    }
    // Classes 0, 1, 2-3, 4-7, ...
    for (std::size_t first = 0, next = 1; first < longest; first = next, next = 2 * next) {
        const std::size_t end = report.depth ? std::min(next, longest) : next;
        add_row(first + 1 == end ? std::to_string(first) : fmt::format("{}-{}", first, end - 1),
                [&](const ReuseDistanceHistogram& histogram) {
                    std::int64_t sum = 0;
                    for (std::size_t d = first; d < std::min(end, histogram.counts.size()); ++d) {
                        sum += histogram.counts[d];
                    }
                    return sum;
                });
    }
    if (report.depth) {
        add_row(fmt::format("{} or more", *report.depth),
                [](const ReuseDistanceHistogram& histogram) { return histogram.deeper; });
    }
    return format_table(header(report, "lines"), rows);
}

std::string miss_ratios_text(const ReuseReport& report)
{
    const MissRatioCurves& curves = report.curves;
    const std::int64_t l1 = curves.l1_capacity / curves.line;
    std::int64_t most = l1;
    for (const MissRatioCurves::Named& named : curves.curves) {
        most = std::max({most, named.curve.points.back().lines, named.curve.limit.value_or(0)});
    }
    std::set<std::int64_t> capacities{l1};
    for (std::int64_t lines = 1; lines < 2 * most; lines *= 2) {
        capacities.insert(lines);
    }
    std::vector<std::string> names = header(report, "capacity");
    names.insert(names.begin() + 1, "lines");
    std::vector<std::vector<std::string>> rows;
    for (const std::int64_t lines : capacities) {
        rows.push_back({capacity_text(curves.line * lines) + (lines == l1 ? " = L1" : ""), count_text(lines)});
        for (const MissRatioCurves::Named& named : curves.curves) {
            rows.back().push_back(lines <= named.curve.limit.value_or(lines)
                                      ? fmt::format("{:.2f} %", 100 * named.curve.miss_ratio(lines))
                                      : std::string("-"));
        }
    }
    return format_table(names, rows);
}

std::string miss_ratio_file(const MissRatioCurves& curves, const std::string& path)
{
    constexpr double pixels_per_unit = 2;
    if (path.ends_with(".csv")) {
        return to_csv(miss_ratio_table(curves));
    }
    if (path.ends_with(".png")) {
        return to_png(to_picture(draw(miss_ratio_plot(curves)), pixels_per_unit));
    }
    if (path.ends_with(".svg")) {
        const PanelPlot plot = miss_ratio_plot(curves);
        return to_svg(draw(plot), plot.title);
    }
    throw bad_input("'" + path + "' is neither .png nor .svg nor .csv", "--mrc", "choose one of these endings");
}

} // namespace texelscope::cli
