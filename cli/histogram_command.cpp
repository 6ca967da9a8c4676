#include "cli/arguments.hpp"
#include "cli/terminal.hpp"
#include "experiments/study.hpp"
#include "model/item_histogram.hpp"
#include "sim/cross_block_histogram.hpp"
#include "sim/reuse_distance.hpp"
#include "sim/simulate.hpp"
#include "traces/error.hpp"

#include <memory>

namespace texelscope::cli {
namespace {

struct HistogramArguments {
    TraceArguments trace;
    DeviceArguments device;
    std::int64_t group = 0;
    std::int32_t item = 0;
    bool all = false;
};

std::vector<CrossBlockHistogram> histograms(const TraceSource& source, const HistogramArguments& arguments)
{
    std::vector<CrossBlockHistogram> found;
    if (arguments.all) {
        return item_histograms(source).total;
    }
    for (const std::vector<Texel>& texels : item_texels(source, arguments.group, arguments.item)) {
        found.push_back(cross_block_histogram(texels));
    }
    return found;
}

/// Distances are shown in classes 0, 1, 2-3, 4-7, ...
struct DistanceClass {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t count = 0;
};

std::vector<DistanceClass> classes(const ReuseDistanceHistogram& histogram)
{
    std::vector<DistanceClass> all;
    const auto distances = static_cast<std::int64_t>(histogram.counts.size());
    for (std::int64_t first = 0, last = 0; first < distances; first = last + 1, last = 2 * first - 1) {
        if (first == 1) {
            last = 1;
        }
        DistanceClass one{first, last, 0};
        for (std::int64_t d = first; d <= std::min(last, distances - 1); ++d) {
            one.count += histogram.counts[static_cast<std::size_t>(d)];
        }
        all.push_back(one);
    }
    return all;
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
        throw bad_input(fmt::format("work-item {} of group {} reads nothing", arguments.item, arguments.group),
                        loaded.source->name(), "choose another --group and --item, or --all");
    }
    const DeviceProfile device = arguments.device.profile();
    SimulationOptions options = loaded.nest ? options_for(*loaded.nest, device) : device.simulation;
    options.timed = false;
    ReuseDistanceObserver reuse(options.cores);
    SimulationObserver* observer = &reuse;
    (void)simulate(*loaded.source, options, {&observer, 1}, interrupted);
    const ReuseDistanceHistogram distances = reuse.histogram();

    const std::string whose =
        arguments.all ? "all work-items" : fmt::format("work-item {} of group {}", arguments.item, arguments.group);
    if (global.json) {
        ordered_json out = json_result("histogram");
        out["source"] = loaded.source->name();
        out["work_items"] = whose;
        ordered_json list = ordered_json::array();
        for (std::size_t i = 0; i < found.size(); ++i) {
            ordered_json bins = ordered_json::array();
            for (const auto& bin : found[i].bins) {
                bins.push_back({{"block", {bin.block.width, bin.block.height}}, {"x", bin.x}, {"y", bin.y}});
            }
            list.push_back({{"image", images[i].name}, {"accesses", found[i].accesses}, {"bins", bins}});
        }
        out["cross_block"] = list;
        out["reuse_distance"] = {{"unit", "L1 lines"},
                                 {"device", device.name},
                                 {"first_touches", distances.first_touches},
                                 {"counts", distances.counts}};
        print_json(out);
        return exit_code::done;
    }
    std::vector<std::string> header{"block"};
    for (const Image& image : images) {
        header.push_back(image.name + " x");
        header.push_back(image.name + " y");
    }
    std::vector<std::vector<std::string>> rows;
    for (std::size_t b = 0; b < found.front().bins.size(); ++b) {
        const Extent2D block = found.front().bins[b].block;
        rows.push_back({fmt::format("{}x{}", block.width, block.height)});
        for (const CrossBlockHistogram& histogram : found) {
            rows.back().push_back(grouped(histogram.bins[b].x));
            rows.back().push_back(grouped(histogram.bins[b].y));
        }
    }
    std::string text = fmt::format("cross-block strides of {}\n", whose) + format_table(header, rows);
    for (std::size_t i = 0; i < found.size(); ++i) {
        text += fmt::format("{}: {} accesses\n", images[i].name, grouped(found[i].accesses));
    }
    std::vector<std::vector<std::string>> distance_rows{{"first touch", grouped(distances.first_touches)}};
    for (const DistanceClass& one : classes(distances)) {
        distance_rows.push_back(
            {one.first == one.last ? std::to_string(one.first) : fmt::format("{}-{}", one.first, one.last),
             grouped(one.count)});
    }
    text += fmt::format("\nreuse distances of the whole launch on {}, in distinct L1 lines of {} B (LRU stack "
                        "distance, per core)\n",
                        device.name, options.l1.line.value) +
            format_table({"lines", "lookups"}, distance_rows);
    print_text(text);
    return exit_code::done;
}

} // namespace

Command histogram_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser =
        app.add_subcommand("histogram", "cross-block strides and reuse distances of a trace or an operator");
    const auto arguments = std::make_shared<HistogramArguments>();
    arguments->trace.add_to(*parser);
    arguments->device.add_to(*parser);
    parser->add_option("--group", arguments->group, "work-group of the work-item whose strides are counted")
        ->capture_default_str();
    parser->add_option("--item", arguments->item, "its linear number in the group")->capture_default_str();
    parser->add_flag("--all", arguments->all, "strides of all work-items, added up");
    return {parser, [&global, arguments] { return print_histograms(*arguments, global); }};
}

} // namespace texelscope::cli
