#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/reuse_output.hpp"
#include "cli/terminal.hpp"
#include "experiments/study/study.hpp"
#include "model/tmmodel/item_histogram.hpp"
#include "sim/observers/cross_block_histogram.hpp"
#include "sim/reuse/bounded_distance.hpp"
#include "sim/reuse/reuse_distance.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace texelscope::cli {
namespace {

struct HistogramArguments {
    TraceArguments trace;
    DeviceArguments device;
    std::int64_t group = 0;
    std::int32_t item = 0;
    bool all = false;
    std::optional<int> depth;
    std::string mrc;
};

std::vector<CrossBlockHistogram> histograms(const TraceSource& source, const HistogramArguments& arguments)
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

ReuseReport reuse(const TraceArguments::Loaded& loaded, const DeviceProfile& device,
                  const HistogramArguments& arguments)
{
    SimulationOptions options = loaded.nest ? options_for(*loaded.nest, device) : device.simulation;
    options.timed = false;
    ReuseReport report = reuse_report(reuse_distances(*loaded.source, options, arguments.depth, interrupted),
                                      arguments.depth, loaded.source->images());
    report.curves.source =
        loaded.nest ? loaded.nest->operator_text + " " + loaded.nest->schedule_text : loaded.source->name();
    report.curves.device = device.name;
    report.curves.line = options.l1.line;
    report.curves.l1_capacity = options.l1.capacity;
    return report;
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
        print_note(global, fmt::format("work-item {} of group {} reads nothing, so it has no strides; choose another "
                                       "--group and --item, or --all",
                                       arguments.item, arguments.group));
    }
    if (loaded.left_out > 0) {
        print_note(global, fmt::format("{} reads of images with layers are left out: caches hold 2D images here",
                                       count_text(loaded.left_out)));
    }
    if (!arguments.mrc.empty()) { // a bad name is found out before the work
        check_writable(arguments.mrc);
        (void)miss_ratio_file({"", "", Bytes{64}, Bytes{64}, {{"", miss_ratio_curve({})}}}, arguments.mrc);
    }
    const ReuseReport report = reuse(loaded, arguments.device.profile(), arguments);
    if (!arguments.mrc.empty()) {
        write_file_atomically(arguments.mrc, miss_ratio_file(report.curves, arguments.mrc));
        print_note(global, "miss-ratio curves written to " + arguments.mrc);
    }

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
        out["reuse_distance"] = to_json(report);
        print_json(out);
        return exit_code::done;
    }
    std::vector<std::string> header{"block"};
    for (const Image& image : images) {
        header.push_back(image.name + " x");
        header.push_back(image.name + " y");
    }
    std::vector<std::vector<std::string>> rows;
    for (std::size_t b = 0; !found.empty() && b < found.front().bins.size(); ++b) {
        const Extent2D block = found.front().bins[b].block;
        rows.push_back({fmt::format("{}x{}", block.width, block.height)});
        for (const CrossBlockHistogram& histogram : found) {
            rows.back().push_back(count_text(histogram.bins[b].x));
            rows.back().push_back(count_text(histogram.bins[b].y));
        }
    }
    std::string text = fmt::format("cross-block strides of {}\n", whose) + format_table(header, rows);
    for (std::size_t i = 0; i < found.size(); ++i) {
        text += fmt::format("{}: {} accesses\n", images[i].name, count_text(found[i].accesses));
    }
    text +=
        fmt::format("\nreuse distances of the whole launch on {}, in distinct L1 lines of {} B (LRU stack distance, "
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
    CLI::App* parser =
        app.add_subcommand("histogram", "cross-block strides and reuse distances of a trace or an operator");
    const auto arguments = std::make_shared<HistogramArguments>();
    arguments->trace.add_to(*parser);
    arguments->device.add_to(*parser);
    parser->add_option("--group", arguments->group, "work-group of the work-item whose strides are counted")
        ->capture_default_str();
    parser->add_option("--item", arguments->item, "its linear number in the group")->capture_default_str();
    parser->add_flag("--all", arguments->all, "strides of all work-items, added up");
    parser
        ->add_option("--depth", arguments->depth,
                     "counts reuse distances up to that many lines only: faster, with less memory")
        ->check(CLI::Range(1, BoundedDistanceCounter::most_depth));
    parser->add_option("--mrc", arguments->mrc,
                       "writes miss-ratio curves, of each image and of all together: F.png, F.svg or F.csv");
    return {parser, [&global, arguments] { return print_histograms(*arguments, global); }, true};
}

} // namespace texelscope::cli
