#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/terminal.hpp"
#include "devices/launch/launch_options.hpp"
#include "model/tmmodel/item_histogram.hpp"
#include "sim/observers/cross_block_histogram.hpp"
#include "sim/reuse/bounded_distance.hpp"
#include "sim/reuse/reuse_distance.hpp"
#include "workbench/plots/miss_ratio_plot.hpp"
#include "workbench/study/study.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

namespace texelscope::cli {
namespace {

// `histogram`: locality of a launch without a cache. Prints how often a work-item's strides leave
// blocks of texels (the features of TMModel), and the reuse distances of the whole launch with the
// miss-ratio curves of fully associative LRU caches that follow from them.
struct HistogramArguments {
    TraceArguments trace;
    DeviceArguments device;
    std::int64_t group = 0;
    std::int32_t item = 0;
    bool all = false;
    std::optional<int> depth;
    std::string mrc;
};

/// The strides of one work-item, or of all of them added up; a histogram for each image.
std::vector<CrossBlockHistogram> histograms(const TraceSource& source,
                                            const HistogramArguments& arguments)
{
    std::vector<CrossBlockHistogram> found;
    if (arguments.all) {
        return item_histograms(source, default_block_shapes(), interrupted).total;
    }
    if (source.group_count() == 0) { // an empty trace
        found.assign(source.images().size(), cross_block_histogram({}));
        return found;
    }
    for (const std::vector<Texel>& texels : item_texels(source, arguments.group, arguments.item)) {
        found.push_back(cross_block_histogram(texels));
    }
    return found;
}

/// Reuse distances of a launch, to be shown.
struct ReuseReport {
    ReuseDistances distances;
    std::optional<int> depth; ///< up to which they were counted
    MissRatioCurves curves;   ///< of each image, and together where there are several
};

/// Reuse distances of the launch in the untimed order of accesses, with what a kernel asks of the
/// device where there is a kernel.
ReuseReport reuse(const TraceArguments::Loaded& loaded, const DeviceProfile& device,
                  std::optional<int> depth)
{
    SimulationOptions options = loaded.nest ? options_for(*loaded.nest, device) : device.simulation;
    options.mode.timed = false;
    ReuseReport report{reuse_distances(*loaded.source, options, depth, interrupted),
                       depth,
                       {loaded.text(),
                        device.name,
                        options.machine.l1().geometry.line,
                        options.machine.l1().geometry.capacity,
                        {}}};
    report.curves.curves = named_curves(report.distances, loaded.source->images());
    return report;
}

/// The histogram that belongs to a curve.
const ReuseDistanceHistogram& histogram_of(const ReuseReport& report, std::size_t curve)
{
    const auto& images = report.distances.images;
    return curve < images.size() ? images[curve] : report.distances.together;
}

ordered_json curve_json(const MissRatioCurve& curve)
{
    const auto of_points = [&](std::int64_t MissRatioCurve::Point::*number) {
        return json_list(curve.points,
                         [=](const MissRatioCurve::Point& point) { return point.*number; });
    };
    return {{"lookups", curve.lookups},
            {"lines", of_points(&MissRatioCurve::Point::lines)},
            {"misses", of_points(&MissRatioCurve::Point::misses)},
            {"limit", json_or_null(curve.limit)}};
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

/// Histograms and curves, of everything together and of each image.
ordered_json reuse_json(const ReuseReport& report)
{
    const bool bounded = report.depth.has_value();
    ordered_json out{{"unit", "L1 lines"},
                     {"device", report.curves.device},
                     {"line_bytes", report.curves.line.value},
                     {"l1_capacity", report.curves.l1_capacity.value},
                     {"depth", json_or_null(report.depth)}};
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

/// A table with a column for each image, and one for all together where there are several.
std::string distances_text(const ReuseReport& report)
{
    const std::size_t columns = report.curves.curves.size();
    std::vector<Cells> rows;
    const auto add_row = [&](const std::string& name, const auto& count) {
        rows.push_back({name});
        for (std::size_t column = 0; column < columns; ++column) {
            rows.back().push_back(count_text(count(histogram_of(report, column))));
        }
    };
    add_row("first touch",
            [](const ReuseDistanceHistogram& histogram) { return histogram.first_touches; });
    std::size_t longest = 0;
    for (std::size_t column = 0; column < columns; ++column) {
        longest = std::max(longest, histogram_of(report, column).counts.size());
    }
    // Distances span orders of magnitude, so classes double: 0, 1, 2-3, 4-7, ...
    for (std::size_t first = 0, next = 1; first < longest; first = next, next = 2 * next) {
        // With a depth, what lies beyond it is counted as "N or more", so the last class is cut
        // there.
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

/// Miss ratios at capacities of powers of two, and at that of L1.
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
    std::vector<Cells> rows;
    for (const std::int64_t lines : capacities) {
        rows.push_back(
            {capacity_text(curves.line * lines) + (lines == l1 ? " = L1" : ""), count_text(lines)});
        for (const MissRatioCurves::Named& named : curves.curves) {
            // Beyond the limit of a curve (--depth) its misses are not known.
            rows.back().push_back(lines <= named.curve.limit.value_or(lines)
                                      ? fmt::format("{:.2f} %", 100 * named.curve.miss_ratio(lines))
                                      : std::string("-"));
        }
    }
    return format_table(names, rows);
}

/// The curves as bytes of a .png, .svg or .csv file, whichever the name ends in. Throws bad_input
/// for another ending.
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
    throw bad_input("'" + path + "' is neither .png nor .svg nor .csv", "--mrc",
                    "choose one of these endings");
}

int print_histograms(const HistogramArguments& arguments, const GlobalOptions& global)
{
    const TraceArguments::Loaded loaded = arguments.trace.load();
    const auto found = histograms(*loaded.source, arguments);
    const std::span<const Image> images = loaded.source->images();
    std::int64_t accesses = 0;
    for (const CrossBlockHistogram& histogram : found) {
        accesses += histogram.accesses;
    }
    if (accesses == 0) {
        print_note(
            global,
            fmt::format(
                "work-item {} of group {} reads nothing, so it has no strides; choose another "
                "--group and --item, or --all",
                arguments.item, arguments.group));
    }
    note_left_out(global, loaded, "strides and reuse distances are of texels");
    note_local(global, loaded);
    if (!arguments.mrc.empty()) { // a bad name is found out before the work
        check_writable(arguments.mrc);
        (void)miss_ratio_file({"", "", Bytes{64}, Bytes{64}, {{"", miss_ratio_curve({})}}},
                              arguments.mrc);
    }
    const ReuseReport report = reuse(loaded, arguments.device.profile(), arguments.depth);
    if (!arguments.mrc.empty()) {
        write_file_atomically(arguments.mrc, miss_ratio_file(report.curves, arguments.mrc));
        print_note(global, "miss-ratio curves written to " + arguments.mrc);
    }

    const std::string whose =
        arguments.all ? "all work-items"
                      : fmt::format("work-item {} of group {}", arguments.item, arguments.group);
    if (global.json) {
        ordered_json out = json_result("histogram");
        out["source"] = loaded.source->name();
        out["work_items"] = whose;
        ordered_json list = ordered_json::array();
        for (std::size_t i = 0; i < found.size(); ++i) {
            const ordered_json bins = json_list(found[i].bins, [](const auto& bin) -> ordered_json {
                return {{"block", {bin.block.width, bin.block.height}}, {"x", bin.x}, {"y", bin.y}};
            });
            list.push_back(
                {{"image", images[i].name}, {"accesses", found[i].accesses}, {"bins", bins}});
        }
        out["cross_block"] = list;
        out["reuse_distance"] = reuse_json(report);
        print_json(out);
        return exit_code::done;
    }
    Cells header{"block"};
    for (const Image& image : images) {
        header.push_back(image.name + " x");
        header.push_back(image.name + " y");
    }
    std::vector<Cells> rows;
    for (std::size_t b = 0; !found.empty() && b < found.front().bins.size(); ++b) {
        const Extent2D block = found.front().bins[b].block;
        rows.push_back({fmt::format("{}x{}", block.width, block.height)});
        for (const CrossBlockHistogram& histogram : found) {
            rows.back().push_back(count_text(histogram.bins[b].x));
            rows.back().push_back(count_text(histogram.bins[b].y));
        }
    }
    std::string text =
        fmt::format("cross-block strides of {}\n", whose) + format_table(header, rows);
    for (std::size_t i = 0; i < found.size(); ++i) {
        text += fmt::format("{}: {} accesses\n", images[i].name, count_text(found[i].accesses));
    }
    text += fmt::format("\nreuse distances of the whole launch on {}, in distinct L1 lines of {} B "
                        "(LRU stack distance, "
                        "per core{})\n",
                        report.curves.device, report.curves.line.value,
                        images.size() > 1 ? "; each image alone, and all together" : "") +
            distances_text(report);
    if (!arguments.mrc.empty()) {
        text += "\nmiss ratio of fully associative LRU caches\n" + miss_ratios_text(report);
    }
    print_text(text);
    return exit_code::done;
}

} // namespace

Command histogram_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand(
        "histogram", "cross-block strides and reuse distances of a trace or an operator");
    const auto arguments = std::make_shared<HistogramArguments>();
    arguments->trace.add_to(*parser);
    arguments->trace.add_local_to(*parser);
    arguments->device.add_to(*parser);
    parser->add_option("--group", arguments->group,
                       "work-group of the work-item whose strides are counted");
    parser->add_option("--item", arguments->item, "its linear number in the group");
    parser->add_flag("--all", arguments->all, "strides of all work-items, added up");
    parser
        ->add_option("--depth", arguments->depth,
                     "counts reuse distances up to that many lines only: faster, with less memory")
        ->check(CLI::Range(1, BoundedDistanceCounter::most_depth));
    parser->add_option(
        "--mrc", arguments->mrc,
        "writes miss-ratio curves, of each image and of all together: F.png, F.svg or F.csv");
    return {parser, [&global, arguments] { return print_histograms(*arguments, global); }, true};
}

} // namespace texelscope::cli
