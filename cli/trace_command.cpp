#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/terminal.hpp"
#include "cli/trace_transfer.hpp"
#include "traces/access_walk.hpp"
#include "traces/formats/trace_copy.hpp"
#include "traces/native/trace_steps.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

namespace texelscope::cli {
namespace {

// Only to walk over the work-items: what is counted here does not depend on the warp size.
constexpr int one_warp = 64;
constexpr std::array<const char*, 4> kind_names{"read", "write", "buffer read", "buffer write"};

std::string name_of(const StepRow& row, const TracedLaunch& launch)
{
    return is_image(row.kind) ? launch.images[row.object].name : launch.buffers[row.object].name;
}

/// `trace info` of one launch: an object of the `launches`, and the same in words.
struct LaunchReport {
    ordered_json json;
    std::string text;
};

LaunchReport launch_report(const TracedLaunch& launch, const TraceTotals& totals, int number)
{
    LaunchReport report;
    report.json = {{"kernel", launch.kernel},
                   {"global", launch.global},
                   {"local", launch.local},
                   {"offset", launch.offset},
                   {"groups", totals.groups}};
    ordered_json images = ordered_json::array();
    std::vector<Cells> rows;
    for (std::size_t i = 0; i < launch.images.size(); ++i) {
        const TracedImage& image = launch.images[i];
        images.push_back({{"id", image.name},
                          {"width", image.width},
                          {"height", image.height},
                          {"depth", image.depth},
                          {"kind", to_string(image.kind)},
                          {"bytes", image.bytes_per_texel},
                          {"format", image.format},
                          {"argument", image.argument},
                          {"address", image.address_mode == AddressMode::edge ? "edge" : "border"},
                          {"reads", totals.reads[i]},
                          {"writes", totals.writes[i]}});
        rows.push_back(
            {image.name,
             image.depth > 1 ? fmt::format("{}x{}x{}", image.width, image.height, image.depth)
                             : fmt::format("{}x{}", image.width, image.height),
             image.format.empty() ? "-" : image.format, std::to_string(image.bytes_per_texel),
             count_text(totals.reads[i]), count_text(totals.writes[i])});
    }
    ordered_json buffers = ordered_json::array();
    for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
        const TracedBuffer& buffer = launch.buffers[i];
        buffers.push_back({{"id", buffer.name},
                           {"bytes", buffer.bytes},
                           {"argument", buffer.argument},
                           {"reads", totals.buffer_reads[i]},
                           {"writes", totals.buffer_writes[i]}});
        rows.push_back({buffer.name, fmt::format("{} bytes", count_text(buffer.bytes)), "buffer",
                        "-", count_text(totals.buffer_reads[i]),
                        count_text(totals.buffer_writes[i])});
    }
    report.json["images"] = images;
    report.json["buffers"] = buffers;
    report.json["reads"] = sum_of(totals.reads);
    report.text =
        fmt::format("launch {}: {}, {} work-items in groups of {}: {} reads by {} work-groups\n",
                    number, launch.kernel, size_text(launch.global), size_text(launch.local),
                    count_text(sum_of(totals.reads)), count_text(totals.groups)) +
        format_table({"image", "texels", "format", "bytes per texel", "reads", "writes"}, rows);
    return report;
}

/// What a source without totals of its own holds.
TraceTotals counted_totals(const TraceSource& source)
{
    TraceTotals totals;
    totals.reads.resize(source.images().size());
    totals.writes.resize(source.images().size());
    std::int64_t last_group = -1;
    for (AccessWalk walk(source, one_warp); walk.next(); last_group = walk.group()) {
        totals.groups += walk.group() == last_group ? 0 : 1;
        for (const LaneRead& read : walk.access().lanes) {
            ++totals.reads[read.image];
            totals.items = std::max(totals.items, std::int64_t{walk.item(read)} + 1);
        }
    }
    return totals;
}

/// `trace head`: the first accesses of a launch by group, then by their place in the program of
/// their work-item, then by work-item; rows of group, item, step, kind, object, place. `step`
/// counts the image reads of the item, and for other accesses all of its accesses.
struct HeadRow {
    std::int64_t group = 0;
    std::uint32_t step = 0;
    StepRow row;
};

std::vector<HeadRow> head(const TraceFile& file, int launch, std::int64_t count)
{
    std::vector<HeadRow> rows;
    const auto full = [&] { return static_cast<std::int64_t>(rows.size()) >= count; };
    // With image reads alone, the steps are the program order, and groups need not be unpacked
    // whole.
    if (!TraceSteps(file, launch, false).next()) {
        for (TraceSteps reads(file, launch, true); !full() && reads.next();) {
            for (const StepRow& row : reads.rows()) {
                if (!full()) {
                    rows.push_back({reads.group(), reads.step(), row});
                }
            }
        }
        return rows;
    }
    const GroupTable& groups = file.groups(launch);
    for (std::size_t i = 0; i < groups.size() && !full(); ++i) {
        const std::vector<TracedItem> items = file.group(launch, groups.group(i));
        std::vector<std::uint32_t> reads(items.size());
        bool more = true;
        for (std::uint32_t place = 0; more && !full(); ++place) {
            more = false;
            for (std::size_t k = 0; k < items.size() && !full(); ++k) {
                if (place < items[k].accesses.size()) {
                    const StepRow row = row_of(items[k].item, items[k].accesses[place]);
                    rows.push_back({groups.group(i),
                                    row.kind == AccessKind::image_read ? reads[k]++ : place, row});
                    more = true;
                }
            }
        }
    }
    return rows;
}

std::vector<HeadRow> head(const TraceSource& source, std::int64_t count)
{
    std::vector<HeadRow> rows;
    AccessWalk walk(source, one_warp);
    while (static_cast<std::int64_t>(rows.size()) < count && walk.next()) {
        for (const LaneRead& read : walk.access().lanes) {
            if (static_cast<std::int64_t>(rows.size()) < count) {
                rows.push_back({walk.group(),
                                walk.access().step,
                                {walk.item(read), AccessKind::image_read, read.image, read.texel.x,
                                 read.texel.y, 0, 0}});
            }
        }
    }
    return rows;
}

std::string head_text(const std::vector<HeadRow>& rows, const TracedLaunch& launch)
{
    std::vector<Cells> cells;
    for (const HeadRow& one : rows) {
        const StepRow& row = one.row;
        std::string place = fmt::format("{} bytes at {}", row.bytes, row.x);
        if (is_image(row.kind)) {
            place = launch.images[row.object].depth > 1
                        ? fmt::format("({}, {}, {})", row.x, row.y, row.z)
                        : fmt::format("({}, {})", row.x, row.y);
        }
        cells.push_back({std::to_string(one.group), std::to_string(row.item),
                         std::to_string(one.step), kind_names[static_cast<std::size_t>(row.kind)],
                         name_of(row, launch), place});
    }
    return format_table({"group", "item", "step", "access", "of", "at"}, cells);
}

ordered_json head_json(const std::vector<HeadRow>& rows, const TracedLaunch& launch)
{
    ordered_json list = ordered_json::array();
    for (const HeadRow& one : rows) {
        const StepRow& row = one.row;
        ordered_json entry{{"group", one.group},
                           {"item", row.item},
                           {"step", one.step},
                           {"access", kind_names[static_cast<std::size_t>(row.kind)]},
                           {"id", name_of(row, launch)}};
        if (is_image(row.kind)) {
            entry["x"] = row.x;
            entry["y"] = row.y;
            entry["z"] = row.z;
        } else {
            entry["offset"] = row.x;
            entry["bytes"] = row.bytes;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

int trace_info(const TraceCommandArguments& arguments, const GlobalOptions& global)
{
    std::vector<LaunchReport> reports;
    ordered_json out = json_result("trace");
    std::string text;
    std::string tail;
    if (arguments.trace.from_file() && is_native_trace(arguments.trace.file)) {
        const TraceFile trace = open_native(arguments);
        // To salvage is to read everything, so it has been verified.
        const bool verified = arguments.verify || arguments.salvage;
        if (arguments.verify && !arguments.salvage) {
            trace.verify();
        }
        const int only = arguments.trace.launch ? arguments.trace.chosen_launch(trace) : -1;
        for (int i = 0; i < trace.launch_count(); ++i) {
            if (only < 0 || only == i) {
                reports.push_back(launch_report(trace.launch(i), trace.totals(i), i));
            }
        }
        out["program"] = trace.program();
        out["damages"] = trace.damages();
        out["verified"] = verified;
        text = trace.program().empty() ? "" : "recorded from: " + trace.program() + "\n";
        for (const std::string& damage : trace.damages()) {
            text += "damaged: " + damage + "\n";
        }
        tail = verified ? "" : "the accesses were not read: --verify checks them all\n";
    } else {
        const auto loaded = load_trace(arguments.trace);
        reports.push_back(
            launch_report(traced_launch(*loaded.source), counted_totals(*loaded.source), 0));
    }
    out["launches"] = ordered_json::array();
    for (const LaunchReport& report : reports) {
        out["launches"].push_back(report.json);
        text += report.text;
    }
    text += tail;
    print_result(global, out, text);
    return exit_code::done;
}

int trace_head(const TraceCommandArguments& arguments, const GlobalOptions& global)
{
    std::vector<HeadRow> rows;
    TracedLaunch launch;
    if (arguments.trace.from_file() && is_native_trace(arguments.trace.file)) {
        const TraceFile trace = open_native(arguments);
        const int number = arguments.trace.chosen_launch(trace);
        launch = trace.launch(number);
        rows = head(trace, number, arguments.count);
    } else {
        const auto loaded = load_trace(arguments.trace);
        launch = traced_launch(*loaded.source);
        rows = head(*loaded.source, arguments.count);
    }
    if (global.json) {
        ordered_json out = json_result("trace");
        out["kernel"] = launch.kernel;
        out["accesses"] = head_json(rows, launch);
        print_json(out);
    } else {
        print_text(head_text(rows, launch));
    }
    return exit_code::done;
}

int trace_diff(const TraceCommandArguments& arguments, const GlobalOptions& global)
{
    const std::string difference =
        first_difference(TraceFile(arguments.trace.file), TraceFile(arguments.second),
                         arguments.accesses_only ? Compared::accesses : Compared::all);
    if (global.json) {
        ordered_json out = json_result("trace");
        out["same"] = difference.empty();
        out["difference"] = difference;
        print_json(out);
    } else {
        print_text(difference.empty() ? "the traces are the same\n" : difference + "\n");
    }
    return difference.empty() ? exit_code::done : exit_code::check_failed;
}

} // namespace

Command trace_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand("trace", "reads, writes and describes traces");
    std::vector<Command> subcommands;
    const auto add = [&](const char* name, const char* about, auto* work) {
        return add_subcommand<TraceCommandArguments>(subcommands, *parser, name, about, work,
                                                     global);
    };
    const auto [info, of_info] =
        add("info", "kernels, sizes, images, numbers of reads", trace_info);
    of_info->trace.add_to(*info);
    info->add_flag("--salvage", of_info->salvage, "of what is intact in a damaged native trace");
    info->add_flag("--verify", of_info->verify, "reads every access of a native trace, too");
    const auto [head, of_head] =
        add("head", "the first accesses: by group, then in program order, then by work-item",
            trace_head);
    of_head->trace.add_to(*head);
    head->add_option("-n,--count", of_head->count, "how many")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
    const auto [diff, of_diff] =
        add("diff", "the first difference between two native traces", trace_diff);
    diff->add_option("a", of_diff->trace.file, "a native trace")->required();
    diff->add_option("b", of_diff->second, "another one")->required();
    diff->add_flag("--accesses-only", of_diff->accesses_only,
                   "compares what the work-items did, not sizes and names; images and buffers by "
                   "their number");
    const auto [generate, of_generate] =
        add("generate", "writes the trace of an operator and configuration", export_trace);
    of_generate->trace.op.add_to(*generate, true);
    of_generate->output.add_to(*generate);
    const auto [import, of_import] =
        add("import", "reads a trace in any format, checks it and writes it in any format",
            import_trace);
    of_import->trace.add_to(*import);
    import->get_option("--image")->description(
        "ID:WIDTHxHEIGHTxBYTES[@ADDRESS]: declares an image of the trace, and where "
        "it lies in a trace of byte addresses, such as @0x7fd165500000 (repeatable)");
    of_import->output.add_to(*import);
    import
        ->add_option("--from", of_import->from,
                     "format of the file that is read (default: by its name)")
        ->check(CLI::IsMember(format_names()));
    import->add_flag("--salvage", of_import->salvage, "what is intact in a damaged native trace");
    const auto [exporting, of_exporting] =
        add("export", "writes a trace, or that of an operator and configuration, in any format",
            export_trace);
    of_exporting->trace.add_to(*exporting);
    of_exporting->trace.add_local_to(*exporting);
    of_exporting->output.add_to(*exporting);
    subcommands.push_back(capture_command(*parser, global));
    return command_of(parser, std::move(subcommands));
}

} // namespace texelscope::cli
